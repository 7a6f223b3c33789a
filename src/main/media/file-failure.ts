/** @file What it means when the disk does not give a file. */
import { MienError, type ErrorCode } from '@shared/errors.ts'

const codes: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'file-missing',
  ENOTDIR: 'file-missing',
  EACCES: 'file-unreadable',
  EPERM: 'file-unreadable',
}

/** A drive that was pulled out, a network folder that does not answer and the like are `file-unreachable`. */
export function fileFailure(error: unknown): MienError {
  if (error instanceof MienError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return new MienError(codes[code] ?? 'file-unreachable', { reason: code === '' ? null : code }, { cause: error })
}
