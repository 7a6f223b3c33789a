import type { DatabaseSync } from 'node:sqlite'

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
