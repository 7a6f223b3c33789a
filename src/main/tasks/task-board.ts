/**
 * @file The swaps as they are now. Every change goes through here: pure step, then disk, then the
 * delta to whoever listens; so what is shown was stored before.
 */
import type { Task, TaskState } from '@shared/task.ts'
import type { TaskDelta } from '@shared/ipc.ts'
import type { OutboxEntry, TaskStore } from './task-store.ts'
import { step, type Happening } from './transitions.ts'

export class TaskBoard {
  private readonly tasks = new Map<string, Task>()
  private readonly listeners = new Set<(delta: TaskDelta) => void>()
  private seq = 0
  private readonly store: TaskStore
  private readonly now: () => number

  constructor(store: TaskStore, now: () => number) {
    this.store = store
    this.now = now
    // A preview does not outlive the run that fetched it.
    for (const task of store.all()) this.tasks.set(task.id, { ...task, preview: null })
  }

  get(id: string): Task | undefined {
    return this.tasks.get(id)
  }

  all(): Task[] {
    return [...this.tasks.values()]
  }

  inStates(...states: TaskState[]): Task[] {
    return this.all().filter((task) => states.includes(task.state))
  }

  snapshot(): { seq: number; tasks: Task[] } {
    return { seq: this.seq, tasks: this.all() }
  }

  onDelta(listener: (delta: TaskDelta) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** A new swap, stored in one transaction with what is to be sent for it. */
  add(task: Task, entry: OutboxEntry): void {
    this.store.putWithOutbox(task, entry)
    this.tasks.set(task.id, task)
    this.emit([task], [])
  }

  /**
   * Tells a swap what happened to it. `entry`, when given, is stored in the same transaction (null: deleted).
   * Returns the task after it; undefined when there is no such swap any more.
   */
  tell(id: string, happening: Happening, entry?: OutboxEntry | null): Task | undefined {
    const task = this.tasks.get(id)
    if (!task) return undefined
    const next = step(task, happening, this.now())
    if (entry !== undefined) this.store.putWithOutbox(next, entry)
    if (next === task) return task
    // How far an upload or a fetch came is not worth a write: a restart begins again anyway.
    const passing = happening.type === 'upload-progress' || happening.type === 'fetch-progress'
    if (entry === undefined && !(passing && next.state === task.state)) this.store.put(next)
    this.tasks.set(id, next)
    this.emit([next], [])
    return next
  }

  rename(id: string, title: string): void {
    const task = this.tasks.get(id)
    if (!task) return
    const next = { ...task, title, updatedAt: this.now() }
    this.store.put(next)
    this.tasks.set(id, next)
    this.emit([next], [])
  }

  /** Shows newer stills. They live in this run only, so they are not written. */
  preview(id: string, preview: NonNullable<Task['preview']>): void {
    const task = this.tasks.get(id)
    if (task?.state !== 'processing') return
    const next = { ...task, preview }
    this.tasks.set(id, next)
    this.emit([next], [])
  }

  remove(ids: readonly string[]): Task[] {
    const gone = ids.flatMap((id) => this.tasks.get(id) ?? [])
    for (const task of gone) {
      this.store.setRemoved(task.id, this.now())
      this.tasks.delete(task.id)
    }
    if (gone.length > 0)
      this.emit(
        [],
        gone.map((task) => task.id),
      )
    return gone
  }

  restore(ids: readonly string[]): Task[] {
    const back = ids.flatMap((id) => (this.tasks.has(id) ? [] : (this.store.get(id) ?? [])))
    for (const task of back) {
      this.store.setRemoved(task.id, null)
      this.tasks.set(task.id, task)
    }
    if (back.length > 0) this.emit(back, [])
    return back
  }

  private emit(changed: Task[], removed: string[]): void {
    this.seq += 1
    const delta = { seq: this.seq, changed, removed }
    for (const listener of this.listeners) listener(delta)
  }
}
