/** @file The embedded service's database: opening, schema migrations, and recovery from a damaged file. */
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { brokenDatabase, isBrokenDatabase, withRelaxedSync } from '../../machine/disk/sqlite.ts'
import { migrate, refuseNewer, versionOf, type Versions } from '../../machine/disk/migrate.ts'
import { openLocked } from '../cluster/database/sqlite.ts'

/** Entry n migrates a database of version n to n + 1. User ids are text, because SQLite's integers are signed. */
const migrations: readonly string[] = [
  `
  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    mask TEXT NOT NULL,
    last_four TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT;
  CREATE TABLE assets (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE jobs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    object_id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    status TEXT NOT NULL,
    idempotency_key TEXT,
    request_hash TEXT,
    deleted_at INTEGER,
    data TEXT NOT NULL,
    UNIQUE (user_id, idempotency_key)
  ) STRICT;
  CREATE INDEX jobs_by_status ON jobs (status);
  `,
  // Keys are in memory only (KeyStore).
  'DROP TABLE keys',
  // Clips of a job's cast, in its order. Apart from the job, which is parsed with each status request.
  'CREATE TABLE job_clips (object_id TEXT PRIMARY KEY, clips TEXT NOT NULL) STRICT',
  // From here on the tables are those of servers (cluster/database/schema.ts); carry-over.ts moves the rows.
  `
  ALTER TABLE assets RENAME TO old_assets;
  ALTER TABLE jobs RENAME TO old_jobs;
  ALTER TABLE job_clips RENAME TO old_clips;
  `,
]

const versions: Versions = { data: 'service', migrations }

function open(path: string): DatabaseSync {
  const prepare = (db: DatabaseSync): void => {
    const check = db.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
    if (check !== 'ok') throw brokenDatabase(String(check))
    // New tables are on the disk before anything that is written later. On a slow disk each wait takes a second.
    if (versionOf(db) === 0) withRelaxedSync(db, () => migrate(db, path, versions))
    else migrate(db, path, versions)
  }
  return openLocked(path, prepare, (db) => refuseNewer(db, versions))
}

/**
 * Opens `service.db` in `dir`. A damaged file is moved aside and its journal removed; `backup` is its new name. Throws
 * `internal` with reason `in-use` when another process uses it, `data-newer` when a newer Mien made it.
 */
export function openServiceDb(dir: string, now: number): { db: DatabaseSync; backup: string | null } {
  const path = join(dir, 'service.db')
  try {
    return { db: open(path), backup: null }
  } catch (error) {
    if (!isBrokenDatabase(error)) throw error
    const backup = `service-${String(now)}.broken.db`
    renameSync(path, join(dir, backup))
    for (const tail of ['-wal', '-shm']) rmSync(path + tail, { force: true })
    return { db: open(path), backup }
  }
}
