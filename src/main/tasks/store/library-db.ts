/**
 * @file The library's database: opening, its schema's version, and what happens when the file is
 * broken (moved aside with its name told, so that nothing is overwritten) or newer than this app (refused).
 */
import { existsSync, readdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MienError } from '@shared/errors.ts'
import { brokenDatabase, isBrokenDatabase } from '../../data/broken-database.ts'
import { migrate, refuseNewer, type Migration, type Versions } from '../../data/migrate.ts'
import { listAll } from './listed.ts'

/** One entry per version; entry n brings a database of version n to n + 1. */
const migrations: readonly Migration[] = [
  `
  CREATE TABLE media (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    path TEXT NOT NULL,
    sha256 TEXT,
    info TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE confirmed_faces (sha256 TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;
  CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    profile_id TEXT NOT NULL,
    object_id TEXT,
    state TEXT NOT NULL,
    removed_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    data TEXT NOT NULL,
    record TEXT
  ) STRICT;
  CREATE INDEX tasks_by_state ON tasks (state, profile_id) WHERE removed_at IS NULL;
  CREATE TABLE outbox (
    task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL,
    image_url TEXT,
    video_url TEXT,
    sent_at INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE timings (
    profile_id TEXT NOT NULL,
    frames INTEGER,
    video_ms INTEGER NOT NULL,
    pixels INTEGER NOT NULL,
    took_ms INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  `,
  // Uploads to a bucket. They outlive their swap until they are cleared up.
  `
  CREATE TABLE uploads (
    task_id TEXT NOT NULL,
    media_id TEXT NOT NULL,
    profile_id TEXT NOT NULL,
    key TEXT NOT NULL,
    upload_id TEXT,
    part_bytes INTEGER NOT NULL,
    parts TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL,
    done INTEGER NOT NULL,
    PRIMARY KEY (task_id, media_id)
  ) STRICT;
  `,
  // Jobs that a service still has to be asked to end. Versions before asked once only, so all finished ones are asked for.
  `
  CREATE TABLE jobs_to_end (
    profile_id TEXT NOT NULL,
    object_id TEXT NOT NULL,
    end_by TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (profile_id, object_id)
  ) STRICT;
  CREATE INDEX outbox_unanswered ON outbox (task_id) WHERE sent_at IS NOT NULL;
  INSERT OR IGNORE INTO jobs_to_end (profile_id, object_id, end_by)
    SELECT profile_id, object_id, 'delete' FROM tasks
      WHERE state = 'kept' AND profile_id = 'this-computer' AND object_id IS NOT NULL;
  `,
  // Results on their way into the user's folder (fetch-records.ts). They outlive their swap until they are cleared up.
  `
  CREATE TABLE fetches (
    task_id TEXT PRIMARY KEY,
    part TEXT NOT NULL,
    path TEXT
  ) STRICT;
  `,
  listAll,
]

export const libraryVersion = migrations.length

/** Whether the library has the table `listed` (see listed.ts), which came with version 5. */
export const isListed = (db: DatabaseSync): boolean =>
  Number(db.prepare('PRAGMA user_version').get()?.['user_version']) >= 5
const versions: Versions = { data: 'library', migrations }

export interface OpenedLibrary {
  db: DatabaseSync
  /** File name of the copy, when a broken library was moved aside. */
  backup: string | null
}

/**
 * Whether the file lost all that was in it. To SQLite an empty file is a new database; but where swaps were made, or media
 * were added, there was a library.
 */
function isEmptied(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.size !== 0) return false
  const beside = (name: string): string => join(dirname(path), name)
  const hasMedia = existsSync(beside('media')) && readdirSync(beside('media')).length > 0
  return hasMedia || existsSync(beside('service')) || existsSync(`${path}-wal`)
}

/** So much is checked in a few milliseconds. */
const quicklyChecked = 16 * 1024 * 1024

/** Whether the file has to be checked from end to end: always a small one, a large one only after a run that broke off. */
const wantsCheck = (path: string): boolean =>
  // SQLite removes its log when the last connection is closed.
  existsSync(`${path}-wal`) || (statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= quicklyChecked

function open(path: string): DatabaseSync {
  if (isEmptied(path)) throw brokenDatabase('The file is empty.')
  const wanted = wantsCheck(path)
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 5000 })
  try {
    // Before anything is written: another version may want another journal.
    refuseNewer(db, versions)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    if (wanted) {
      const check = db.prepare('PRAGMA quick_check(1)').get()
      if (check?.['quick_check'] !== 'ok') throw brokenDatabase(String(check?.['quick_check']))
    }
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens (or makes) the library at `path`. A file that is not a sound SQLite database is renamed to
 * `<path>.broken-<time>` and a new one is made; a database from a newer Mien is left untouched and refused
 * (`data-newer`), and so is one that only cannot be opened now, on a full disk say (SQLite's error).
 */
export function openLibrary(path: string, now: number): OpenedLibrary {
  let backup: string | null = null
  let db: DatabaseSync
  try {
    db = open(path)
  } catch (error) {
    if (!isBrokenDatabase(error)) throw error
    const moved = `${path}.broken-${String(now)}`
    renameSync(path, moved)
    for (const suffix of ['-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, moved + suffix)
    backup = moved.split(/[\\/]/).at(-1) ?? moved
    db = open(path)
  }
  try {
    migrate(db, path, versions)
  } catch (error) {
    db.close()
    throw error
  }
  return { db, backup }
}

/**
 * Opens a library beside a Mien that may be using it. Null: there is none yet.
 * @throws MienError `data-damaged`, `data-newer`
 */
export function openForReading(path: string): DatabaseSync | null {
  if (!existsSync(path)) return null
  try {
    if (isEmptied(path)) throw brokenDatabase('The file is empty.')
    const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
    try {
      refuseNewer(db, versions)
      if (isMade(db)) return db
      db.close()
      return null
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    throw nameDamage(error)
  }
}

const isMade = (db: DatabaseSync): boolean =>
  db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'tasks'").get() !== undefined

/** An error that came from a damaged file, by its name; any other as it is. */
export const nameDamage = (error: unknown): unknown =>
  isBrokenDatabase(error) ? new MienError('data-damaged', {}, { cause: error }) : error

/** Runs `work` in one transaction; rolls back when it throws. Not to be nested. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const value = work()
    db.exec('COMMIT')
    return value
  } catch (error) {
    // A full disk has ended it already.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
