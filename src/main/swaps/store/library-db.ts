/**
 * @file Opens the library database and migrates its schema. A damaged file is moved aside and its name reported, so
 * that nothing is overwritten; a file of a newer version is refused.
 */
import { existsSync, readdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MienError } from '@shared/errors.ts'
import { brokenDatabase, isBrokenDatabase } from '../../machine/disk/sqlite.ts'
import { migrate, refuseNewer, versionOf, type Migration, type Versions } from '../../machine/disk/migrate.ts'
import { addConsents } from '../../media/consent-store.ts'
import { addLabels, listAll } from './listed.ts'

/** Entry n migrates a database of version n to n + 1. */
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
  // Uploads to a bucket. Kept after the swap until they are cleaned up.
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
  // Jobs to end at services. Earlier versions asked only once, so add all finished ones.
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
  // Results on their way into the user's folder (tables.ts). Kept after the swap until they are cleaned up.
  `
  CREATE TABLE fetches (
    task_id TEXT PRIMARY KEY,
    part TEXT NOT NULL,
    path TEXT
  ) STRICT;
  `,
  listAll,
  // More pictures of a swap's face, and where they were uploaded.
  `
  CREATE TABLE task_pictures (
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    media_id TEXT NOT NULL,
    PRIMARY KEY (task_id, media_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX task_pictures_by_media ON task_pictures (media_id);
  ALTER TABLE outbox ADD COLUMN picture_urls TEXT;
  `,
  // People of videos (media/people/people-store.ts), and the clips of the people whom a swap replaces (tables.ts).
  `
  CREATE TABLE people (
    fingerprint TEXT PRIMARY KEY,
    path TEXT NOT NULL,
    scan TEXT,
    scan_version INTEGER NOT NULL DEFAULT 0,
    corrections TEXT,
    aside TEXT NOT NULL DEFAULT '[]',
    used_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE task_casts (
    task_id TEXT PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
    clips TEXT NOT NULL
  ) STRICT;
  `,
  addLabels,
  addConsents,
  // Uploads in chunks to services.
  `
  CREATE TABLE begun_uploads (
    profile_id TEXT NOT NULL,
    media_id TEXT NOT NULL REFERENCES media (id) ON DELETE CASCADE,
    upload_id TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL,
    PRIMARY KEY (profile_id, media_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX begun_uploads_by_media ON begun_uploads (media_id);
  `,
]

export const libraryVersion = migrations.length

/** Whether the library has the table `listed` (see listed.ts), added in version 5. */
export const isListed = (db: DatabaseSync): boolean => versionOf(db) >= 5
/** Whether it has tags, favourites and sets (see listed.ts), added in version 8. */
export const hasLabels = (db: DatabaseSync): boolean => versionOf(db) >= 8

/** Whether the library has the table `consents`, added in version 9. */
export const hasConsents = (db: DatabaseSync): boolean => versionOf(db) >= 9
const versions: Versions = { data: 'library', migrations }

export interface OpenedLibrary {
  db: DatabaseSync
  /** File name of the backup when a damaged library was moved aside; else null. */
  backup: string | null
}

/**
 * Whether the file was truncated to zero bytes. SQLite treats an empty file as a new database, but media or service
 * files beside it prove that a library existed.
 */
function isEmptied(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.size !== 0) return false
  const beside = (name: string): string => join(dirname(path), name)
  const hasMedia = existsSync(beside('media')) && readdirSync(beside('media')).length > 0
  return hasMedia || existsSync(beside('service')) || existsSync(`${path}-wal`)
}

/** Bytes that can be checked in a few milliseconds. */
const quicklyChecked = 16 * 1024 * 1024

/** Whether to check the whole file: small files always, large ones only after a crash. */
const wantsCheck = (path: string): boolean =>
  // SQLite removes its WAL when the last connection closes.
  existsSync(`${path}-wal`) || (statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= quicklyChecked

function open(path: string): DatabaseSync {
  if (isEmptied(path)) throw brokenDatabase('The file is empty.')
  const wanted = wantsCheck(path)
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 5000 })
  try {
    // Before any write: a newer version may use another journal mode.
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
 * Opens or creates the library at `path`. A damaged file is renamed to `<path>.broken-<time>` and a new one is created.
 * A database of a newer Mien is refused unchanged (`data-newer`). Other errors on opening, e.g. disk full, are thrown
 * as SQLite's error.
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
 * Opens the library read-only; another Mien may be using it. Null: there is no library yet.
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

/** Maps a damaged-file error to `data-damaged`; returns other errors unchanged. */
export const nameDamage = (error: unknown): unknown =>
  isBrokenDatabase(error) ? new MienError('data-damaged', {}, { cause: error }) : error
