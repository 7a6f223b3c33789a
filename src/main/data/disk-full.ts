/** SQLITE_FULL, https://www.sqlite.org/rescode.html#full */
const databaseFull = 13

/** Whether there was no room for what was to be written: a file's error, or a database's. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')) return true
  // The upper bytes say more of where it happened.
  return 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === databaseFull
}
