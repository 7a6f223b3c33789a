import { sep } from 'node:path'

/** Last two parts of a path: "Movies / Mien". Never the full path, which contains the user's name. */
export const folderName = (path: string): string => path.split(sep).filter(Boolean).slice(-2).join(' / ')
