/**
 * @file Removes data that is no longer needed; one server at a time does this. Also checks results before clients can
 * download them: each is read once and compared with the hash at the start of its name. A swap with a wrong result is
 * made again.
 */
import { createHash } from 'node:crypto'
import type { ErrorBody } from '@shared/errors.ts'
import { listOf, type Database } from './database/database.ts'
import { drop, removeDropped, hashOf, type BlobStorage } from './storage/blob-storage.ts'
import { changeSwap } from './job.ts'
import type { SwapTable } from './swap-table.ts'

export interface HousekeepingDeps {
  db: Database
  storage: BlobStorage
  swaps: SwapTable
  /** Age at which finished swaps are deleted. */
  retentionMs: number
  log: (message: string, error?: unknown) => void
}

const hourMs = 3_600_000
const dayMs = 86_400_000
/** Min time for which the row of a deleted swap is kept. */
const minRowMs = 30 * dayMs
const auditMs = 365 * dayMs
/** Max names per lookup, and max rows per deletion. */
const batchSize = 500
/** Max wrong results of a swap before it fails. */
const maxBadResults = 5
/** Delay before a swap is made again after its second wrong result. */
const waitMs = 10_000
const unreadable: ErrorBody = { code: 'result-unreadable', details: {} }

export class Housekeeping {
  #end: (() => void) | undefined
  #running: Promise<void> = Promise.resolve()
  /** Completed swaps whose results are to be checked. */
  readonly #unchecked = new Set<string>()
  #checking: Promise<void> | null = null
  #stopped = false

  constructor(private readonly deps: HousekeepingDeps) {}

  async start(): Promise<void> {
    this.#end = await this.deps.db.jobs.everyMinute(() => this.run())
  }

  /** Does everything that is due. Failures are logged, and the next run retries. */
  run(): Promise<void> {
    this.#running = this.#running.then(async () => {
      try {
        await this.#everyMinute()
        if (!(await this.#isHourly())) return
        await this.removeUnusedUploads()
        await this.removeOldRows()
        await this.removeStrayBlobs()
      } catch (error) {
        if (!this.#stopped) this.deps.log('housekeeping failed', error)
      }
    })
    return this.#running
  }

  async #everyMinute(): Promise<void> {
    const { db, storage, swaps, retentionMs } = this.deps
    // Those that no client has asked for.
    const unchecked = await db.query<{ id: string }>(
      `SELECT object_id AS id FROM swaps WHERE status = 'completed' AND checked = 0 AND deleted_at IS NULL
         ORDER BY ended_at LIMIT 100`,
    )
    for (const { id } of unchecked) this.checkResult(id)
    while (!this.#stopped && !(await swaps.deleteOld(retentionMs)));
    await removeDropped(db, storage)
    await db.query(`DELETE FROM workers WHERE seen_at < now_ms() - ${String(dayMs)}`)
  }

  /** Whether the hourly cleanup is due. */
  async #isHourly(): Promise<boolean> {
    const [row] = await this.deps.db.query(
      `INSERT INTO facts (name, value) VALUES ('swept-at', CAST(now_ms() AS TEXT))
         ON CONFLICT (name) DO UPDATE SET value = excluded.value
           WHERE CAST(facts.value AS BIGINT) < now_ms() - ${String(hourMs)} RETURNING name`,
    )
    return row !== undefined && !this.#stopped
  }

  /** Removes rows of swaps that were deleted long ago, and old entries of the audit log. */
  async removeOldRows(): Promise<void> {
    const { db, retentionMs } = this.deps
    // Keep rows for a while, because a repeated create has to find its swap.
    const keepMs = Math.max(retentionMs, minRowMs)
    for (let rows = batchSize; rows === batchSize && !this.#stopped;) {
      const old = `SELECT seq FROM swaps WHERE deleted_at < now_ms() - ${String(keepMs)} LIMIT ${String(batchSize)}`
      rows = (await db.query(`DELETE FROM swaps WHERE seq IN (${old}) RETURNING seq`)).length
    }
    await db.query(`DELETE FROM audit WHERE at < now_ms() - ${String(auditMs)}`)
  }

  /** Removes unused and unfinished uploads that are older than a day. */
  async removeUnusedUploads(): Promise<void> {
    const { db, storage } = this.deps
    const isOld = (column: string): string => `${column} < now_ms() - ${String(dayMs)}`
    const unused = `NOT EXISTS (SELECT 1 FROM asset_uses u WHERE u.asset_id = assets.id)`
    await db.transaction(async (sql) => {
      await drop(sql, await sql.query(`DELETE FROM assets WHERE ${isOld('created_at')} AND ${unused} RETURNING blob`))
      const old = `SELECT id FROM uploads WHERE ${isOld('changed_at')}`
      await drop(sql, await sql.query(`DELETE FROM upload_chunks WHERE upload_id IN (${old}) RETURNING blob`))
      await sql.query(`DELETE FROM uploads WHERE ${isOld('changed_at')}`)
    })
    await removeDropped(db, storage)
  }

  /** Removes stored files without a row that are older than a day, e.g. the work of a lost lease. */
  async removeStrayBlobs(): Promise<void> {
    const { db, storage } = this.deps
    const [{ before } = { before: 0 }] = await db.query<{ before: number }>(
      `SELECT now_ms() - ${String(dayMs)} AS before`,
    )
    const names: string[] = []
    for await (const { name, storedAt } of storage.list()) {
      if (this.#stopped) return
      if (storedAt < before) names.push(name)
      if (names.length === batchSize) await this.#removeStray(names.splice(0))
    }
    await this.#removeStray(names)
  }

  async #removeStray(names: readonly string[]): Promise<void> {
    const of = (table: string): string => `SELECT blob FROM ${table} WHERE blob IN (${listOf(names)})`
    const rows = await this.deps.db.query(['swap_files', 'assets', 'upload_chunks'].map(of).join(' UNION '), names)
    const used = new Set(rows.map((row) => row['blob']))
    for (const name of names) if (!used.has(name)) await this.deps.storage.remove(name)
  }

  /** Schedules the check of a completed swap's result. One at a time, because each check reads a whole file. */
  checkResult(objectId: string): void {
    this.#unchecked.add(objectId)
    this.#checking ??= this.#checkAll()
  }

  async #checkAll(): Promise<void> {
    // Also goes over those that are added meanwhile.
    for (const objectId of this.#unchecked) {
      await this.#check(objectId).catch((error: unknown) => {
        // The next request for the swap retries.
        if (!this.#stopped) this.deps.log('a result could not be checked', error)
      })
      this.#unchecked.delete(objectId)
      if (this.#stopped) return
    }
    this.#checking = null
  }

  async #check(objectId: string): Promise<void> {
    const { db, log } = this.deps
    const [row] = await db.query<{ attempt: number; worker: string; blob: string | null }>(
      `SELECT s.attempt, s.worker, f.blob FROM swaps s
         LEFT JOIN swap_files f ON f.object_id = s.object_id AND f.name LIKE 'result/output.%'
         WHERE s.object_id = $1 AND s.status = 'completed' AND s.checked = 0 AND s.deleted_at IS NULL`,
      [objectId],
    )
    if (!row) return
    const { attempt, worker, blob } = row
    const isSame = `attempt = ${String(attempt)} AND status = 'completed' AND checked = 0`
    if (blob !== null && (await this.#hashOf(blob)) === hashOf(blob)) {
      await changeSwap(db, objectId, 'checked = 1, bad_results = 0, updated_at = now_ms()', isSame)
      return
    }
    log(`worker ${worker} stored another result of swap ${objectId} than it reported; it is made again`)
    const isLast = `bad_results + 1 >= ${String(maxBadResults)}`
    await db.transaction(async (sql) => {
      const swap = await changeSwap(
        ...([sql, objectId] as const),
        `status = CASE WHEN ${isLast} THEN 'failed' ELSE 'queued' END, error = CASE WHEN ${isLast} THEN $2 ELSE NULL END,
           ended_at = CASE WHEN ${isLast} THEN ended_at ELSE NULL END, bad_results = bad_results + 1,
           result = NULL, saved = NULL, updated_at = now_ms()`,
        isSame,
        [JSON.stringify(unreadable)],
      )
      if (!swap) return
      if (swap.status === 'queued') await db.jobs.send(sql, swap, swap.badResults === 1 ? 0 : waitMs)
      const results = `DELETE FROM swap_files WHERE object_id = $1 AND name LIKE 'result/%' RETURNING blob`
      await drop(sql, await sql.query(results, [objectId]))
    })
  }

  /** SHA-256 of a stored file's content; null: it is missing. */
  async #hashOf(blob: string): Promise<string | null> {
    const found = await this.deps.storage.read(blob)
    if (!found) return null
    const hash = createHash('sha256')
    for await (const chunk of found.body) {
      if (this.#stopped) throw new Error('the server ends')
      hash.update(chunk)
    }
    return hash.digest('hex')
  }

  async dispose(): Promise<void> {
    this.#stopped = true
    this.#end?.()
    await Promise.all([this.#running, this.#checking])
  }
}
