/** @file The folder where results are kept: how people call it, and what is in it. */
import { access, constants, readdir, stat, statfs } from 'node:fs/promises'
import { dirname, extname, join, sep } from 'node:path'
import { MienError } from '@shared/errors.ts'
import type { ResultsFolder } from '@shared/ipc.ts'

/** The last two parts of a path: "Movies / Mien". Never the whole, which has the user's name in it. */
export const folderName = (path: string): string => path.split(sep).filter(Boolean).slice(-2).join(' / ')

/**
 * The folder as it may be opened in a file manager: one that is there at this moment. `reveal`: it is only to be shown in
 * its own folder, as a folder with an extension may be a program (macOS) and would be started.
 * @throws MienError `folder-missing`
 */
export async function folderToOpen(path: string): Promise<{ path: string; reveal: boolean }> {
  const info = await stat(path).catch(() => null)
  if (info?.isDirectory() !== true) throw new MienError('folder-missing', { folder: folderName(path) })
  return { path, reveal: extname(path) !== '' }
}

/**
 * What keeps results from being saved; null: nothing. `isChosen`: it is not the usual folder, which is made when the first
 * result is saved.
 */
export async function folderProblem(
  path: string,
  isChosen: boolean,
): Promise<'folder-missing' | 'folder-read-only' | null> {
  const info = await stat(path).catch(() => null)
  if (info === null) return isChosen ? 'folder-missing' : null
  if (!info.isDirectory()) return 'folder-missing'
  return access(path, constants.W_OK).then(
    () => null,
    () => 'folder-read-only',
  )
}

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
