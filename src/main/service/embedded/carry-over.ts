/** @file Moves the swaps and uploads of the service's own tables, which it had before it used those of servers. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from '../../machine/disk/files.ts'
import type { Database } from '../cluster/database/database.ts'
import { storeFile, type BlobStorage } from '../cluster/storage/blob-storage.ts'
import type { SwapFile } from '../cluster/work-queue.ts'
import { resultFiles } from '../jobs/job.ts'

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

/**
 * Does nothing if it was done before. If it is interrupted, it begins again.
 * @param dir of the service
 */
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
