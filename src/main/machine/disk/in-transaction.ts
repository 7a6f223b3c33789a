import type { DatabaseSync } from 'node:sqlite'

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
