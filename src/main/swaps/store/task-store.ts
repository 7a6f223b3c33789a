/**
 * @file Persistence of swaps and outbox. A row's `data` is the whole Task as JSON, parsed on read; the other columns
 * are for lookups. Unreadable rows are skipped and logged, never deleted.
 */
import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { Task, TaskState } from '@shared/tasks/task.ts'
import { withRelaxedSync, inTransaction, preparer } from '../../machine/disk/sqlite.ts'
import type { UploadNote } from '../../remote/client/transport/upload.ts'
import { isListed } from './library-db.ts'
import { LabelStore } from './labels.ts'
import { list } from './listed.ts'
import { otherPictures, type OutboxEntry } from '../rules/outbox-entry.ts'
import {
  storedRow,
  storedTask,
  castTable,
  fetchTable,
  JobsToEnd,
  outboxTable,
  Timings,
  uploadNote,
  type StoredClips,
} from './tables.ts'

export class TaskStore {
  readonly fetches: ReturnType<typeof fetchTable>
  readonly jobsToEnd: JobsToEnd
  readonly labels: LabelStore
  readonly timings: Timings
  private readonly casts: ReturnType<typeof castTable>
  private readonly outbox: ReturnType<typeof outboxTable>
  private readonly prepare: ReturnType<typeof preparer>
  /** Hash of the last record of each swap in this run, to skip writing the same again. */
  private readonly recordHashes = new Map<string, string>()
  /** Records to be written with the swap's next change. */
  private readonly records = new Map<string, string>()
  /** Those that the open transaction writes. */
  private readonly written = new Map<string, string>()
  /** Increments whenever a sort, filter or search column changes. */
  listedChanges = 0
  private unreadable: string[] | null = null
  /** SQL joining swaps that are not removed with their listed rows; a swap that could not be listed has none. */
  private readonly present: string

  constructor(
    private readonly db: DatabaseSync,
    private readonly log: (message: string) => void,
  ) {
    this.prepare = preparer(db)
    this.casts = castTable(db)
    this.fetches = fetchTable(db)
    this.jobsToEnd = new JobsToEnd(db)
    this.labels = new LabelStore(db)
    this.outbox = outboxTable(db)
    this.timings = new Timings(db)
    // Read-only commands may open a library of an older version.
    this.present = isListed(db)
      ? 'tasks LEFT JOIN listed ON listed.task_id = tasks.id WHERE listed.removed_at IS NULL'
      : 'tasks WHERE tasks.removed_at IS NULL'
  }

  /** Runs `work` in one transaction; nested calls join it. */
  transaction<T>(work: () => T): T {
    if (this.db.isTransaction) return work()
    this.written.clear()
    const value = inTransaction(this.db, work)
    // Only now: what a failed transaction wrote is gone.
    for (const [taskId, record] of this.written) if (this.records.get(taskId) === record) this.records.delete(taskId)
    return value
  }

  /** Writes data that can be recovered, see `withRelaxedSync`. */
  withRelaxedSync<T>(work: () => T): T {
    return withRelaxedSync(this.db, work)
  }

  /** All swaps that are not removed, oldest first. Reads the whole library. */
  all(): Task[] {
    return [...this.each()]
  }

  /** Like `all`, as a generator. */
  each(): Generator<Task> {
    return this.read(`SELECT data FROM ${this.present} ORDER BY tasks.created_at`)
  }

  /** Finds a swap by id, removed or not. */
  get(id: string): Task | null {
    return [...this.read('SELECT data FROM tasks WHERE id = ?', id)][0] ?? null
  }

  /** Finds a swap by id unless it is removed. */
  find(id: string): Task | undefined {
    return [...this.read(`SELECT data FROM ${this.present} AND tasks.id = ?`, id)][0]
  }

  /** At most two swaps whose id starts with `id`, and one with this object id at its service. */
  named(id: string): Task[] {
    const sql = `SELECT data FROM ${this.present} AND tasks.id >= ? AND tasks.id < ? ORDER BY tasks.id LIMIT 2`
    const begins = [...this.read(sql, id, `${id}\u{10ffff}`)]
    if (begins[0]?.id === id) return begins
    return [...begins, ...this.read(`SELECT data FROM ${this.present} AND tasks.object_id = ? LIMIT 1`, id)]
  }

  /** Swaps in these states that changed since `since` (epoch ms), oldest first. */
  inStates(states: readonly TaskState[], since = 0): Task[] {
    return [
      ...this.read(
        `SELECT data FROM listed JOIN tasks ON tasks.id = listed.task_id WHERE listed.removed_at IS NULL
           AND listed.state IN (SELECT value FROM json_each(?)) AND tasks.updated_at >= ? ORDER BY listed.created_at`,
        JSON.stringify(states),
        since,
      ),
    ]
  }

  private *read(sql: string, ...values: (string | number)[]): Generator<Task> {
    for (const row of this.db.prepare(sql).iterate(...values)) {
      const task = this.parse(row['data'])
      if (task) yield task
    }
  }

  /** Parses only what a row shows; errors as in `parse`. */
  parseRow(data: unknown): z.infer<typeof storedRow> | null {
    const parsed = storedRow.safeParse(data)
    if (parsed.success) return { ...parsed.data, preview: null }
    this.log(`A row of the library cannot be read: ${z.prettifyError(parsed.error)}`)
    return null
  }

  /**
   * Parses a stored swap; logs and returns null if unreadable. Drops the preview, which is only valid in the run that
   * fetched it.
   */
  parse(data: unknown): Task | null {
    const parsed = storedTask.safeParse(data)
    if (parsed.success) return { ...parsed.data, preview: null }
    this.log(`A row of the library cannot be read: ${z.prettifyError(parsed.error)}`)
    return null
  }

  /** Writes a swap, its row in lists, and its record in one transaction. */
  put(task: Task): void {
    this.transaction(() => {
      this.write(task)
    })
  }

  private write(task: Task): void {
    this.prepare(
      `INSERT INTO tasks (id, profile_id, object_id, state, created_at, updated_at, data) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET profile_id = excluded.profile_id, object_id = excluded.object_id,
           state = excluded.state, updated_at = excluded.updated_at, data = excluded.data`,
    ).run(task.id, task.profileId, task.objectId, task.state, task.createdAt, task.updatedAt, JSON.stringify(task))
    if (list(this.prepare, task)) this.listedChanges += 1
    const record = this.records.get(task.id)
    if (record === undefined) return
    this.prepare('UPDATE tasks SET record = ? WHERE id = ?').run(record, task.id)
    this.written.set(task.id, record)
  }

  /** Writes a swap and its outbox entry (null: deletes it) in one transaction. */
  putWithOutbox(task: Task, entry: OutboxEntry | null): void {
    this.transaction(() => {
      this.put(task)
      if (entry) this.putEntry(entry)
      else this.outbox.delete(task.id)
    })
  }

  putEntry(entry: OutboxEntry): void {
    this.outbox.put(entry)
  }

  entry(taskId: string): OutboxEntry | null {
    return this.outbox.get(taskId)
  }

  /** The clips of the people in a swap's video; empty for a swap without a cast. */
  clips(taskId: string): StoredClips {
    return this.casts.get(taskId)?.clips ?? { cast: {}, stay: [] }
  }

  putClips(taskId: string, clips: StoredClips): void {
    this.casts.put({ taskId, clips })
  }

  /** The note of an upload in chunks. */
  uploadNote(profileId: string, mediaId: string): UploadNote {
    return uploadNote(this.db, profileId, mediaId)
  }

  /** Entries of swaps that ended or were removed while their create is unanswered: it may have made a job to end. */
  unanswered(): { entry: OutboxEntry; task: Task }[] {
    const entries = this.outbox.all(
      `JOIN listed USING (task_id) WHERE sent_at IS NOT NULL
         AND (state NOT IN ('queued', 'uploading', 'submitting', 'unconfirmed') OR removed_at IS NOT NULL)
       ORDER BY not_before DESC`,
    )
    return entries.flatMap((entry) => {
      const task = this.get(entry.taskId)
      return task ? [{ entry, task }] : []
    })
  }

  nextPosition(): number {
    return Number(this.prepare('SELECT COALESCE(MAX(position), 0) + 1 AS next FROM outbox').get()?.['next'] ?? 1)
  }

  /**
   * Stores the service's last raw answer for a swap. Written with the swap's next change, because polls arrive every
   * second.
   */
  putRecord(taskId: string, json: string): void {
    const digest = hash('sha1', json, 'base64')
    if (this.recordHashes.get(taskId) === digest) return
    this.records.set(taskId, json)
    this.recordHashes.set(taskId, digest)
  }

  record(taskId: string): string | null {
    const value =
      this.records.get(taskId) ?? this.prepare('SELECT record FROM tasks WHERE id = ?').get(taskId)?.['record']
    return typeof value === 'string' ? value : null
  }

  setRemoved(taskId: string, at: number | null): void {
    this.prepare('UPDATE listed SET removed_at = ? WHERE task_id = ?').run(at, taskId)
    this.listedChanges += 1
  }

  /** Row number of a swap in lists; null if it cannot be listed. */
  numberOf(taskId: string): number | null {
    const number = this.prepare('SELECT number FROM listed WHERE task_id = ?').get(taskId)?.['number']
    return typeof number === 'number' ? number : null
  }

  /**
   * Up to `count` swaps removed before `at` (epoch ms), which can't be restored any more. Skips those with an
   * unanswered create.
   */
  removedBefore(at: number, count: number): Task[] {
    return [
      ...this.read(
        `SELECT data FROM listed JOIN tasks ON tasks.id = listed.task_id
           WHERE listed.removed_at < ? AND task_id NOT IN (SELECT task_id FROM outbox WHERE sent_at IS NOT NULL) LIMIT ?`,
        ...[at, count],
      ),
    ]
  }

  /** Whether such a swap exists, removed or not, readable or not. */
  has(id: string): boolean {
    return this.prepare('SELECT 1 FROM tasks WHERE id = ?').get(id) !== undefined
  }

  /** Deletes a swap for good and records its job for deletion. Returns the ids of media that no other swap uses. */
  purge(task: Task): string[] {
    const { id, profileId, objectId, state, face, video, cast, result, coverId, peopleIds } = task
    this.transaction(() => {
      if (objectId !== null && state !== 'kept') this.jobsToEnd.add(profileId, { objectId, endBy: 'delete' })
      this.prepare('DELETE FROM tasks WHERE id = ?').run(id)
    })
    const own = [result?.mediaId, coverId, ...peopleIds, ...cast.map(({ personFaceId }) => personFaceId)].filter(
      (each) => each != null,
    )
    // Swaps share faces and videos. For unreadable swaps search their text for the id.
    const used = (column: 'face_id' | 'video_id', mediaId: string): boolean =>
      this.prepare(`SELECT 1 FROM listed WHERE ${column} = ?`).get(mediaId) !== undefined ||
      this.unlisted().some((text) => text.includes(mediaId))
    const isPicture = (mediaId: string): boolean =>
      this.prepare('SELECT 1 FROM task_pictures WHERE media_id = ?').get(mediaId) !== undefined
    for (const picture of [face, ...otherPictures(task)])
      if (!used('face_id', picture.id) && !isPicture(picture.id)) own.push(picture.id, picture.thumbnailId)
    if (!used('video_id', video.id)) own.push(video.id, video.coverId)
    return own
  }

  /** Raw text of rows that are not listed because they are unreadable. */
  private unlisted(): string[] {
    this.unreadable ??= this.db
      .prepare('SELECT data FROM tasks WHERE id NOT IN (SELECT task_id FROM listed)')
      .all()
      .map((row) => String(row['data']))
    return this.unreadable
  }
}
