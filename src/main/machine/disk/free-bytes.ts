import { statfs } from 'node:fs/promises'

/** Free bytes on a folder's disk. */
export type FreeBytes = (dir: string) => Promise<number>

/** Disk space that uploads and downloads leave for everything else on this computer. */
export const reserveBytes = 64 * 2 ** 20

export const freeBytes: FreeBytes = async (dir) => {
  const disk = await statfs(dir)
  return disk.bavail * disk.bsize
}
