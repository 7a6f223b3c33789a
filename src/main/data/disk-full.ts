import { MienError } from '@shared/errors.ts'

/** SQLITE_FULL, https://www.sqlite.org/rescode.html#full */
const databaseFull = 13

/** Whether there was no room for what was to be written: a file's error, or a database's. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) return true
  // The upper bytes say more of where it happened.
  return 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === databaseFull
}

/** An error that came from a full disk, by its name; any other as it is. */
export const nameDiskFull = (error: unknown): unknown =>
  isDiskFull(error) ? new MienError('disk-full', {}, { cause: error }) : error
