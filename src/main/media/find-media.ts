/** @file Finds pictures and videos in files and folders that the user gave. */
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, basename } from 'node:path'
import { mediaKindOf, type SlotName } from '@shared/files/media-names.ts'
import { MienError } from '@shared/errors.ts'
import { onFile } from '../machine/disk/disk-errors.ts'

export interface FoundMedia {
  usable: { path: string; kind: SlotName }[]
  /** Files that are neither pictures nor videos, and paths that can't be read. */
  unusable: string[]
  /** There were more usable files than `max`, or too many of all kinds; the rest was left out. */
  isCutOff: boolean
}

/** Files and folders that are looked at, so that a drop of a whole disk ends. */
const maxSeen = 100_000

/**
 * Searches folders with all folders in them, in the order given and then by name. Each file is found once, also if links
 * lead to it or in a circle. Hidden files in folders are left out.
 */
export async function findMedia(paths: readonly string[], max: number): Promise<FoundMedia> {
  const found: FoundMedia = { usable: [], unusable: [], isCutOff: false }
  const seen = new Set<string>()
  const visit = async (path: string): Promise<void> => {
    if (found.isCutOff) return
    const real = await realpath(path).catch(() => null)
    const info = real === null ? null : await stat(real).catch(() => null)
    if (real === null || info === null) {
      found.unusable.push(path)
      return
    }
    if (seen.has(real)) return
    seen.add(real)
    if (info.isDirectory()) {
      const names = await readdir(real).catch(() => null)
      if (names === null) found.unusable.push(path)
      for (const name of (names ?? []).filter((each) => !each.startsWith('.')).toSorted()) await visit(join(path, name))
      return
    }
    const kind = info.isFile() ? mediaKindOf(path) : null
    if (seen.size > maxSeen || (kind !== null && found.usable.length >= max)) found.isCutOff = true
    else if (kind === null) found.unusable.push(path)
    else found.usable.push({ path, kind })
  }
  for (const path of paths) await visit(path)
  return found
}

/**
 * Pictures and videos directly in a folder, as paths sorted by name; null: `path` is not a folder or doesn't exist. @throws MienError `file-unreadable`,
 * `file-unreachable`
 */
export async function mediaInFolder(path: string): Promise<Record<SlotName, string[]> | null> {
  const info = await stat(path).catch(() => null)
  if (info?.isDirectory() !== true) return null
  const entries = await onFile(readdir(path, { withFileTypes: true }))
  const names = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .toSorted()
  const of = (mediaSlot: SlotName): string[] =>
    names.filter((name) => mediaKindOf(name) === mediaSlot).map((name) => join(path, name))
  return { face: of('face'), video: of('video') }
}

/**
 * Returns `path`, or the only matching file if it is a folder. @throws MienError `file-is-folder` (pictures, videos)
 */
export async function onlyFile(path: string, mediaSlot: SlotName): Promise<string> {
  const found = await mediaInFolder(path)
  if (found === null) return path
  const [only, ...others] = found[mediaSlot]
  if (only !== undefined && others.length === 0) return only
  const counts = { pictures: found.face.length, videos: found.video.length }
  throw new MienError('file-is-folder', { name: basename(path), ...counts })
}
