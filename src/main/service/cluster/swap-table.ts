/** @file The swaps of the shared tables, for the routes. */
import { MienError } from '@shared/errors.ts'
import { isDiskFull } from '../../machine/disk/disk-errors.ts'
import {
  isOpen,
  sourcesOf,
  type Job,
  type JobClips,
  type NewJob,
  type Live,
  changeSwap,
  hasWork,
  jobColumns,
  jobOf,
  liveOf,
  toJson,
  wishOf,
} from './job.ts'
import { record } from './key-table.ts'
import { listOf, type Database, type Place, type Row, type Sql, placeColumns } from './database/database.ts'
import { drop, removeDropped, type BlobStorage } from './storage/blob-storage.ts'
import { checkSwaps, lockCreator, hasPassed, nextTurn } from './creators.ts'

export interface SwapTableDeps {
  db: Database
  storage: BlobStorage
  /** Checks the result of a completed swap. Until that is done, the swap is shown as running. Absent: none is checked. */
  check?: (objectId: string) => void
}

/** How long a cancelled swap can be resumed. */
const resumableMs = 10 * 60_000
/** Max swaps that are deleted at once. */
const batchSize = 200

/** A job as clients see it. */
export interface ShownJob {
  job: Job
  /** Number of the job at this service, from 1. */
  seq: number
  live: Live | null
}

/** The job that a create request made. */
interface Made {
  objectId: string
  /** Of the request's content. */
  requestHash: string
}

/** Undoes a transaction, because a condition is no longer true. */
class Unchanged extends Error {}

export class SwapTable {
  readonly #db: Database

  constructor(private readonly deps: SwapTableDeps) {
    this.#db = deps.db
  }

  /** Jobs of one user, in this order; unknown ones and those of others are left out. */
  async find(userId: string, objectIds: readonly string[]): Promise<ShownJob[]> {
    if (objectIds.length === 0) return []
    const rows = await this.#db.query(
      `SELECT ${jobColumns} FROM swaps WHERE user_id = $1 AND object_id IN (${listOf(objectIds, 2)})`,
      [userId, ...objectIds],
    )
    const found = new Map(rows.map((row) => [row['objectId'], this.#shown(row)]))
    return objectIds.flatMap((id) => found.get(id) ?? [])
  }

  #shown(row: Row): ShownJob {
    const job = jobOf(row)
    const seq = Number(row['seq'])
    const { result } = job
    if (job.status !== 'completed' || !result || row['checked'] === 1 || job.deletedAt !== null)
      return { seq, job, live: liveOf(row) }
    this.deps.check?.(job.objectId)
    return { seq, job: { ...job, status: 'processing', result: null, endedAt: null }, live: finishing(result) }
  }

  /** The job that this user's idempotency key created; null when there is none. */
  async made(userId: string, idempotencyKey: string): Promise<Made | null> {
    const [made = null] = await this.#db.query<Made>(
      `SELECT object_id AS "objectId", request_hash AS "requestHash" FROM swaps
         WHERE user_id = $1 AND idempotency_key = $2`,
      [userId, idempotencyKey],
    )
    return made
  }

  /**
   * Adds a job to the queue, with the clips of its cast. If one was made with this idempotency key meanwhile, returns
   * that. @throws MienError `file-missing`; as `checkSwaps`
   */
  async add(job: NewJob, idempotencyKey: string | null, requestHash: string, clips: JobClips | null): Promise<Made> {
    const { objectId, userId } = job
    const assets = [...new Set(sourcesOf(job).flatMap((source) => (source.kind === 'asset' ? [source.id] : [])))]
    const added = await this.#db.transaction(async (sql) => {
      const limits = await lockCreator(sql, userId)
      const turn = await nextTurn(sql, userId)
      const [place] = await sql.query<Place>(
        `INSERT INTO swaps (object_id, user_id, idempotency_key, request_hash, status, turn, created_at, updated_at, clips, data)
           VALUES ($1, $2, $3, $4, 'queued', $5, now_ms(), now_ms(), $6, $7)
           ON CONFLICT (user_id, idempotency_key) DO NOTHING RETURNING ${placeColumns}`,
        [objectId, userId, idempotencyKey, requestHash, turn, toJson(clips), wishOf(job)],
      )
      if (!place) return false
      for (const id of assets) {
        const [used] = await sql.query(
          `INSERT INTO asset_uses (asset_id, object_id) SELECT id, $2 FROM assets WHERE id = $1 RETURNING asset_id`,
          [id, objectId],
        )
        // It was removed in the meantime.
        if (!used) throw new MienError('file-missing')
      }
      await checkSwaps(sql, userId, limits)
      await this.#db.jobs.send(sql, place)
      return true
    })
    const made = added || idempotencyKey === null ? null : await this.made(userId, idempotencyKey)
    return made ?? { objectId, requestHash }
  }

  /** Cancels a queued or running job; others stay unchanged. It can be resumed for some minutes. */
  cancel(job: Job): Promise<Job> {
    return this.#stop(job, `status = 'cancelled', ended_at = now_ms(), live = NULL`)
  }

  /** Pauses a queued or running job; partial work stays. */
  pause(job: Job): Promise<Job> {
    return this.#stop(job, `status = 'queued', paused = 1, live = NULL`)
  }

  /** Takes an open swap out of the queue and changes it. */
  #stop({ objectId }: Job, change: string): Promise<Job> {
    return this.#db.transaction(async (sql) => {
      await this.#db.jobs.cancel(sql, objectId)
      await changeSwap(sql, objectId, `${change}, updated_at = now_ms()`, `status IN ('queued', 'processing')`)
      return this.#read(sql, objectId)
    })
  }

  async #read(sql: Sql, objectId: string): Promise<Job> {
    const [row] = await sql.query(`SELECT ${jobColumns} FROM swaps WHERE object_id = $1`, [objectId])
    if (!row) throw new MienError('not-found')
    return jobOf(row)
  }

  /** Resumes a paused or cancelled job, or a failed one with partial work. */
  resume({ objectId, userId }: Job): Promise<Job> {
    return this.#db.transaction(async (sql) => {
      const place = await changeSwap(
        ...([sql, objectId] as const),
        `status = 'queued', paused = 0, error = NULL, ended_at = NULL, tries = 0, updated_at = now_ms()`,
        `deleted_at IS NULL AND ((status = 'queued' AND paused = 1) OR status = 'cancelled'
           OR (status = 'failed' AND ${hasWork}))`,
      )
      if (place) {
        // A turn that has passed would come before those of other creators.
        const turn = (await hasPassed(sql, place.turn, userId)) ? await nextTurn(sql, userId) : place.turn
        await this.#setTurn(sql, objectId, turn)
        await this.#db.jobs.send(sql, { ...place, turn })
      }
      return this.#read(sql, objectId)
    })
  }

  async #setTurn(sql: Sql, objectId: string, turn: number): Promise<void> {
    await changeSwap(sql, objectId, 'turn = $2, updated_at = now_ms()', 'TRUE', [turn])
  }

  /** Puts jobs of one user in this order; those that have ended stay unchanged. */
  async reorder(jobs: readonly Job[]): Promise<void> {
    const open = jobs.filter(isOpen)
    await this.#db.transaction(async (sql) => {
      await this.#db.jobs.lockOrder(sql)
      const rows = await sql.query<Place & { status: string; paused: number }>(
        `SELECT status, paused, ${placeColumns} FROM swaps WHERE object_id IN (${listOf(open)})
           AND status IN ('queued', 'processing')`,
        open.map(({ objectId }) => objectId),
      )
      const now = new Map(rows.map((row) => [row.objectId, row]))
      const turns = rows.map(({ turn }) => turn).toSorted((a, b) => a - b)
      const ordered = open.flatMap(({ objectId }) => now.get(objectId) ?? [])
      for (const [at, place] of ordered.entries()) {
        const turn = turns[at] ?? place.turn
        await this.#db.jobs.update(sql, { ...place, turn })
        await this.#setTurn(sql, place.objectId, turn)
      }
      // Stop a running swap that is now behind a waiting one. Its work is kept, and it resumes when its turn comes.
      const running = ordered.findLastIndex(({ status }) => status === 'processing')
      const isBehind = ordered
        .slice(0, Math.max(0, running))
        .some(({ status, paused }) => status === 'queued' && paused === 0)
      const last = ordered[running]
      if (last && isBehind) {
        await this.#db.jobs.cancel(sql, last.objectId)
        const place = await changeSwap(sql, last.objectId, `status = 'queued', live = NULL`)
        if (place) await this.#db.jobs.send(sql, place)
      }
    })
  }

  /** Also removes its files, and uploads that no other job uses. @param actor id of the key, for the audit log */
  async delete({ objectId }: Pick<Job, 'objectId'>, actor: string): Promise<void> {
    await this.#delete(objectId, actor).catch(async (error: unknown) => {
      if (!isDiskFull(error)) throw error
      // The database has space again only when the files are gone.
      await this.#removeFiles(objectId)
      await this.#delete(objectId, actor)
    })
  }

  /** Removes the stored files of one swap, which stay listed. */
  async #removeFiles(objectId: string): Promise<void> {
    const rows = await this.#db.query(
      `SELECT blob FROM swap_files WHERE object_id = $1
         UNION SELECT a.blob FROM assets a JOIN asset_uses u ON u.asset_id = a.id
           GROUP BY a.id, a.blob HAVING min(u.object_id) = $1 AND max(u.object_id) = $1`,
      [objectId],
    )
    for (const row of rows) await this.deps.storage.remove(String(row['blob']))
  }

  /** Deletes swaps that were cancelled some minutes ago, or ended before the retention. False: there are more. */
  async deleteOld(retentionMs: number): Promise<boolean> {
    const old = `ended_at < now_ms() - CASE status WHEN 'cancelled' THEN ${String(resumableMs)} ELSE ${String(retentionMs)} END`
    const rows = await this.#db.query(
      `SELECT object_id FROM swaps WHERE ended_at IS NOT NULL AND deleted_at IS NULL AND ${old} LIMIT ${String(batchSize)}`,
    )
    for (const row of rows) await this.#delete(String(row['object_id']), 'server', `ended_at IS NOT NULL AND ${old}`)
    return rows.length < batchSize
  }

  /** @param condition must still be true when it is deleted */
  async #delete(objectId: string, actor: string, condition = 'TRUE'): Promise<void> {
    const blobs = await this.#db
      .transaction(async (sql) => {
        await this.#db.jobs.cancel(sql, objectId)
        const isOpen = `status IN ('queued', 'processing')`
        const swap = await changeSwap(
          ...([sql, objectId] as const),
          `status = CASE WHEN ${isOpen} THEN 'cancelled' ELSE status END, deleted_at = now_ms(), live = NULL,
             ended_at = coalesce(ended_at, now_ms()), updated_at = now_ms(), clips = NULL`,
          `deleted_at IS NULL AND ${condition}`,
        )
        // Otherwise its job would be gone.
        if (!swap) throw new Unchanged()
        await record(sql, { actor, action: 'swap-deleted', subject: objectId })
        const used = await sql.query('DELETE FROM asset_uses WHERE object_id = $1 RETURNING asset_id', [objectId])
        const ids = used.map((row) => String(row['asset_id']))
        const assets = await sql.query(
          `DELETE FROM assets WHERE id IN (${listOf(ids)})
             AND NOT EXISTS (SELECT 1 FROM asset_uses u WHERE u.asset_id = assets.id) RETURNING blob`,
          ids,
        )
        const files = await sql.query('DELETE FROM swap_files WHERE object_id = $1 RETURNING blob', [objectId])
        return drop(sql, [...files, ...assets])
      })
      .catch((error: unknown) => {
        if (error instanceof Unchanged) return []
        throw error
      })
    // With SQLite there are few others, and no previews of this swap stay until housekeeping.
    await removeDropped(this.#db, this.deps.storage, this.#db.kind === 'sqlite' ? undefined : blobs)
  }
}

/** All frames are done. */
const finishing = ({ frames, swappedFrames, workFps, durationMs }: NonNullable<Job['result']>): Live => ({
  progress: {
    ...{ stage: 'finishing', footage: null, framesDone: frames, framesTotal: frames, framesSwapped: swappedFrames },
    ...{ workFps, etaMs: null, previewFrame: null, savedMs: durationMs },
  },
  previewFrame: null,
})
