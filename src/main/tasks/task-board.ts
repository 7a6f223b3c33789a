/**
 * @file The swaps as they are now. Every change goes through here: pure step, then disk, then the
 * delta to whoever listens; so what is shown was stored before.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Task, TaskState } from '@shared/task.ts'
import type { TaskDelta } from '@shared/ipc.ts'
import { TaskIndex } from './task-index.ts'
import type { OutboxEntry, TaskStore } from './task-store.ts'
import { step, type Happening } from './transitions.ts'

/** Changes that go together: one transaction, one delta. */
interface Batch {
  changed: Set<string>
  removed: Set<string>
  /** As they were, for when the transaction fails. */
  before: Map<string, Task | undefined>
}

/** Known again as soon as an upload goes on: no write of it is worth a wait for the disk. */
const learnedAgain: ReadonlySet<Happening['type']> = new Set(['upload-progress', 'uploaded'])

/** So many in one go take a few milliseconds. */
const atOnce = 100

export class TaskBoard {
  private readonly tasks = new TaskIndex()
  private readonly listeners = new Set<(delta: TaskDelta) => void>()
  private seq = 0
  private batching: Batch | null = null
  private readonly store: TaskStore
  private readonly now: () => number

  constructor(store: TaskStore, now: () => number) {
    this.store = store
    this.now = now
    for (const task of store.all()) {
      const position = task.state === 'queued' ? (task.position ?? store.entry(task.id)?.position ?? null) : null
      // A preview does not outlive the run that fetched it.
      this.tasks.put({ ...task, position, preview: null })
    }
  }

  get(id: string): Task | undefined {
    return this.tasks.get(id)
  }

  all(): Task[] {
    return this.tasks.all()
  }

  inStates(...states: TaskState[]): Task[] {
    return this.tasks.inStates(states)
  }

  /** Swaps of one profile in some states. */
  of(profileId: string, ...states: TaskState[]): Task[] {
    return this.tasks.of(profileId, states)
  }

  count(profileId: string, ...states: TaskState[]): number {
    return this.tasks.count(profileId, states)
  }

  /** Profiles that have swaps in some of these states. */
  profilesWith(...states: TaskState[]): string[] {
    return this.tasks.profilesWith(states)
  }

  snapshot(): { seq: number; tasks: Task[] } {
    return { seq: this.seq, tasks: this.all() }
  }

  onDelta(listener: (delta: TaskDelta) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Everything that `work` tells is one transaction and one delta. Nothing of it has happened when it throws. */
  batch<T>(work: () => T): T {
    if (this.batching) return work()
    const batch: Batch = { changed: new Set(), removed: new Set(), before: new Map() }
    this.batching = batch
    let value: T
    try {
      value = this.store.transaction(work)
    } catch (error) {
      for (const [id, task] of batch.before) {
        if (task) this.tasks.put(task)
        else this.tasks.delete(id)
      }
      throw error
    } finally {
      this.batching = null
    }
    const changed = [...batch.changed].flatMap((id) => this.tasks.get(id) ?? [])
    if (changed.length > 0 || batch.removed.size > 0) this.emit(changed, [...batch.removed])
    return value
  }

  /** A batch of what the services say again when they are asked again. */
  batchHeard<T>(work: () => T): T {
    return this.store.unhurried(() => this.batch(work))
  }

  /** Tells many swaps the same, in parts, so that nothing else waits for long. */
  async tellMany(ids: readonly string[], happening: Happening): Promise<void> {
    for (let from = 0; from < ids.length; from += atOnce) {
      if (from > 0) await nextTurn()
      this.batch(() => {
        for (const id of ids.slice(from, from + atOnce)) this.tell(id, happening)
      })
    }
  }

  /** A new swap, stored in one transaction with what is to be sent for it. */
  add(task: Task, entry: OutboxEntry): void {
    const placed = { ...task, position: entry.position }
    this.store.putWithOutbox(placed, entry)
    this.take(placed)
  }

  /**
   * Tells a swap what happened to it. `entry`, when given, is stored in the same transaction (null: deleted).
   * Returns the task after it; undefined when there is no such swap any more.
   */
  tell(id: string, happening: Happening, entry?: OutboxEntry | null): Task | undefined {
    const task = this.tasks.get(id)
    if (!task) return undefined
    let next = step(task, happening, this.now())
    const position = entry === undefined ? next.position : (entry?.position ?? null)
    if (position !== next.position) next = { ...next, position }
    if (entry !== undefined) this.store.putWithOutbox(next, entry)
    if (next === task) return task
    // How far an upload or a fetch came is not worth a write: a restart begins again anyway.
    const passing = happening.type === 'upload-progress' || happening.type === 'fetch-progress'
    const put = (): void => {
      this.store.put(next)
    }
    if (entry === undefined && !(passing && next.state === task.state)) {
      if (learnedAgain.has(happening.type)) this.store.unhurried(put)
      else put()
    }
    this.take(next)
    return next
  }

  /** Gives queued swaps their places. */
  place(entries: readonly OutboxEntry[]): void {
    this.batch(() => {
      for (const entry of entries) {
        const task = this.tasks.get(entry.taskId)
        if (!task || task.position === entry.position) continue
        const next = { ...task, position: entry.position }
        this.store.putWithOutbox(next, entry)
        this.take(next)
      }
    })
  }

  rename(id: string, title: string): void {
    const task = this.tasks.get(id)
    if (!task) return
    const next = { ...task, title, updatedAt: this.now() }
    this.store.put(next)
    this.take(next)
  }

  /** Shows newer stills. They live in this run only, so they are not written. */
  preview(id: string, preview: NonNullable<Task['preview']>): void {
    const task = this.tasks.get(id)
    if (task?.state === 'processing') this.take({ ...task, preview })
  }

  remove(ids: readonly string[]): Task[] {
    const gone = ids.flatMap((id) => this.tasks.get(id) ?? [])
    this.batch(() => {
      for (const task of gone) {
        this.store.setRemoved(task.id, this.now())
        this.remember(task.id)
        this.tasks.delete(task.id)
        this.batching?.removed.add(task.id)
      }
    })
    return gone
  }

  restore(ids: readonly string[]): Task[] {
    const back = ids.flatMap((id) => (this.tasks.get(id) ? [] : (this.store.get(id) ?? [])))
    this.batch(() => {
      for (const task of back) {
        this.store.setRemoved(task.id, null)
        this.take(task)
      }
    })
    return back
  }

  /** What is stored is now so; told at once, or with the batch. */
  private take(task: Task): void {
    this.remember(task.id)
    this.tasks.put(task)
    if (this.batching) this.batching.changed.add(task.id)
    else this.emit([task], [])
  }

  private remember(id: string): void {
    const before = this.batching?.before
    if (before && !before.has(id)) before.set(id, this.tasks.get(id))
  }

  private emit(changed: Task[], removed: string[]): void {
    this.seq += 1
    const delta = { seq: this.seq, changed, removed }
    for (const listener of this.listeners) listener(delta)
  }
}
