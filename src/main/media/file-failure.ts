/** @file Maps file system errors to error codes. */
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
