/**
 * @file Swaps and the outbox on disk. A row's `data` is the whole Task as JSON, parsed when it is
 * read; the columns beside it are for looking up. A row that cannot be read is left out and logged, never deleted.
 */
import { hash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { z } from 'zod'
import { taskSchema, type Task, type TaskState } from '@shared/task.ts'
import { unhurried } from '../data/unhurried.ts'
import { inTransaction } from './library-db.ts'

const outboxRow = z.object({
  task_id: z.string(),
  position: z.number(),
  idempotency_key: z.string(),
  image_url: z.string().nullable(),
  video_url: z.string().nullable(),
  sent_at: z.number().nullable(),
  attempts: z.number(),
  not_before: z.number(),
})

/** What is still to be sent for a swap. `sentAt` is on disk before the first byte of a create leaves. */
export interface OutboxEntry {
  taskId: string
  position: number
  idempotencyKey: string
  imageUrl: string | null
  videoUrl: string | null
  sentAt: number | null
  attempts: number
  notBefore: number
}

const storedTask = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue('not JSON')
      return z.NEVER
    }
  })
  .pipe(taskSchema)

const timingRow = z.object({
  frames: z.number().nullable(),
  video_ms: z.number(),
  pixels: z.number(),
  took_ms: z.number(),
})

/** How long one swap took from taken up to finished. */
export interface Timing {
  frames: number | null
  videoMs: number
  pixels: number
  tookMs: number
}

export class TaskStore {
  private readonly db: DatabaseSync
  private readonly log: (message: string) => void
  private readonly statements = new Map<string, StatementSync>()
  /** Of the record of each swap that was heard of in this run, so that the same is not written again. */
  private readonly recordHashes = new Map<string, string>()
  private inside = false

  constructor(db: DatabaseSync, log: (message: string) => void) {
    this.db = db
    this.log = log
  }

  private prepare(sql: string): StatementSync {
    let statement = this.statements.get(sql)
    if (!statement) this.statements.set(sql, (statement = this.db.prepare(sql)))
    return statement
  }

  /** One transaction, also for what `work` does in transactions of its own. */
  transaction<T>(work: () => T): T {
    if (this.inside) return work()
    this.inside = true
    try {
      return inTransaction(this.db, work)
    } finally {
      this.inside = false
    }
  }

  /** Writes what would be learned again, see `unhurried`. */
  unhurried<T>(work: () => T): T {
    return unhurried(this.db, work)
  }

  /** All swaps that were not removed, oldest first. */
  all(): Task[] {
    return this.read('SELECT data FROM tasks WHERE removed_at IS NULL ORDER BY created_at', [])
  }

  get(id: string): Task | null {
    return this.read('SELECT data FROM tasks WHERE id = ?', [id])[0] ?? null
  }

  inStates(states: readonly TaskState[]): Task[] {
    const marks = states.map(() => '?').join(', ')
    return this.read(
      `SELECT data FROM tasks WHERE removed_at IS NULL AND state IN (${marks}) ORDER BY created_at`,
      states,
    )
  }

  private read(sql: string, values: readonly string[]): Task[] {
    const tasks: Task[] = []
    for (const row of this.db.prepare(sql).iterate(...values)) {
      const parsed = storedTask.safeParse(row['data'])
      if (parsed.success) tasks.push(parsed.data)
      else this.log(`A row of the library cannot be read: ${z.prettifyError(parsed.error)}`)
    }
    return tasks
  }

  /** Writes a swap as it is now. */
  put(task: Task): void {
    this.prepare(
      `INSERT INTO tasks (id, profile_id, object_id, state, created_at, updated_at, data) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET profile_id = excluded.profile_id, object_id = excluded.object_id,
           state = excluded.state, updated_at = excluded.updated_at, data = excluded.data`,
    ).run(task.id, task.profileId, task.objectId, task.state, task.createdAt, task.updatedAt, JSON.stringify(task))
  }

  /** Writes a swap and its outbox entry (null: none any more) in one transaction. */
  putWithOutbox(task: Task, entry: OutboxEntry | null): void {
    this.transaction(() => {
      this.put(task)
      if (entry) this.putEntry(entry)
      else this.prepare('DELETE FROM outbox WHERE task_id = ?').run(task.id)
    })
  }

  putEntry(entry: OutboxEntry): void {
    this.prepare(
      `INSERT INTO outbox (task_id, position, idempotency_key, image_url, video_url, sent_at, attempts, not_before)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (task_id) DO UPDATE SET position = excluded.position, idempotency_key = excluded.idempotency_key,
           image_url = excluded.image_url, video_url = excluded.video_url, sent_at = excluded.sent_at,
           attempts = excluded.attempts, not_before = excluded.not_before`,
    ).run(
      entry.taskId,
      entry.position,
      entry.idempotencyKey,
      entry.imageUrl,
      entry.videoUrl,
      entry.sentAt,
      entry.attempts,
      entry.notBefore,
    )
  }

  entry(taskId: string): OutboxEntry | null {
    const row = this.prepare('SELECT * FROM outbox WHERE task_id = ?').get(taskId)
    if (!row) return null
    const parsed = outboxRow.parse(row)
    return {
      taskId: parsed.task_id,
      position: parsed.position,
      idempotencyKey: parsed.idempotency_key,
      imageUrl: parsed.image_url,
      videoUrl: parsed.video_url,
      sentAt: parsed.sent_at,
      attempts: parsed.attempts,
      notBefore: parsed.not_before,
    }
  }

  nextPosition(): number {
    return Number(this.db.prepare('SELECT COALESCE(MAX(position), 0) + 1 AS next FROM outbox').get()?.['next'] ?? 1)
  }

  /** The service's last answer about a swap, as it came. */
  putRecord(taskId: string, json: string): void {
    const digest = hash('sha1', json, 'base64')
    if (this.recordHashes.get(taskId) === digest) return
    this.prepare('UPDATE tasks SET record = ? WHERE id = ?').run(json, taskId)
    this.recordHashes.set(taskId, digest)
  }

  record(taskId: string): string | null {
    const value = this.db.prepare('SELECT record FROM tasks WHERE id = ?').get(taskId)?.['record']
    return typeof value === 'string' ? value : null
  }

  setRemoved(taskId: string, at: number | null): void {
    this.db.prepare('UPDATE tasks SET removed_at = ? WHERE id = ?').run(at, taskId)
  }

  /** What was removed and can still be restored. */
  removed(): Task[] {
    return this.read('SELECT data FROM tasks WHERE removed_at IS NOT NULL', [])
  }

  purge(taskId: string): void {
    this.db.prepare('DELETE FROM tasks WHERE id = ?').run(taskId)
  }

  /** Forgets for good what was removed, but for these. */
  purgeRemoved(but: readonly string[] = []): void {
    const places = but.map(() => '?').join(', ')
    this.db.prepare(`DELETE FROM tasks WHERE removed_at IS NOT NULL AND id NOT IN (${places})`).run(...but)
  }

  addTiming(profileId: string, timing: Timing, at: number): void {
    this.db
      .prepare('INSERT INTO timings (profile_id, frames, video_ms, pixels, took_ms, at) VALUES (?, ?, ?, ?, ?, ?)')
      .run(profileId, timing.frames, timing.videoMs, timing.pixels, timing.tookMs, at)
  }

  /** The newest first, at most `count`. */
  timings(profileId: string, count: number): Timing[] {
    const rows = this.db
      .prepare('SELECT frames, video_ms, pixels, took_ms FROM timings WHERE profile_id = ? ORDER BY at DESC LIMIT ?')
      .all(profileId, count)
    return rows.map((row) => {
      const timing = timingRow.parse(row)
      return { frames: timing.frames, videoMs: timing.video_ms, pixels: timing.pixels, tookMs: timing.took_ms }
    })
  }
}
