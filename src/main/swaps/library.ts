/**
 * @file Library queries of the studio: views as ordered row numbers, rows as they scroll into view, whole swaps when
 * opened.
 */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { LibraryQuery } from '@shared/tasks/library-query.ts'
import type { LibraryFacets, LibraryView, Removed } from '@shared/tasks/library-view.ts'
import {
  noLabels,
  rowOf,
  type NumberedTask,
  type TaskChanges,
  type TaskRow,
  type TasksText,
} from '@shared/tasks/task-row.ts'
import { isActive, type Task } from '@shared/tasks/task.ts'
import { facetsOf } from './store/facets.ts'
import { findFolded, isFolded, setRows, type SwapSet } from './store/folded-sets.ts'
import type { LabelStore } from './store/labels.ts'
import { countByFilter, dayRuns, find, finishedSince, isByTime, type ServiceNames } from './store/library-query.ts'
import type { ResultFile } from './results/save-copies.ts'
import { repeatedSchema, type Repeated } from './drafts.ts'
import type { TaskDelta } from './store/task-board.ts'
import type { TaskService } from './task-service.ts'
import type { TaskStore } from './store/task-store.ts'

interface LibraryDeps {
  store: TaskStore
  tasks: TaskService
  serviceNames: () => ServiceNames
}

/** For a list of row numbers as JSON. */
const isAmong = 'number IN (SELECT value FROM json_each(?))'

const parsed = (list: string): number[] => JSON.parse(`[${list}]`) as number[] // safe: only SQLite integers

export class Library {
  readonly labels: LabelStore
  private openId: string | null = null
  private listedChanges = 0
  private counted: { at: number; counts: LibraryView['counts'] } | null = null

  constructor(
    private readonly db: DatabaseSync,
    private readonly deps: LibraryDeps,
  ) {
    this.labels = deps.store.labels
  }

  view(query: LibraryQuery): LibraryView {
    const folded = isFolded(query) ? findFolded(this.db, query) : null
    const { numbers, times } = folded ?? find(this.db, query, this.deps.serviceNames())
    const found = Int32Array.from(parsed(numbers))
    const setOf = (number: number): SwapSet | undefined => folded?.sets.get(number)
    const sets = folded ? [...found.filter((number) => setOf(number))].flatMap((lead) => setOf(lead) ?? []) : []
    const order = folded ? found.map((number) => -(setOf(number)?.number ?? -number)) : found
    return {
      order,
      sets: Uint32Array.from(sets.flatMap(({ number, members }) => [number, members.length])),
      members: Uint32Array.from(sets.flatMap(({ members }) => members)),
      complete: query.limit === undefined || order.length < query.limit,
      days: isByTime(query) ? dayRuns(parsed(times)) : new Float64Array(),
      counts: this.counts(),
      tagged: this.labels.isUsed(),
      done: this.done(),
    }
  }

  private counts(): LibraryView['counts'] {
    const { listedChanges } = this.deps.store
    if (this.counted?.at !== listedChanges) this.counted = { at: listedChanges, counts: countByFilter(this.db) }
    return this.counted.counts
  }

  /** Number of swaps finished since the oldest running one was added; used for overall progress. */
  done(): number {
    const working = this.deps.tasks.held().filter(({ state, pause }) => isActive(state) && pause === null)
    if (working.length === 0) return 0
    return finishedSince(this.db, Math.min(...working.map(({ createdAt }) => createdAt)))
  }

  /** Rows as JSON text (of TaskRow[]), unordered; unreadable ones are left out. */
  rows(numbers: Uint32Array): string {
    return JSON.stringify(this.rowsAt([...numbers]))
  }

  /** Sets as JSON text (of SetRow[]), unordered; those without swaps are left out. */
  sets(numbers: Uint32Array): string {
    return JSON.stringify(setRows(this.db, numbers, (of) => this.rowsAt(of)))
  }

  private rowsAt(numbers: readonly number[]): TaskRow[] {
    const rows = this.select('number, task_id, data', `WHERE ${isAmong}`, JSON.stringify(numbers))
    const labels = this.labels.of(numbers)
    return rows.flatMap((row) => {
      const task = this.deps.tasks.held(String(row['task_id']))[0] ?? this.deps.store.parseRow(row['data'])
      const number = Number(row['number'])
      return task ? rowOf(task, number, labels.get(number)) : []
    })
  }

  /** Rows of the swaps held in memory (see TaskBoard.held). */
  snapshot(): TasksText {
    return {
      seq: this.deps.tasks.seq,
      json: JSON.stringify(this.rowsOf(this.deps.tasks.held())),
    }
  }

  /** The newest swaps, newest first. */
  newest(count: number): Task[] {
    const rest = 'WHERE listed.removed_at IS NULL ORDER BY listed.created_at DESC, number DESC LIMIT ?'
    return this.select('task_id, data', rest, count).flatMap((row) => this.taskOf(row) ?? [])
  }

  /** A whole swap as JSON text (of NumberedTask); null when not found. */
  whole(taskId: string): string | null {
    const task = this.deps.tasks.held(taskId)[0] ?? this.deps.store.find(taskId)
    return task ? JSON.stringify(this.numbered(task)) : null
  }

  /** Sets the open swap; deltas include it in full. */
  looking(taskId: string | null): void {
    this.openId = taskId
  }

  /** A delta for the studio, as JSON text (of TaskChanges). */
  changes({ seq, changed, removed }: TaskDelta): TasksText {
    const open = changed.find(({ id }) => id === this.openId)
    const { listedChanges } = this.deps.store
    const changes: TaskChanges = {
      rows: this.rowsOf(changed),
      removed,
      open: open === undefined ? null : this.numbered(open),
      relisted: listedChanges !== this.listedChanges,
    }
    this.listedChanges = listedChanges
    return { seq, json: JSON.stringify(changes) }
  }

  remove(numbers: Uint32Array): Removed {
    const sql = `SELECT task_id, state FROM listed WHERE ${isAmong} AND removed_at IS NULL`
    const rows = this.db.prepare(sql).all(JSON.stringify([...numbers]))
    const ids = rows.map((row) => String(row['task_id']))
    const { tasks, store } = this.deps
    const working = ids.filter((id) => tasks.held(id).some(({ state }) => isActive(state))).length
    const first = ids[0]
    const title = first === undefined ? '' : (store.find(first)?.title ?? '')
    tasks.remove(ids)
    return { count: ids.length, title, working, kept: rows.filter((row) => row['state'] === 'kept').length }
  }

  facets(): LibraryFacets {
    return facetsOf(this.db)
  }

  restore(numbers: Uint32Array): void {
    const sql = `SELECT task_id FROM listed WHERE ${isAmong}`
    const rows = this.db.prepare(sql).all(JSON.stringify([...numbers]))
    this.deps.tasks.restore(rows.map((row) => String(row['task_id'])))
  }

  /** Files of the finished swaps among these, oldest first. */
  files(numbers: Uint32Array): ResultFile[] {
    const rows = this.select(
      `number, json_extract(data, '$.title') AS title, json_extract(data, '$.result.sizeBytes') AS bytes,
         (SELECT path FROM media WHERE id = json_extract(data, '$.result.mediaId')) AS path`,
      `WHERE ${isAmong} AND listed.state = 'kept' AND listed.removed_at IS NULL AND json_valid(data)
       ORDER BY listed.created_at, number`,
      JSON.stringify([...numbers]),
    )
    return rows.flatMap(({ number, title, bytes, path }) =>
      typeof path === 'string'
        ? { number: Number(number), title: String(title), path, sizeBytes: Number(bytes) || 0 }
        : [],
    )
  }

  /** The finished swap whose result this file is. */
  withFile(path: string): Task | null {
    const ids = this.db.prepare('SELECT id FROM media WHERE path = ?').all(path)
    // Saves reading all swaps.
    if (ids.length === 0) return null
    const [row] = this.select(
      'task_id, data',
      `WHERE listed.state = 'kept' AND listed.removed_at IS NULL AND json_valid(data)
         AND json_extract(data, '$.result.mediaId') IN (SELECT value FROM json_each(?)) LIMIT 1`,
      JSON.stringify(ids.map(({ id }) => id)),
    )
    return row ? this.taskOf(row) : null
  }

  /** What is repeated of these swaps, oldest first. Unreadable ones are left out. */
  repeated(numbers: Uint32Array): Repeated[] {
    const rest = `WHERE ${isAmong} AND json_valid(data) ORDER BY listed.created_at, number`
    const rows = this.select('data', rest, JSON.stringify([...numbers]))
    return rows.flatMap((row) => repeatedSchema.safeParse(JSON.parse(String(row['data']))).data ?? [])
  }

  /** Columns of swaps and of their rows in lists. */
  private select(columns: string, rest: string, value: SQLInputValue): Record<string, unknown>[] {
    const sql = `SELECT ${columns} FROM listed JOIN tasks ON tasks.id = listed.task_id ${rest}`
    return this.db.prepare(sql).all(value)
  }

  numbersOf(taskIds: readonly string[]): Uint32Array {
    return Uint32Array.from(taskIds, (id) => this.deps.store.numberOf(id) ?? 0)
  }

  /** From memory, which has progress and stills, else from disk. */
  private taskOf(row: Record<string, unknown>): Task | null {
    return this.deps.tasks.held(String(row['task_id']))[0] ?? this.deps.store.parse(row['data'])
  }

  private rowsOf(tasks: readonly Task[]): TaskRow[] {
    const { store } = this.deps
    const numbered = tasks.map((task) => ({ task, number: store.numberOf(task.id) }))
    const labels = this.labels.of(numbered.flatMap(({ number }) => number ?? []))
    return numbered.flatMap(({ task, number }) => (number === null ? [] : rowOf(task, number, labels.get(number))))
  }

  private numbered(task: Task): NumberedTask {
    const number = this.deps.store.numberOf(task.id) ?? 0
    return { ...task, number, ...(this.labels.of([number]).get(number) ?? noLabels) }
  }
}
