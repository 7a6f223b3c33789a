import { statfs } from 'node:fs/promises'

/** Bytes free on the disk of a folder. */
export type FreeBytes = (dir: string) => Promise<number>

export const freeBytes: FreeBytes = async (dir) => {
  const disk = await statfs(dir)
  return disk.bavail * disk.bsize
}
