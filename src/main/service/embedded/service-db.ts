/** @file The embedded service's database: opening, migrations of its old tables, and recovery from a damaged file. */
import { renameSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { brokenDatabase, isBrokenDatabase, withRelaxedSync } from '../../machine/disk/sqlite.ts'
import { migrate, refuseNewer, versionOf, type Migration, type Versions } from '../../machine/disk/migrate.ts'
import { exists } from '../../machine/disk/files.ts'
import type { Database } from '../cluster/database/database.ts'
import { openLocked } from '../cluster/database/sqlite.ts'
import { storeFile, type BlobStorage } from '../cluster/storage/blob-storage.ts'
import type { SwapFile } from '../cluster/work-queue.ts'
import { resultFiles } from '../cluster/job.ts'

/** Entry n migrates a database of version n to n + 1. */
const migrations: readonly Migration[] = [
  // A new database has none of the tables of the first release.
  () => undefined,
  // Keys are in memory only.
  'DROP TABLE IF EXISTS keys',
  'CREATE TABLE job_clips (object_id TEXT PRIMARY KEY, clips TEXT NOT NULL) STRICT',
  // From here on the tables are those of servers (cluster/database/schema.ts); carryOver moves the rows.
  (db) => {
    const isOld = db.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'jobs'`).get() !== undefined
    const renamed = { assets: 'old_assets', jobs: 'old_jobs', job_clips: 'old_clips' }
    if (!isOld) db.exec('DROP TABLE job_clips')
    else for (const [name, old] of Object.entries(renamed)) db.exec(`ALTER TABLE ${name} RENAME TO ${old}`)
  },
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

/** Files that the database lists of a swap. Its work stays in its folder. */
const listed = [...new Set(resultFiles.values())]

/** Old jobs, which keep their order. */
const jobs = `(SELECT *, row_number() OVER (ORDER BY coalesce(data ->> 'position', seq), seq) AS turn FROM old_jobs)`

/** A part of a job that is structured, as text. */
const part = (name: string): string => `nullif(data -> '${name}', 'null')`

const moves: readonly string[] = [
  `INSERT INTO creators (user_id, turn) SELECT user_id, max(turn) FROM ${jobs} GROUP BY user_id`,
  `INSERT INTO swaps (seq, object_id, user_id, idempotency_key, request_hash, status, paused, turn, created_at,
       updated_at, ended_at, deleted_at, footage, saved, result, error, checked, attempt, clips, data)
     SELECT seq, object_id, user_id, idempotency_key, request_hash, data ->> 'status', coalesce(data ->> 'paused', 0),
       turn, data ->> 'createdAt', data ->> 'updatedAt', data ->> 'endedAt', data ->> 'deletedAt', ${part('footage')},
       ${part('saved')}, CASE data ->> 'status' WHEN 'completed' THEN ${part('result')} END, ${part('error')}, 1, 1,
       clips, data
     FROM ${jobs} LEFT JOIN old_clips USING (object_id)`,
  `INSERT INTO asset_uses (asset_id, object_id) SELECT DISTINCT a.id, s.object_id
     FROM swaps s JOIN json_tree(s.data) t ON t.key = 'id' JOIN assets a ON a.id = t.value WHERE s.deleted_at IS NULL`,
]

/** Moves the swaps and uploads of the old tables, once. If it is interrupted, it begins again. @param dir of the service */
export async function carryOver(db: Database, storage: BlobStorage, dir: string): Promise<void> {
  const [old] = await db.query(`SELECT name FROM sqlite_master WHERE name = 'old_jobs'`)
  if (!old) return
  const uploads = await db.query<{ id: string }>('SELECT id FROM old_assets')
  const assets = await storeAll(
    storage,
    join(dir, 'assets'),
    uploads.map(({ id }) => id),
  )
  const swaps = await db.query<{ id: string }>(
    `SELECT object_id AS id FROM old_jobs WHERE data ->> 'deletedAt' IS NULL`,
  )
  const files: (SwapFile & { id: string })[] = []
  for (const { id } of swaps)
    files.push(...(await storeAll(storage, join(dir, 'jobs', id), listed)).map((file) => ({ ...file, id })))
  await db.transaction(async (sql) => {
    for (const { name: id, blob, size } of assets)
      await sql.query(
        `INSERT INTO assets (id, user_id, name, blob, size, created_at)
           SELECT id, user_id, name, $2, $3, created_at FROM old_assets WHERE id = $1`,
        [id, blob, size],
      )
    for (const move of moves) await sql.query(move)
    for (const { id, name, blob, size } of files)
      await sql.query('INSERT INTO swap_files (object_id, name, blob, size) VALUES ($1, $2, $3, $4)', [
        ...[id, name, blob, size],
      ])
    for (const name of ['old_assets', 'old_jobs', 'old_clips']) await sql.query(`DROP TABLE ${name}`)
  })
  await rm(join(dir, 'assets'), { recursive: true, force: true })
}

/** Stores those of these files that exist. */
async function storeAll(storage: BlobStorage, dir: string, names: readonly string[]): Promise<SwapFile[]> {
  const files: SwapFile[] = []
  for (const name of names)
    if (await exists(join(dir, name))) files.push(await storeFile(storage, name, join(dir, name), { sync: true }))
  return files
}
