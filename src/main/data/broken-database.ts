/** SQLITE_CORRUPT and SQLITE_NOTADB, https://www.sqlite.org/rescode.html */
const broken: readonly number[] = [11, 26]

/** SQLite's primary code; 0 for any other error. */
export const sqliteCode = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0

/** Whether the file itself is at fault: not a full disk, nor a lock, nor a right that is missing. */
export const isBrokenDatabase = (error: unknown): boolean => broken.includes(sqliteCode(error))

/** For what SQLite finds in a check instead of throwing it. */
export const brokenDatabase = (found: string): Error => Object.assign(new Error(found), { errcode: broken[0] })
