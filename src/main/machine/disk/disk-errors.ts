/** @file Maps errors of reading and writing files, and of full disks. */
import { dirname } from 'node:path'
import { MienError, type ErrorCode } from '@shared/errors.ts'
import { freeBytes } from './files.ts'
import { access, constants, readFile, stat } from 'node:fs/promises'

/** SQLITE_FULL, https://www.sqlite.org/rescode.html#full */
const databaseFull = 13

/** Whether an error of a file or a database means that the disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) return true
  // The upper bytes are the extended error code.
  return 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === databaseFull
}

/** Maps a disk-full error to `disk-full`; returns other errors unchanged. */
export const nameDiskFull = (error: unknown): unknown =>
  isDiskFull(error) ? new MienError('disk-full', {}, { cause: error }) : error

const saveCodes: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'folder-missing',
  ENOTDIR: 'folder-missing',
  EACCES: 'folder-read-only',
  EROFS: 'folder-read-only',
  EPERM: 'folder-read-only',
}

/**
 * Maps an error of writing, renaming or removing the file at `path`: `disk-full` (needBytes, freeBytes),
 * `folder-missing`, `folder-read-only`, or `save-failed` with the system's code as `reason`. Returns a MienError
 * unchanged.
 */
export async function saveFailure(error: unknown, path: string, needBytes: number | null = null): Promise<MienError> {
  if (error instanceof MienError) return error
  const cause = { cause: error }
  if (isDiskFull(error)) {
    const free = await freeBytes(dirname(path)).catch(() => null)
    return new MienError('disk-full', { needBytes, freeBytes: free }, cause)
  }
  const reason = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = saveCodes[reason]
  return known ? new MienError(known, {}, cause) : new MienError('save-failed', { reason }, cause)
}

/** Rejects as `saveFailure`, so that errors of the disk are not mistaken for errors of the network. */
export const onDisk = <T>(work: Promise<T>, path: string): Promise<T> =>
  work.catch(async (error: unknown) => {
    throw await saveFailure(error, path)
  })

const readCodes: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'file-missing',
  ENOTDIR: 'file-missing',
  EACCES: 'file-unreadable',
  EPERM: 'file-unreadable',
}

/** Other errors, such as a removed drive or an unresponsive network folder, become `file-unreachable`. */
export function fileFailure(error: unknown): MienError {
  if (error instanceof MienError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return new MienError(readCodes[code] ?? 'file-unreachable', { reason: code === '' ? null : code }, { cause: error })
}

/** Rejects as `fileFailure`. */
export const onFile = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw fileFailure(error)
  })

/** Returns the file's size in bytes. @throws MienError, for a folder, an empty file, or one that can't be read */
export async function checkReadable(path: string): Promise<number> {
  const info = await onFile(stat(path))
  if (info.isDirectory()) throw new MienError('file-is-folder')
  if (!info.isFile()) throw new MienError('file-unreadable')
  await onFile(access(path, constants.R_OK))
  if (info.size === 0) throw new MienError('file-empty')
  return info.size
}

/** The text of a file. @throws MienError as `checkReadable`; `tooLarge` for more than `maxBytes` */
export async function readSmallText(path: string, maxBytes: number, tooLarge: MienError): Promise<string> {
  if ((await checkReadable(path)) > maxBytes) throw tooLarge
  return onFile(readFile(path, 'utf8'))
}
