/** @file Creates Mien's data folder, accessible only to its owner, with named errors. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { m } from '@shared/i18n/paraglide/messages.js'
import { MienError, toErrorBody, usage } from '@shared/mien-error.ts'
import { folderName } from './files.ts'
import { nameDiskFull } from './disk-errors.ts'
import { makeFolderSync } from './make-folder.ts'

/** Mode of all of Mien's folders, because they contain faces and videos. */
export const privateMode = 0o700

/** SQLite allows paths of at most 512 bytes; the longest path inside a data folder adds about 80. */
const maxPathBytes = 400

/**
 * Creates a data folder. `given`: with --data-dir, so an existing one keeps its mode; the default folder is made
 * private. `write`: check that it is writable.
 * @throws MienError `disk-full`, `folder-read-only` (not `given`), `usage` (path too long, a file exists there, or
 * `given` and it can't be made or written to)
 */
export function ensureDataFolder(dir: string, { given, write }: { given: boolean; write: boolean }): void {
  try {
    ensureFolder(dir, write)
  } catch (error) {
    throw given ? asUsage(error, dir) : error
  }
  if (!given) closeToOthers(dir)
}

/** Creates a folder of Mien's. `write`: check that it is writable. @throws MienError as {@link inFolder}, `usage` */
export function ensureFolder(dir: string, write: boolean): void {
  if (Buffer.byteLength(dir) > maxPathBytes) throw usage(m.cli_data_dir_long())
  inFolder(dir, () => {
    makeFolderSync(dir, { mode: privateMode })
    if (write) tryToWrite(dir)
  })
}

/** Another folder has to be given. A full disk is no fault of the command. */
function asUsage(error: unknown, dir: string): unknown {
  const { code } = toErrorBody(error)
  return code === 'disk-full' || code === 'usage' ? error : usage(m.cli_data_dir_unusable({ folder: dir }), error)
}

/** Min free space to start: about the size of an empty library. */
const minBytes = 65_536

/**
 * Without permission or space, Chromium's lock on the folder fails too, which would look as if Mien were already open.
 */
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
    // Another user's folder, or a disk without modes: use it unchanged.
  }
}

/** Runs `work` and maps file system errors. @throws MienError `folder-read-only`, `disk-full`, `usage` */
export function inFolder<T>(dir: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw nameFolderError(error, dir)
  }
}

function nameFolderError(error: unknown, dir: string): unknown {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    // Some file systems, such as /proc.
    case 'ENOENT':
      return new MienError('folder-read-only', { folder: folderName(dir) }, { cause: error })
    case 'ENAMETOOLONG':
      return usage(m.cli_data_dir_long(), error)
    case 'EEXIST':
    case 'ENOTDIR':
      return usage(m.cli_data_dir_file(), error)
    default:
      return nameDiskFull(error)
  }
}
