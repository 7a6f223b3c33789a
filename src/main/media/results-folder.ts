/** @file The results folder: problems and contents. */
import { access, constants, readdir, stat } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { MienError } from '@shared/errors.ts'
import type { ResultsFolder } from '@shared/settings/settings.ts'
import { folderName, freeBytes } from '../machine/disk/files.ts'

/**
 * Checks that the folder exists, for opening it in a file manager. `reveal`: show it in its parent folder instead,
 * because on macOS a folder with an extension may be an app and would be launched.
 * @throws MienError `folder-missing`
 */
export async function folderToOpen(path: string): Promise<{ path: string; reveal: boolean }> {
  const info = await stat(path).catch(() => null)
  if (info?.isDirectory() !== true) throw new MienError('folder-missing', { folder: folderName(path) })
  return { path, reveal: extname(path) !== '' }
}

/**
 * Why results can't be saved; null: no problem. `isChosen`: the user chose this folder; the default one is created with
 * the first result.
 */
export async function folderProblem(
  path: string,
  isChosen: boolean,
): Promise<'folder-missing' | 'folder-read-only' | null> {
  const info = await stat(path).catch(() => null)
  if (info === null) return isChosen ? 'folder-missing' : null
  if (!info.isDirectory()) return 'folder-missing'
  return (await isWritable(path)) ? null : 'folder-read-only'
}

const isWritable = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  )

/**
 * Contents of a folder. For one that doesn't exist yet, free space and permission are those of its parent.
 * @param isChosen see `folderProblem`
 */
export async function describeFolder(path: string, isChosen: boolean): Promise<ResultsFolder> {
  const exists = (await stat(path).catch(() => null))?.isDirectory() === true
  const nearest = exists ? path : dirname(path)
  const names = exists ? await readdir(path) : []
  let videos = 0
  let bytes = 0
  for (const name of names.filter((each) => /\.(?:mp4|webm|mov|mkv)$/i.test(each))) {
    const info = await stat(join(path, name)).catch(() => null)
    if (!info?.isFile()) continue
    videos += 1
    bytes += info.size
  }
  const problem = (await folderProblem(path, isChosen)) ?? ((await isWritable(nearest)) ? null : 'folder-read-only')
  return { name: folderName(path), problem, videos, bytes, freeBytes: await freeBytes(nearest).catch(() => 0) }
}
