/** @file File names for results. Pure. */
import nodePath, { type PlatformPath } from 'node:path'

// Characters that Windows forbids in names, and control characters
// (https://learn.microsoft.com/windows/win32/fileio/naming-a-file).

const forbidden = /[<>:"/\\|?*\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g
const reserved = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i

/** A title as a file name without extension: safe on every system, never empty, at most 80 characters. */
export function safeName(title: string): string {
  const cleaned = title
    .replaceAll(forbidden, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 80)
    .replace(/[. ]+$/, '')
  const name = cleaned.replace(/^[. ]+/, '')
  if (name === '') return 'Swap'
  return reserved.test(name) ? `${name} swap` : name
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
