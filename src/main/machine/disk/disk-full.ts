import { MienError } from '@shared/mien-error.ts'

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
