import { statfs } from 'node:fs/promises'

/** Free bytes on a folder's disk. */
export type FreeBytes = (dir: string) => Promise<number>

export const freeBytes: FreeBytes = async (dir) => {
  const disk = await statfs(dir)
  return disk.bavail * disk.bsize
}
