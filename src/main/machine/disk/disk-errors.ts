/** @file Maps errors of writing files. */
import { dirname } from 'node:path'
import { MienError, type ErrorCode } from '@shared/errors.ts'
import { isDiskFull } from './disk-full.ts'
import { freeBytes } from './free-bytes.ts'

const codes: Readonly<Record<string, ErrorCode>> = {
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
  const known = codes[reason]
  return known ? new MienError(known, {}, cause) : new MienError('save-failed', { reason }, cause)
}

/** Rejects as `saveFailure`, so that errors of the disk are not mistaken for errors of the network. */
export const onDisk = <T>(work: Promise<T>, path: string): Promise<T> =>
  work.catch(async (error: unknown) => {
    throw await saveFailure(error, path)
  })
