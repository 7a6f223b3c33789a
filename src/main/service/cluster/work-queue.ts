/**
 * @file The queue in the shared tables. A worker leases a swap and renews the lease while it works. Its reports are
 * ignored after the lease has ended: each lease has a number, and an expired swap is leased again with a new number.
 * Leases expire by the database's clock, because the clocks of the machines may differ.
 *
 * A swap's place in the queue is part of its row, so that state and place always match. Creators take turns.
 */
import { MienError, toErrorBody, type ErrorBody } from '@shared/errors.ts'
import type { JobClips } from '../backend.ts'
import { jobClips, type Job } from '../jobs/job.ts'
import type { Live } from '../jobs/task-item.ts'
import { listOf, nowSql, type Database, type Row, type Sql } from './database/database.ts'
import { drop } from './dropped-blobs.ts'
import { checkVideo } from './limits.ts'
import { jobColumns, jobOf, toJson } from './swap-row.ts'

/** A swap's file in the storage. */
export interface SwapFile {
  /** `work/segment-0000.bin`, `result/output.mp4`, `footage/cover.jpg`, `after-12.jpg`. */
  name: string
  /** Its name in the storage (`BlobStorage`). */
  blob: string
  size: number
}

export interface Lease {
  job: Job
  clips: JobClips
  /** Number of the lease. */
  attempt: number
  /** Files that earlier leases stored. */
  files: SwapFile[]
  /** Names in the storage of the swap's uploads, by id. */
  uploads: ReadonlyMap<string, string>
}

export interface WorkerId {
  /** Unique among all workers. */
  id: string
  /** Engine version. A swap can only be continued by the same version. */
  engine: string
  /** The computer's name, for display. */
  host: string
}

/** A worker's report while it works. */
export interface Report {
  live?: Live
  footage?: Job['footage']
  saved?: Job['saved']
  /** New files, or new versions of files. */
  files?: readonly SwapFile[]
  /** Names of removed files. */
  gone?: readonly string[]
}

export interface WorkQueue {
  /** Leases the next swap to a worker; null: there is none now. */
  claim(worker: WorkerId): Promise<Lease | null>
  /** Calls `listener` when there may be a swap to claim. @returns a function that removes the listener */
  onWork(listener: () => void): () => void
  /** Renews the lease and stores a report. False: stop, because the lease has ended or a limit is reached. */
  report(lease: Lease, report: Report): Promise<boolean>
  /** Stores the result and its files, and drops the files of the work. False: the lease has ended. */
  complete(lease: Lease, result: NonNullable<Job['result']>, files: readonly SwapFile[]): Promise<boolean>
  /** Ends the swap with an error. */
  fail(lease: Lease, error: ErrorBody): Promise<void>
  /**
   * Returns the swap to the queue. @param waitMs delay before its next lease
   * @param crashed counts as a crash; too many crashes fail the swap
   */
  release(lease: Lease, options?: { waitMs?: number; crashed?: boolean }): Promise<void>
}

/** Much longer than the time between reports, which is a second or two. */
const leaseMs = 30_000
/** Max leases in a row that end without progress. */
const maxCrashes = 5
/** Delay after the first crash. Each further crash doubles it. */
const firstWaitMs = 1000
/** If no worker of an engine version was seen for this long, its swaps start again with another version. */
const engineGoneMs = 10 * 60_000
/** Max tries to claim a swap, because other workers may claim the same one. */
const maxTries = 100
/** Max files in a statement. */
const batchSize = 500

const isWork = (name: string): boolean => name.startsWith('work/')

export class SqlWorkQueue implements WorkQueue {
  readonly #db: Database
  readonly #now: string

  constructor(db: Database) {
    this.#db = db
    this.#now = nowSql[db.kind]
  }

  onWork(listener: () => void): () => void {
    return this.#db.onWake(listener)
  }

  claim(worker: WorkerId): Promise<Lease | null> {
    return this.#db.transaction(async (sql) => {
      await sql.query(
        `INSERT INTO workers (id, engine, host, seen_at) VALUES ($1, $2, $3, ${this.#now})
           ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
        [worker.id, worker.engine, worker.host],
      )
      for (let tries = 0; tries < maxTries; tries += 1) {
        const next = (await this.#ended(sql, worker)) ?? (await this.#waiting(sql, worker))
        if (!next) return null
        const lease = await this.#take(sql, worker, next)
        if (lease) return lease
      }
      return null
    })
  }

  /** A swap with an expired lease. It comes first, because its creator's turn was already counted. */
  async #ended(sql: Sql, { engine }: WorkerId): Promise<Row | undefined> {
    const [row] = await sql.query(
      `SELECT s.seq, s.status, s.crashes, s.engine FROM swaps s
         WHERE s.status = 'processing' AND s.lease_until < ${this.#now} AND ${this.#fits}
         ORDER BY s.lease_until LIMIT 1`,
      [engine],
    )
    return row
  }

  /** The first swap of the creator whose turn it is. */
  async #waiting(sql: Sql, { engine }: WorkerId): Promise<Row | undefined> {
    const waiting = `s.user_id = c.user_id AND s.status = 'queued' AND s.paused = 0
      AND s.not_before <= ${this.#now} AND ${this.#fits}`
    const [row] = await sql.query(
      `SELECT seq, status, crashes, engine FROM swaps WHERE seq = (
         SELECT (SELECT s.seq FROM swaps s WHERE ${waiting} ORDER BY coalesce(s.position, s.seq), s.seq LIMIT 1)
           FROM creators c WHERE EXISTS (SELECT 1 FROM swaps s WHERE ${waiting}) ORDER BY c.turn, c.user_id LIMIT 1)`,
      [engine],
    )
    return row
  }

  /** SQL condition: the worker's engine ($1) can make the swap `s`. */
  get #fits(): string {
    return `(s.engine IS NULL OR s.engine = $1 OR NOT EXISTS (
      SELECT 1 FROM workers w WHERE w.engine = s.engine AND w.seen_at > ${this.#now} - ${String(engineGoneMs)}))`
  }

  /** Null: another worker has claimed it, or the swap crashed too often. */
  async #take(sql: Sql, worker: WorkerId, { seq, status, crashes, engine }: Row): Promise<Lease | null> {
    const isEnded = status === 'processing'
    const still = isEnded
      ? `status = 'processing' AND lease_until < ${this.#now}`
      : `status = 'queued' AND paused = 0 AND deleted_at IS NULL`
    if (isEnded && Number(crashes) + 1 >= maxCrashes) {
      await sql.query(
        `UPDATE swaps SET status = 'failed', error = $2, lease_until = NULL, live = NULL, crashes = 0,
           updated_at = ${this.#now}, ended_at = ${this.#now} WHERE seq = $1 AND ${still}`,
        [Number(seq), JSON.stringify({ code: 'engine-crashed', details: {} })],
      )
      return null
    }
    const before = typeof engine === 'string' ? engine : null
    const isOther = before !== null && before !== worker.engine
    const [row] = await sql.query(
      `UPDATE swaps SET status = 'processing', worker = $2, engine = $3, attempt = attempt + 1, live = NULL,
         crashes = crashes + ${isEnded ? '1' : '0'}, saved = ${isOther ? 'NULL' : 'saved'},
         lease_until = ${this.#now} + ${String(leaseMs)}, updated_at = ${this.#now}
         WHERE seq = $1 AND ${still} AND engine IS NOT DISTINCT FROM $4 RETURNING ${jobColumns}, attempt, clips`,
      [Number(seq), worker.id, worker.engine, before],
    )
    if (!row) return null
    const job = jobOf(row)
    if (isOther) await dropFiles(sql, job.objectId, `name LIKE 'work/%'`)
    if (!isEnded)
      await sql.query(
        'UPDATE creators SET turn = (SELECT coalesce(max(turn), 0) + 1 FROM creators) WHERE user_id = $1',
        [job.userId],
      )
    const clips = typeof row['clips'] === 'string' ? jobClips.parse(JSON.parse(row['clips'])) : { cast: [], stay: [] }
    const attempt = Number(row['attempt'])
    const files = attempt === 1 ? [] : await filesOf(sql, job.objectId)
    return { job, clips, attempt, files, uploads: await uploadsOf(sql, job.objectId) }
  }

  report({ job, attempt }: Lease, { live, footage, saved, files = [], gone = [] }: Report): Promise<boolean> {
    const store = async (sql: Sql): Promise<boolean> => {
      if (footage && !(await this.#maySwap(sql, job, attempt))) return false
      const [row] = await sql.query(
        `UPDATE swaps SET lease_until = ${this.#now} + ${String(leaseMs)}, updated_at = ${this.#now},
           live = coalesce($3, live), footage = coalesce($4, footage), saved = coalesce($5, saved),
           crashes = CASE WHEN $5 IS NULL THEN crashes ELSE 0 END
           WHERE object_id = $1 AND attempt = $2 AND status = 'processing' RETURNING seq, worker`,
        [job.objectId, attempt, toJson(live ?? null), toJson(footage ?? null), toJson(saved ?? null)],
      )
      if (!row) return false
      await sql.query(`UPDATE workers SET seen_at = ${this.#now} WHERE id = $1`, [String(row['worker'])])
      await putFiles(sql, job.objectId, files)
      if (gone.length > 0) await dropFiles(sql, job.objectId, `name IN (${listOf(gone, 2)})`, gone)
      return true
    }
    return this.#db.transaction(store)
  }

  /** False: this video exceeds the creator's limit, and the swap has failed. */
  async #maySwap(sql: Sql, { objectId, userId }: Job, attempt: number): Promise<boolean> {
    const [known] = await sql.query('SELECT 1 FROM swaps WHERE object_id = $1 AND footage IS NOT NULL', [objectId])
    if (known) return true
    try {
      await checkVideo(sql, this.#db.kind, userId)
      return true
    } catch (error) {
      if (!(error instanceof MienError)) throw error
      await this.#fail(sql, objectId, attempt, toErrorBody(error))
      return false
    }
  }

  complete({ job, attempt }: Lease, result: NonNullable<Job['result']>, files: readonly SwapFile[]): Promise<boolean> {
    return this.#db.transaction(async (sql) => {
      const [row] = await sql.query(
        `UPDATE swaps SET status = 'completed', paused = 0, result = $3, error = NULL, live = NULL, lease_until = NULL,
           checked = 0, crashes = 0, updated_at = ${this.#now}, ended_at = ${this.#now}
           WHERE object_id = $1 AND attempt = $2 AND status = 'processing' RETURNING seq`,
        [job.objectId, attempt, JSON.stringify(result)],
      )
      if (row) {
        const kept = files.filter(({ name }) => !isWork(name))
        const scratch = `name LIKE 'work/%' OR name LIKE 'before-%' OR name LIKE 'after-%'`
        await dropFiles(sql, job.objectId, scratch)
        await putFiles(sql, job.objectId, kept)
        return true
      }
      // An earlier try may have succeeded although its answer was lost.
      const [done] = await sql.query(
        `SELECT seq FROM swaps WHERE object_id = $1 AND attempt = $2 AND status = 'completed'`,
        [job.objectId, attempt],
      )
      return done !== undefined
    })
  }

  fail({ job, attempt }: Lease, error: ErrorBody): Promise<void> {
    return this.#fail(this.#db, job.objectId, attempt, error)
  }

  async #fail(sql: Sql, objectId: string, attempt: number, error: ErrorBody): Promise<void> {
    await sql.query(
      `UPDATE swaps SET status = 'failed', error = $3, live = NULL, lease_until = NULL, updated_at = ${this.#now},
         ended_at = ${this.#now} WHERE object_id = $1 AND attempt = $2 AND status = 'processing'`,
      [objectId, attempt, JSON.stringify(error)],
    )
  }

  async release({ job, attempt }: Lease, { waitMs = 0, crashed = false } = {}): Promise<void> {
    const isLast = `$4 = 1 AND crashes + 1 >= ${String(maxCrashes)}`
    await this.#db.query(
      `UPDATE swaps SET status = CASE WHEN ${isLast} THEN 'failed' ELSE 'queued' END,
         error = CASE WHEN ${isLast} THEN $5 ELSE NULL END,
         ended_at = CASE WHEN ${isLast} THEN ${this.#now} ELSE NULL END,
         not_before = ${this.#now} + $3 + $4 * ${String(firstWaitMs)} * CAST(power(2, crashes) AS BIGINT),
         crashes = crashes + $4, live = NULL, lease_until = NULL, updated_at = ${this.#now}
         WHERE object_id = $1 AND attempt = $2 AND status = 'processing'`,
      [job.objectId, attempt, waitMs, crashed ? 1 : 0, JSON.stringify({ code: 'engine-crashed', details: {} })],
    )
    this.#db.wake()
  }
}

export async function filesOf(sql: Sql, objectId: string): Promise<SwapFile[]> {
  const rows = await sql.query('SELECT name, blob, size FROM swap_files WHERE object_id = $1 ORDER BY name', [objectId])
  return rows.map((row) => ({ name: String(row['name']), blob: String(row['blob']), size: Number(row['size']) }))
}

async function uploadsOf(sql: Sql, objectId: string): Promise<Map<string, string>> {
  const rows = await sql.query(
    'SELECT a.id, a.blob FROM asset_uses u JOIN assets a ON a.id = u.asset_id WHERE u.object_id = $1',
    [objectId],
  )
  return new Map(rows.map((row) => [String(row['id']), String(row['blob'])]))
}

/** @param condition on `swap_files`; its values begin with `$2` */
async function dropFiles(sql: Sql, objectId: string, condition: string, values: readonly string[] = []): Promise<void> {
  const rows = await sql.query(`DELETE FROM swap_files WHERE object_id = $1 AND (${condition}) RETURNING blob`, [
    objectId,
    ...values,
  ])
  await drop(sql, rows)
}

async function putFiles(sql: Sql, objectId: string, files: readonly SwapFile[]): Promise<void> {
  for (let from = 0; from < files.length; from += batchSize) {
    const some = files.slice(from, from + batchSize)
    const [names, blobs] = [some.map(({ name }) => name), some.map(({ blob }) => blob)]
    // Drop the versions before, but not a file that was put twice.
    const before = `name IN (${listOf(names, 2)}) AND blob NOT IN (${listOf(blobs, 2 + names.length)})`
    await dropFiles(sql, objectId, before, [...names, ...blobs])
    const rows = some.map((_, at) => `($1, ${listOf(['name', 'blob', 'size'], 2 + 3 * at)})`)
    await sql.query(
      `INSERT INTO swap_files (object_id, name, blob, size) VALUES ${rows.join(', ')}
         ON CONFLICT (object_id, name) DO NOTHING`,
      [objectId, ...some.flatMap(({ name, blob, size }) => [name, blob, size])],
    )
  }
}
