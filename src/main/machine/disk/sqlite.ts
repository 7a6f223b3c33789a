/** @file SQLite: rows, transactions and errors. Rows have the names that the code uses: the column `task_id` is `taskId`. */
import type { SQLInputValue, StatementSync, DatabaseSync } from 'node:sqlite'

/** A row as `get` and `all` of a statement return it, with names for its columns. */
export const named = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )

const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Adds a row, or changes the one that has the same `keys`. */
export function putRow(
  prepare: (sql: string) => StatementSync,
  table: string,
  row: Readonly<Record<string, SQLInputValue>>,
  keys: readonly string[],
): void {
  const names = Object.keys(row)
  const changes = names.filter((name) => !keys.includes(name)).map(columnOf)
  prepare(
    `INSERT INTO ${table} (${names.map(columnOf).join(', ')}) VALUES (${names.map(() => '?').join(', ')})
       ON CONFLICT (${keys.map(columnOf).join(', ')})
       DO UPDATE SET ${changes.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  ).run(...Object.values(row))
}

/** A function so that TypeScript doesn't narrow the value across statements. */
const isOpen = (db: DatabaseSync): boolean => db.isTransaction

/** Runs `work` in one transaction; rolls back when it throws. In an open transaction `work` joins that one. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  if (isOpen(db)) return work()
  db.exec('BEGIN IMMEDIATE')
  try {
    const value = work()
    db.exec('COMMIT')
    return value
  } catch (error) {
    // On disk full SQLite has already rolled back.
    if (isOpen(db)) db.exec('ROLLBACK')
    throw error
  }
}

/**
 * Runs `work` with `synchronous = NORMAL`, so that it doesn't block the process on fsync. Writes survive a crash but
 * may be lost on power failure until the next FULL commit: use it only for data that can be recovered. In an open
 * transaction `work` just joins that one. Databases are opened with `synchronous = FULL`; with NORMAL a WAL stays
 * consistent (https://www.sqlite.org/pragma.html#pragma_synchronous).
 */
export function withRelaxedSync<T>(db: DatabaseSync, work: () => T): T {
  if (db.isTransaction) return work()
  db.exec('PRAGMA synchronous = NORMAL')
  try {
    return work()
  } finally {
    db.exec('PRAGMA synchronous = FULL')
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, https://www.sqlite.org/rescode.html */
const broken: readonly number[] = [11, 26]

/** SQLite's primary error code; 0 for other errors. */
export const sqliteCode = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0

/** Whether the file itself is damaged, as opposed to a full disk, a lock or missing permissions. */
export const isBrokenDatabase = (error: unknown): boolean => broken.includes(sqliteCode(error))

/** Creates an error for damage reported by a check. */
export const brokenDatabase = (found: string): Error => Object.assign(new Error(found), { errcode: broken[0] })
