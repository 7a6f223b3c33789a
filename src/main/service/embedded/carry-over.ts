/** @file Moves the swaps and uploads of the service's own tables, which it had before it used those of servers. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { exists } from '../../machine/disk/files.ts'
import type { Database, Row, Sql } from '../cluster/database/database.ts'
import { storeFile, type BlobStorage } from '../cluster/storage/blob-storage.ts'
import { toJson, wishOf } from '../cluster/swap-row.ts'
import type { SwapFile } from '../cluster/work-queue.ts'
import { jobSchema, resultFiles, sourcesOf } from '../jobs/job.ts'

/** Files that the database lists of a swap. Its work stays in its folder. */
const listed = [...new Set(resultFiles.values())]

/**
 * Does nothing if it was done before. If it is interrupted, it begins again.
 * @param dir of the service
 */
export async function carryOver(db: Database, storage: BlobStorage, dir: string): Promise<void> {
  const [old] = await db.query(`SELECT name FROM sqlite_master WHERE name = 'old_jobs'`)
  if (!old) return
  const assets = await db.query('SELECT * FROM old_assets')
  const jobs = await db.query(`SELECT o.*, c.clips FROM old_jobs o LEFT JOIN old_clips c USING (object_id)
    ORDER BY coalesce(data ->> 'position', seq), seq`)
  const stored = await storeAll(storage, dir, [
    ...assets.map((row) => join('assets', String(row['id']))),
    ...jobs.flatMap((row) => listed.map((name) => join('jobs', String(row['object_id']), name))),
  ])
  await db.transaction(async (sql) => {
    for (const row of assets) {
      const file = stored.get(join('assets', String(row['id'])))
      if (file) await addAsset(sql, row, file)
    }
    for (const [index, row] of jobs.entries()) {
      const files = listed.flatMap((name) => {
        const file = stored.get(join('jobs', String(row['object_id']), name))
        return file ? [{ ...file, name }] : []
      })
      await addSwap(sql, row, index + 1, files)
    }
    for (const name of ['old_assets', 'old_jobs', 'old_clips']) await sql.query(`DROP TABLE ${name}`)
  })
  await rm(join(dir, 'assets'), { recursive: true, force: true })
}

/** Stores those of these files that exist. @returns by path in `dir` */
async function storeAll(storage: BlobStorage, dir: string, paths: readonly string[]): Promise<Map<string, SwapFile>> {
  const stored = new Map<string, SwapFile>()
  for (const path of paths)
    if (await exists(join(dir, path))) stored.set(path, await storeFile(storage, path, join(dir, path), { sync: true }))
  return stored
}

const addAsset = (sql: Sql, row: Row, { blob, size }: SwapFile): Promise<Row[]> =>
  sql.query('INSERT INTO assets (id, user_id, name, blob, size, created_at) VALUES ($1, $2, $3, $4, $5, $6)', [
    ...[String(row['id']), String(row['user_id']), String(row['name'])],
    ...[blob, size, Number(row['created_at'])],
  ])

const textSchema = z.string().nullable()

/** @param turn its place among all */
async function addSwap(sql: Sql, row: Row, turn: number, files: readonly SwapFile[]): Promise<void> {
  const job = jobSchema.parse(JSON.parse(String(row['data'])))
  const { objectId, userId } = job
  await sql.query(
    'INSERT INTO creators (user_id, turn) VALUES ($1, $2) ON CONFLICT (user_id) DO UPDATE SET turn = excluded.turn',
    [userId, turn],
  )
  const [idempotencyKey, clips] = [textSchema.parse(row['idempotency_key']), textSchema.parse(row['clips'])]
  const result = job.status === 'completed' ? job.result : null
  await sql.query(
    `INSERT INTO swaps (seq, object_id, user_id, idempotency_key, request_hash, status, paused, turn, created_at,
       updated_at, ended_at, deleted_at, footage, saved, result, error, checked, attempt, clips, data)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 1, 1, $17, $18)`,
    [
      ...[Number(row['seq']), objectId, userId, idempotencyKey, String(row['request_hash']), job.status],
      ...[job.paused ? 1 : 0, turn, job.createdAt, job.updatedAt, job.endedAt, job.deletedAt],
      ...[toJson(job.footage), toJson(job.saved), toJson(result), toJson(job.error), clips, wishOf(job)],
    ],
  )
  if (job.deletedAt !== null) return
  for (const source of sourcesOf(job))
    if (source.kind === 'asset')
      await sql.query(
        `INSERT INTO asset_uses (asset_id, object_id) SELECT id, $2 FROM assets WHERE id = $1
           ON CONFLICT (asset_id, object_id) DO NOTHING`,
        [source.id, objectId],
      )
  for (const { name, blob, size } of files)
    await sql.query('INSERT INTO swap_files (object_id, name, blob, size) VALUES ($1, $2, $3, $4)', [
      ...[objectId, name, blob, size],
    ])
}
