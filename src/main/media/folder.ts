/** @file Pictures and videos directly in a folder, for when the user gives a folder instead of a file. */
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { mediaKindOf } from '@shared/files/media-names.ts'
import { fileFailure } from '../machine/disk/file-failure.ts'
import type { MediaSlot } from './intake.ts'

/**
 * Paths sorted by name; null: `path` is not a folder or doesn't exist. @throws MienError `file-unreadable`,
 * `file-unreachable`
 */
export async function mediaInFolder(path: string): Promise<Record<MediaSlot, string[]> | null> {
  const info = await stat(path).catch(() => null)
  if (info?.isDirectory() !== true) return null
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    throw fileFailure(error)
  })
  const names = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .toSorted()
  const of = (mediaSlot: MediaSlot): string[] =>
    names.filter((name) => mediaKindOf(name) === mediaSlot).map((name) => join(path, name))
  return { face: of('face'), video: of('video') }
}

/**
 * Returns `path`, or the only matching file if it is a folder. @throws MienError `file-is-folder` (pictures, videos)
 */
export async function onlyFile(path: string, mediaSlot: MediaSlot): Promise<string> {
  const found = await mediaInFolder(path)
  if (found === null) return path
  const [only, ...others] = found[mediaSlot]
  if (only !== undefined && others.length === 0) return only
  const counts = { pictures: found.face.length, videos: found.video.length }
  throw new MienError('file-is-folder', { name: basename(path), ...counts })
}
