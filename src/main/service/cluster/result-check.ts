/**
 * @file Checks results before clients can download them. Each result is read once and compared with the hash at the
 * start of its name. A swap with a wrong result is made again.
 */
import { createHash } from 'node:crypto'
import type { ErrorBody } from '@shared/errors.ts'
import type { Database } from './database/database.ts'
import { drop } from './dropped-blobs.ts'
import { hashOf, type BlobStorage } from './storage/blob-storage.ts'
import { changeSwap } from './swap-row.ts'

export interface ResultCheckDeps {
  db: Database
  storage: BlobStorage
  log: (message: string, error?: unknown) => void
}

/** Max wrong results of a swap before it fails. */
const maxBadResults = 5
const waitMs = 10_000
const unreadable: ErrorBody = { code: 'result-unreadable', details: {} }

export class ResultCheck {
  readonly #waiting = new Set<string>()
  #checking: Promise<void> | null = null
  #stopped = false

  constructor(private readonly deps: ResultCheckDeps) {}

  /** Schedules the check of a completed swap's result. One at a time, because each check reads a whole file. */
  readonly add = (objectId: string): void => {
    this.#waiting.add(objectId)
    this.#checking ??= this.#run()
  }

  async #run(): Promise<void> {
    // Also goes over those that are added meanwhile.
    for (const objectId of this.#waiting) {
      await this.#check(objectId).catch((error: unknown) => {
        // The next request for the swap retries.
        if (!this.#stopped) this.deps.log('a result could not be checked', error)
      })
      this.#waiting.delete(objectId)
      if (this.#stopped) return
    }
    this.#checking = null
  }

  /** Checks results that no client has asked for. */
  async addAll(): Promise<void> {
    const rows = await this.deps.db.query(
      `SELECT object_id FROM swaps WHERE status = 'completed' AND checked = 0 AND deleted_at IS NULL ORDER BY ended_at LIMIT 100`,
    )
    for (const row of rows) this.add(String(row['object_id']))
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
    await this.#checking
  }
}
