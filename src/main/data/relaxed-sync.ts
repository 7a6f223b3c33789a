import type { DatabaseSync } from 'node:sqlite'

/**
 * Does `work` without waiting for the disk, for which everyone in this process would wait. What it writes outlives a crash,
 * and a power cut as soon as any later write was waited for: for what would be learned again. In a transaction that is
 * under way it is written with that. The databases are opened with `synchronous = FULL`; with NORMAL a write-ahead log
 * stays sound (https://www.sqlite.org/pragma.html#pragma_synchronous).
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
