/** @file Removes data that is no longer needed. One server at a time does this. */
import { listOf } from './database/database.ts'
import { drop, removeDropped } from './dropped-blobs.ts'
import type { ResultCheck, ResultCheckDeps } from './result-check.ts'
import type { SwapTable } from './swap-table.ts'

export interface HousekeepingDeps extends ResultCheckDeps {
  swaps: SwapTable
  /** As that of `SwapTable`. */
  check: ResultCheck
  /** Age at which finished swaps are deleted. */
  retentionMs: number
}

const hourMs = 3_600_000
const dayMs = 86_400_000
/** Min time for which the row of a deleted swap is kept. */
const minRowMs = 30 * dayMs
const auditMs = 365 * dayMs
/** Max names per lookup, and max rows per deletion. */
const batchSize = 500

export class Housekeeping {
  #end: (() => void) | undefined
  #running: Promise<void> = Promise.resolve()
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
    const { db, storage, swaps, check, retentionMs } = this.deps
    await check.addAll()
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
    let names: string[] = []
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

  async dispose(): Promise<void> {
    this.#stopped = true
    this.#end?.()
    await this.#running
  }
}
