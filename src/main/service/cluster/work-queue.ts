/**
 * @file What workers do to swaps of the shared tables: take the next one, report, and end it. Each attempt has a number.
 * Reports count only while theirs is the newest, so a worker that was cut off can't change a swap that another one has.
 */
import { MienError, toErrorBody, type ErrorBody } from '@shared/errors.ts'
import { jobClips, type Job, type JobClips, type Live, changeSwap, hasWork, jobColumns, jobOf, toJson } from './job.ts'
import { listOf, type Database, type Sql, isSeen, maxTries, type Attempt } from './database/database.ts'
import { drop } from './storage/blob-storage.ts'
import { checkVideo, noteTurn } from './creators.ts'

/** A swap's file in the storage. */
export interface SwapFile {
  /** `work/segment-0000.bin`, `result/output.mp4`, `footage/cover.jpg`, `after-12.jpg`. */
  name: string
  /** Its name in the storage (`BlobStorage`). */
  blob: string
  size: number
}

export interface Lease {
  worker: WorkerId
  job: Job
  clips: JobClips
  /** Number of the attempt. */
  attempt: number
  /** In the queue. */
  entry: Attempt
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

/** Max swaps to look at until one is found that this worker can make. */
const maxLooks = 100
/** Max files in a statement. */
const batchSize = 500
/** Delay after the first crash. Each further crash doubles it. */
const firstWaitMs = 1000
const crashed: ErrorBody = { code: 'engine-crashed', details: {} }
/** Errors that the user can mend. Then the swap continues from its work. */
const mendable: readonly string[] = ['disk-full', 'file-unreachable', 'file-missing']

/** SQL condition: the swap waits or runs, so it has a job. */
const isOpen = `status IN ('queued', 'processing') AND paused = 0 AND deleted_at IS NULL`

/** Time between two notes that a worker is there. Much shorter than the time in `isSeen`, and in `queueMetrics`. */
const noteMs = 30_000

/** What a power failure may undo: the swap is then made again from the engine's last checkpoint. */
const recoverable = { isRecoverable: true }

/** SQL condition: the lease's attempt is the newest, and the swap runs. */
const isNewest = ({ attempt }: Lease): string => `attempt = ${String(attempt)} AND status = 'processing'`

/** As `Jobs.send` expects it to be. */
const waiting = `status = 'queued', live = NULL`

export class WorkQueue {
  /** Whether workers of other processes take swaps from it, and continue them. */
  readonly isShared: boolean
  /** When each worker was noted, by its id, on `performance.now()`. */
  readonly #noted = new Map<string, number>()

  constructor(private readonly db: Database) {
    this.isShared = db.kind === 'postgres'
  }

  /** As `Jobs.onSend`. */
  onWork(listener: (objectId?: string) => void): () => void {
    return this.db.jobs.onSend(listener)
  }

  /** Leases the next swap to a worker; null: there is none now. */
  async claim(worker: WorkerId): Promise<Lease | null> {
    await this.#note(worker)
    return this.db.transaction(async (sql) => {
      for (let looks = 0; looks < maxLooks; looks += 1) {
        const entry = await this.db.jobs.fetch(sql, worker.engine)
        if (!entry) return null
        const lease = await this.#take(sql, worker, entry)
        if (lease) return lease
      }
      return null
    }, recoverable)
  }

  /** Notes now and then that a worker is there. */
  async #note({ id, engine, host }: WorkerId): Promise<void> {
    const now = performance.now()
    if (now - (this.#noted.get(id) ?? -Infinity) < noteMs) return
    await this.db.query(
      `INSERT INTO workers (id, engine, host, seen_at) VALUES ($1, $2, $3, now_ms())
         ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
      [id, engine, host],
    )
    this.#noted.set(id, now)
  }

  /** Null: another engine version has to continue the swap, or it isn't open. */
  async #take(sql: Sql, worker: WorkerId, entry: Attempt): Promise<Lease | null> {
    const { objectId } = entry
    // At once, because waiting for the database takes longer than its work.
    const [[row], files, uploads] = await Promise.all([
      sql.query(
        `UPDATE swaps SET status = 'processing', worker = $2, engine = $3, attempt = attempt + 1, tries = tries + 1,
           live = NULL, updated_at = now_ms()
           WHERE object_id = $1 AND ${isOpen} AND coalesce(engine, $3) = $3 RETURNING ${jobColumns}, attempt, clips`,
        [objectId, worker.id, worker.engine],
      ),
      filesOf(sql, objectId),
      uploadsOf(sql, objectId),
      noteTurn(sql, objectId),
    ])
    if (row) {
      const clips = typeof row['clips'] === 'string' ? jobClips.parse(JSON.parse(row['clips'])) : { cast: [], stay: [] }
      return { worker, job: jobOf(row), clips, attempt: Number(row['attempt']), entry, files, uploads }
    }
    if (await this.#startAgain(sql, objectId)) return this.#take(sql, worker, entry)
    await this.#giveBack(sql, objectId)
    return null
  }

  /** Removes the work of an engine version that no worker has any more. False: there are some. */
  async #startAgain(sql: Sql, objectId: string): Promise<boolean> {
    const isServed = `EXISTS (SELECT 1 FROM workers w WHERE w.engine = swaps.engine AND ${isSeen})`
    const isGone = this.isShared ? `NOT ${isServed}` : 'TRUE'
    const swap = await changeSwap(sql, objectId, 'engine = NULL, saved = NULL', `${isOpen} AND ${isGone}`)
    if (swap) await dropFiles(sql, objectId, `name LIKE 'work/%'`)
    return swap !== undefined
  }

  /** Leaves a swap to the workers that can continue it, or takes it out of the queue if it isn't open. */
  async #giveBack(sql: Sql, objectId: string): Promise<void> {
    const place = await changeSwap(sql, objectId, waiting, isOpen)
    if (place) await this.db.jobs.send(sql, place)
    else await this.db.jobs.cancel(sql, objectId)
  }

  /** Renews the lease and stores a report. False: stop, because the lease has ended or a limit is reached. */
  async report(lease: Lease, { live, footage, saved, files = [], gone = [] }: Report): Promise<boolean> {
    const { objectId } = lease.job
    await this.#note(lease.worker)
    return this.db.transaction(async (sql) => {
      if (!(await this.db.jobs.touch(sql, lease.entry))) return false
      if (footage && !(await this.#maySwap(sql, lease))) return false
      const set = `updated_at = now_ms(), live = coalesce($2, live), footage = coalesce($3, footage),
        saved = coalesce($4, saved), tries = CASE WHEN $4 IS NULL THEN tries ELSE 0 END`
      const values = [live, footage, saved].map((value) => toJson(value ?? null))
      if (!(await changeSwap(sql, objectId, set, isNewest(lease), values))) return false
      await putFiles(sql, objectId, files)
      if (gone.length > 0) await dropFiles(sql, objectId, `name IN (${listOf(gone, 2)})`, gone)
      return true
    }, recoverable)
  }

  /** False: this video exceeds the creator's limit, and the swap has failed. */
  async #maySwap(sql: Sql, lease: Lease): Promise<boolean> {
    const { objectId, userId } = lease.job
    const [known] = await sql.query('SELECT 1 FROM swaps WHERE object_id = $1 AND footage IS NOT NULL', [objectId])
    if (known) return true
    try {
      await checkVideo(sql, userId)
      return true
    } catch (error) {
      if (!(error instanceof MienError)) throw error
      await this.#fail(sql, lease, toErrorBody(error))
      return false
    }
  }

  /** Stores the result and its files, and drops the files of the work. False: the lease has ended. */
  complete(lease: Lease, result: NonNullable<Job['result']>, files: readonly SwapFile[]): Promise<boolean> {
    const { objectId } = lease.job
    const set = `status = 'completed', paused = 0, result = $2, error = NULL, live = NULL,
      checked = ${this.isShared ? '0' : '1'}, tries = 0, updated_at = now_ms(), ended_at = now_ms()`
    return this.db.transaction(async (sql) => {
      const isOurs = await this.db.jobs.complete(sql, lease.entry)
      if (isOurs && (await changeSwap(sql, objectId, set, isNewest(lease), [JSON.stringify(result)]))) {
        await dropFiles(sql, objectId, `name LIKE 'work/%' OR name LIKE 'before-%' OR name LIKE 'after-%'`)
        const kept = files.filter(({ name }) => !name.startsWith('work/'))
        await putFiles(sql, objectId, kept)
        return true
      }
      // An earlier call may have succeeded although its answer was lost.
      const [done] = await sql.query(
        `SELECT seq FROM swaps WHERE object_id = $1 AND attempt = $2 AND status = 'completed'`,
        [objectId, lease.attempt],
      )
      return done !== undefined
    })
  }

  /** Ends the swap with an error. Its work is kept if the user can resume it. */
  fail(lease: Lease, error: ErrorBody): Promise<void> {
    return this.db.transaction((sql) => this.#fail(sql, lease, error))
  }

  async #fail(sql: Sql, lease: Lease, error: ErrorBody): Promise<void> {
    const { objectId } = lease.job
    if (!(await this.db.jobs.complete(sql, lease.entry))) return
    if (!(await this.#failRow(sql, objectId, error, isNewest(lease))) || mendable.includes(error.code)) return
    await changeSwap(sql, objectId, 'saved = NULL')
    await dropFiles(sql, objectId, `name LIKE 'work/%'`)
  }

  /** @param condition must be true. @returns whether the swap has failed */
  async #failRow(sql: Sql, objectId: string, error: ErrorBody, condition: string): Promise<boolean> {
    const set = `status = 'failed', error = $2, live = NULL, tries = 0, updated_at = now_ms(), ended_at = now_ms()`
    return (await changeSwap(sql, objectId, set, condition, [JSON.stringify(error)])) !== undefined
  }

  /**
   * Returns the swap to the queue. @param waitMs delay before its next attempt
   * @param isCrash waits longer after each crash; too many crashes without progress fail the swap
   */
  release(lease: Lease, { waitMs = 0, isCrash = false } = {}): Promise<void> {
    const { entry, job } = lease
    const tries = isCrash ? 'tries' : 'CASE WHEN tries > 0 THEN tries - 1 ELSE 0 END'
    return this.db.transaction(async (sql) => {
      if (!(await this.db.jobs.touch(sql, entry))) return
      const set = `${waiting}, updated_at = now_ms(), tries = ${tries}`
      const place = await changeSwap(sql, job.objectId, set, isNewest(lease))
      if (!place) return
      if (!isCrash) await this.db.jobs.send(sql, place, waitMs)
      else if (place.tries < maxTries) await this.db.jobs.send(sql, place, firstWaitMs * 2 ** (place.tries - 1))
      else {
        await this.db.jobs.complete(sql, entry)
        await this.#failRow(sql, job.objectId, crashed, 'TRUE')
      }
    })
  }

  /** Fails a swap whose last try failed, or queues it again if a try has made progress. */
  async failOrRetry(objectId: string): Promise<void> {
    await this.db.transaction(async (sql) => {
      if (await this.#failRow(sql, objectId, crashed, `${isOpen} AND tries >= ${String(maxTries)}`)) return
      await this.#giveBack(sql, objectId)
    })
  }

  /** Call it when the only worker makes no swap: one that seems to run was interrupted, and waits again. */
  async queueInterrupted(): Promise<void> {
    await this.db.query(`UPDATE swaps SET ${waiting} WHERE status = 'processing'`)
  }

  /** The swap that found the disk full at most `ms` ago, and that its user hasn't resumed; null: none. */
  async foundDiskFull(ms: number): Promise<string | null> {
    const [row] = await this.db.query<{ id: string }>(
      `SELECT object_id AS id FROM swaps WHERE status = 'failed' AND deleted_at IS NULL
         AND error LIKE '%"disk-full"%' AND ended_at > now_ms() - $1 ORDER BY ended_at DESC LIMIT 1`,
      [ms],
    )
    return row?.id ?? null
  }

  /** Those of these swaps that run, or may still run. */
  async unfinished(objectIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.db.query(
      `SELECT object_id FROM swaps WHERE object_id IN (${listOf(objectIds)}) AND deleted_at IS NULL
         AND (status IN ('queued', 'processing', 'cancelled') OR (status = 'failed' AND ${hasWork}))`,
      objectIds,
    )
    return new Set(rows.map((row) => String(row['object_id'])))
  }

  /** Continues swaps that a server with this database as its own left running, or fails those that ended it too often. */
  async continueInterrupted(): Promise<void> {
    const rows = await this.db.query(`SELECT object_id FROM swaps WHERE status = 'processing'`)
    for (const row of rows) await this.failOrRetry(String(row['object_id']))
  }
}

export const filesOf = (sql: Sql, objectId: string): Promise<SwapFile[]> =>
  sql.query<SwapFile>('SELECT name, blob, size FROM swap_files WHERE object_id = $1 ORDER BY name', [objectId])

async function uploadsOf(sql: Sql, objectId: string): Promise<Map<string, string>> {
  const rows = await sql.query<{ id: string; blob: string }>(
    'SELECT a.id, a.blob FROM asset_uses u JOIN assets a ON a.id = u.asset_id WHERE u.object_id = $1',
    [objectId],
  )
  return new Map(rows.map(({ id, blob }) => [id, blob]))
}

/** @param condition on `swap_files`; its values begin with `$2` */
async function dropFiles(sql: Sql, objectId: string, condition: string, values: readonly string[] = []): Promise<void> {
  const statement = `DELETE FROM swap_files WHERE object_id = $1 AND (${condition}) RETURNING blob`
  await drop(sql, await sql.query(statement, [objectId, ...values]))
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
