/** SQLITE_CORRUPT and SQLITE_NOTADB, https://www.sqlite.org/rescode.html */
const broken: readonly number[] = [11, 26]

/** SQLite's primary error code; 0 for other errors. */
export const sqliteCode = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0

/** Whether the file itself is damaged, as opposed to a full disk, a lock or missing permissions. */
export const isBrokenDatabase = (error: unknown): boolean => broken.includes(sqliteCode(error))

/** Creates an error for damage reported by a check. */
export const brokenDatabase = (found: string): Error => Object.assign(new Error(found), { errcode: broken[0] })
