/** @file Error codes for files that can't be read. */
import { access, constants, stat } from 'node:fs/promises'
import { MienError, type ErrorCode } from '@shared/errors.ts'

const codes: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'file-missing',
  ENOTDIR: 'file-missing',
  EACCES: 'file-unreadable',
  EPERM: 'file-unreadable',
}

/** Other errors, such as a removed drive or an unresponsive network folder, become `file-unreachable`. */
export function fileFailure(error: unknown): MienError {
  if (error instanceof MienError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return new MienError(codes[code] ?? 'file-unreachable', { reason: code === '' ? null : code }, { cause: error })
}

/** @throws MienError, for a folder, an empty file, or one that can't be read */
export async function checkReadable(path: string): Promise<void> {
  const info = await stat(path).catch((error: unknown) => {
    throw fileFailure(error)
  })
  if (info.isDirectory()) throw new MienError('file-is-folder')
  if (!info.isFile()) throw new MienError('file-unreadable')
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw fileFailure(error)
  })
  if (info.size === 0) throw new MienError('file-empty')
}
