/** @file The folder where results are kept: how people call it, and what is in it. */
import { access, constants, readdir, stat, statfs } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type { ResultsFolder } from '@shared/ipc.ts'

/** The last two parts of a path: "Movies / Mien". Never the whole, which has the user's name in it. */
export const folderName = (path: string): string => path.split(sep).filter(Boolean).slice(-2).join(' / ')

/** What a folder holds; a folder that is not there yet is counted by its parent. */
export async function describeFolder(path: string): Promise<ResultsFolder> {
  const exists = await stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  )
  const nearest = exists ? path : dirname(path)
  const writable = await access(nearest, constants.W_OK).then(
    () => true,
    () => false,
  )
  const freeBytes = await statfs(nearest).then(
    (disk) => disk.bavail * disk.bsize,
    () => 0,
  )
  const names = exists ? await readdir(path) : []
  let videos = 0
  let bytes = 0
  for (const name of names.filter((each) => /\.(?:mp4|webm|mov|mkv)$/i.test(each))) {
    const info = await stat(join(path, name)).catch(() => null)
    if (!info?.isFile()) continue
    videos += 1
    bytes += info.size
  }
  return { name: folderName(path), exists, writable, videos, bytes, freeBytes }
}
