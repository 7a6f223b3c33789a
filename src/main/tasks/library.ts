/**
 * @file Library queries of the studio: views as ordered row numbers, rows as they scroll into view, whole swaps when
 * opened.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { LibraryQuery, LibraryView, Removed } from '@shared/library-view.ts'
import { rowOf, type NumberedTask, type TaskChanges, type TasksText } from '@shared/task-row.ts'
import { isActive, type Task } from '@shared/task.ts'
import { countByFilter, dayRuns, find, finishedSince, type ServiceNames } from './store/library-query.ts'
import type { TaskDelta } from './store/task-board.ts'
import type { TaskService } from './task-service.ts'
import type { TaskStore } from './store/task-store.ts'

interface LibraryDeps {
  store: TaskStore
  tasks: TaskService
  serviceNames: () => ServiceNames
}

const parsed = (list: string): number[] => JSON.parse(`[${list}]`) as number[] // safe: only SQLite integers

export class Library {
  private readonly db: DatabaseSync
  private readonly deps: LibraryDeps
  private openId: string | null = null
  private listedChanges = 0
  private counted: { at: number; counts: LibraryView['counts'] } | null = null

  constructor(db: DatabaseSync, deps: LibraryDeps) {
    this.db = db
    this.deps = deps
  }

  view(query: LibraryQuery): LibraryView {
    const { numbers, times } = find(this.db, query, this.deps.serviceNames())
    const order = Uint32Array.from(parsed(numbers))
    return {
      order,
      complete: query.limit === undefined || order.length < query.limit,
      days: query.sort === 'title' ? new Float64Array() : dayRuns(parsed(times)),
      counts: this.counts(),
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
    const sql = `SELECT number, task_id, data FROM listed JOIN tasks ON tasks.id = listed.task_id
      WHERE number IN (SELECT value FROM json_each(?))`
    const rows = this.db.prepare(sql).all(JSON.stringify([...numbers]))
    return JSON.stringify(
      rows.flatMap((row) => {
        const task = this.deps.tasks.held(String(row['task_id']))[0] ?? this.deps.store.parseRow(row['data'])
        return task ? rowOf(task, Number(row['number'])) : []
      }),
    )
  }

  /** Rows of the swaps held in memory (see TaskBoard.all). */
  snapshot(): TasksText {
    return {
      seq: this.deps.tasks.seq,
      json: JSON.stringify(this.deps.tasks.held().flatMap((task) => this.rowOf(task))),
    }
  }

  /** The newest swaps, newest first. */
  newest(count: number): Task[] {
    const sql = `SELECT task_id, data FROM listed JOIN tasks ON tasks.id = listed.task_id WHERE listed.removed_at IS NULL
      ORDER BY listed.created_at DESC, number DESC LIMIT ?`
    const rows = this.db.prepare(sql).all(count)
    return rows.flatMap((row) => this.taskOf(row) ?? [])
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
      rows: changed.flatMap((task) => this.rowOf(task)),
      removed,
      open: open === undefined ? null : this.numbered(open),
      relisted: listedChanges !== this.listedChanges,
    }
    this.listedChanges = listedChanges
    return { seq, json: JSON.stringify(changes) }
  }

  remove(numbers: Uint32Array): Removed {
    const sql = `SELECT task_id, state FROM listed WHERE number IN (SELECT value FROM json_each(?)) AND removed_at IS NULL`
    const rows = this.db.prepare(sql).all(JSON.stringify([...numbers]))
    const ids = rows.map((row) => String(row['task_id']))
    const { tasks, store } = this.deps
    const working = ids.filter((id) => tasks.held(id).some(({ state }) => isActive(state))).length
    const first = ids[0]
    const title = first === undefined ? '' : (store.find(first)?.title ?? '')
    tasks.remove(ids)
    return { count: ids.length, title, working, kept: rows.filter((row) => row['state'] === 'kept').length }
  }

  restore(numbers: Uint32Array): void {
    const sql = `SELECT task_id FROM listed WHERE number IN (SELECT value FROM json_each(?))`
    const rows = this.db.prepare(sql).all(JSON.stringify([...numbers]))
    this.deps.tasks.restore(rows.map((row) => String(row['task_id'])))
  }

  /** From memory, which has progress and stills, else from disk. */
  private taskOf(row: Record<string, unknown>): Task | null {
    return this.deps.tasks.held(String(row['task_id']))[0] ?? this.deps.store.parse(row['data'])
  }

  private rowOf(task: Task) {
    const number = this.deps.store.numberOf(task.id)
    return number === null ? [] : [rowOf(task, number)]
  }

  private numbered(task: Task): NumberedTask {
    return { ...task, number: this.deps.store.numberOf(task.id) ?? 0 }
  }
}
