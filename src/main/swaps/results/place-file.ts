/**
 * @file Names the file of a result, and moves a downloaded file to its final name in the user's folder. Never overwrites a
 * file, even one created meanwhile.
 */
import nodePath, { type PlatformPath, join, dirname, extname } from 'node:path'
import { nameFrom } from '@shared/files/name-template.ts'
import type { Task } from '@shared/tasks/task.ts'
import { access, constants, link, open, rm, stat } from 'node:fs/promises'
import { MienError } from '@shared/errors.ts'
import { removeFile, replaceFile } from '../../machine/disk/files.ts'
import { isTaken, makeFolder } from '../../machine/disk/make-folder.ts'
import { saveFailure } from '../../machine/disk/disk-errors.ts'

/** File name of a swap's result, without extension. @param at epoch ms */
export function resultName(
  task: Pick<Task, 'title' | 'face' | 'cast' | 'video' | 'batch'>,
  template: string,
  at: number,
): string {
  const { title, face, cast, video, batch } = task
  const faces = (cast.length > 0 ? cast.map((each) => each.face) : [face]).map(({ name }) => name)
  const people = cast.flatMap(({ personName }) => personName ?? [])
  return nameFrom(template, { title, faces, target: video.name, people, at, batch })
}

/** `name.ext`, `name 2.ext`, `name 3.ext`, … infinite. */
export function* fileNames(name: string, extension: string): Generator<string, never> {
  yield `${name}.${extension}`
  for (let count = 2; ; count += 1) yield `${name} ${String(count)}.${extension}`
}

/** A result's file name and its folder's display name. `paths`: path functions of this system. */
export function placeNames(
  path: string,
  { folder, folderName }: { folder: string; folderName: string },
  paths: Pick<PlatformPath, 'basename' | 'dirname'> = nodePath,
): { fileName: string; folderName: string } {
  const isThere = paths.dirname(path) === folder
  // An earlier run may have saved it to another folder.
  return { fileName: paths.basename(path), folderName: isThere ? folderName : paths.basename(paths.dirname(path)) }
}

interface Placing {
  /** The downloaded file; must be in `folder`. */
  part: string
  folder: string
  /** Candidate file names, preferred first. */
  names: Iterable<string>
  /** Called with each path before it is tried. */
  onTry: (path: string) => void
  /** Called once the file has its final name, before `part` is removed. */
  onPlaced?: (path: string) => void
  link?: typeof link
}

/** Returns the final path. Rejects with the system's error, with nothing changed. */
export async function placeFile({
  part,
  folder,
  names,
  onTry,
  onPlaced,
  link: makeLink = link,
}: Placing): Promise<string> {
  for (const name of names) {
    const path = join(folder, name)
    if (await stat(path).catch(() => null)) continue
    onTry(path)
    // link() fails if the name exists; rename() would overwrite it.
    const failure: unknown = await makeLink(part, path).then(
      () => null,
      (error: unknown) => error,
    )
    if (isTaken(failure)) continue
    if (failure !== null && !(await placeOverPlaceholder(part, path))) continue
    onPlaced?.(path)
    if (failure === null) await removeFile(part).catch(() => undefined)
    return path
  }
  throw new Error('there is no free name')
}

/** Fallback for file systems without links (FAT, exFAT, many network shares). Returns false if the name is taken. */
async function placeOverPlaceholder(part: string, path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close()
  } catch (error) {
    if (isTaken(error)) return false
    throw error
  }
  try {
    await replaceFile(part, path)
    return true
  } catch (error) {
    await removeFile(path)
    throw error
  }
}

/**
 * After a crash: whether the file of `part` was already moved to `path`. An empty file there is our placeholder and is
 * removed.
 */
export async function wasPlaced(part: string, path: string): Promise<boolean> {
  const factsOf = (each: string) => stat(each, { bigint: true }).catch(() => null)
  const [left, there] = [await factsOf(part), await factsOf(path)]
  if (!there?.isFile()) return false
  if (left === null) return there.size > 0n
  if (there.ino === left.ino && there.dev === left.dev) return true
  if (there.size === 0n) await rm(path, { force: true })
  return false
}

/** Creates the results folder if it doesn't exist. @throws MienError `folder-missing` or `folder-read-only` */
export async function ensureWritable(folder: string, folderName: string): Promise<void> {
  try {
    await makeFolder(folder)
  } catch (error) {
    throw new MienError('folder-missing', { folder: folderName }, { cause: error })
  }
  try {
    await access(folder, constants.W_OK)
  } catch (error) {
    throw new MienError('folder-read-only', { folder: folderName }, { cause: error })
  }
}

/**
 * Renames the file of a result in its folder. Never overwrites a file.
 * @param name without extension
 * @param onPlaced called when the file has its new name and, where the file system has links, still its old one
 * @throws MienError `file-missing`, `folder-read-only`, `disk-full`
 */
export async function renameResult(path: string, name: string, onPlaced: (path: string) => void): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) throw new MienError('file-missing', { name })
  const names = fileNames(name, extname(path).slice(1))
  try {
    await placeFile({ part: path, folder: dirname(path), names, onTry: () => undefined, onPlaced })
  } catch (error) {
    throw await saveFailure(error, path)
  }
}
