/** @file Mien's data folder: made for its owner only, with a named error where that is not possible. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { folderName } from '../media/results-folder.ts'
import { nameDiskFull } from './disk-full.ts'

/** Mode of every folder of Mien's own: faces and videos are in them. */
export const privateMode = 0o700

/** SQLite takes paths of at most 512 bytes, and the longest one below a data folder has some 80 of its own. */
const maxPathBytes = 400

/**
 * Makes a data folder. `given`: it was named by the user, so that it keeps its mode when it exists; Mien's default folder
 * is closed to other users. `write`: something will be written to it.
 * @throws MienError `folder-read-only`, `disk-full`, `usage` (too long, or a file is in its place)
 */
export function ensureDataFolder(dir: string, { given, write }: { given: boolean; write: boolean }): void {
  if (Buffer.byteLength(dir) > maxPathBytes)
    throw new MienError('usage', { reason: '--data-dir: the path is too long' })
  inFolder(dir, () => {
    mkdirSync(dir, { recursive: true, mode: privateMode })
    if (write) tryToWrite(dir)
  })
  if (!given) closeToOthers(dir)
}

/** With less room nothing of Mien can begin: an empty library has about so many bytes. */
const minBytes = 65_536

/** Without rights or room Chromium's lock on the folder fails too, which would look as if Mien were open. */
function tryToWrite(dir: string): void {
  const file = join(dir, `mien-trial-${String(process.pid)}`)
  try {
    writeFileSync(file, Buffer.alloc(minBytes))
  } finally {
    rmSync(file, { force: true })
  }
}

function closeToOthers(dir: string): void {
  try {
    chmodSync(dir, privateMode)
  } catch {
    // Somebody else's folder, or a disk without modes: it is used as it is.
  }
}

/** Does `work` in a folder, and gives the errors of the file system their names. @throws MienError as above */
export function inFolder<T>(dir: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw nameFolderError(error, dir)
  }
}

function nameFolderError(error: unknown, dir: string): unknown {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  const usage = (reason: string): MienError => new MienError('usage', { reason }, { cause: error })
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new MienError('folder-read-only', { folder: folderName(dir) }, { cause: error })
    case 'ENAMETOOLONG':
      return usage('--data-dir: the path is too long')
    case 'EEXIST':
    case 'ENOTDIR':
      return usage(`--data-dir: ${folderName(dir)} is not a folder`)
    default:
      return nameDiskFull(error)
  }
}
