import type { DatabaseSync } from 'node:sqlite'

/** Runs `work` in one transaction; rolls back when it throws. Must not be nested. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const value = work()
    db.exec('COMMIT')
    return value
  } catch (error) {
    // On disk full SQLite has already rolled back.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
