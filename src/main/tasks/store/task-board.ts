/**
 * @file The swaps as they are now: in memory those that something may happen to, all others on disk. Every change goes
 * through here: a pure transition, then disk, then the delta to whoever listens; so what is shown was stored before.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { activeStates, type Task, type TaskState } from '@shared/task.ts'
import type { TaskDelta } from '@shared/ipc.ts'
import { TaskIndex } from './task-index.ts'
import { transition, type Command } from '../rules/links.ts'
import type { OutboxEntry } from '../rules/outbox-entry.ts'
import type { TaskStore } from './task-store.ts'
import type { TaskAction } from '../rules/transitions.ts'
import { lookForMs } from '../rules/backoff.ts'

/** Changes that go together: one transaction, one delta. */
interface Batch {
  changed: Map<string, Task>
  removed: Set<string>
  restored: boolean
  /** As they were, for when the transaction fails. */
  before: Map<string, Task | undefined>
  commands: [Task, Command][]
}

/** Known again as soon as an upload goes on: no write of it is worth a wait for the disk. */
const learnedAgain: ReadonlySet<TaskAction['type']> = new Set(['upload-progress', 'uploaded'])

/** What a service answers to a create or a resume; it counts for a removed swap too. */
const answers: ReadonlySet<TaskAction['type']> = new Set(['created', 'not-sent', 'unclear', 'refused', 'job-resumed'])

/** States in which a swap has an outbox entry, or may have: a cancelled one while its create is not answered. */
const mayHaveEntry: ReadonlySet<TaskState> = new Set(['queued', 'uploading', 'submitting', 'unconfirmed', 'cancelled'])

/**
 * Swaps to which something may still happen without the user are held in memory; the others are read when they are
 * asked for. One that its service lost is looked for again for a while.
 */
const pausableStates: readonly TaskState[] = [...activeStates, 'unconfirmed', 'missing']

/** Whether nothing but how far it is differs. No write is worth that: a restart asks again anyway. */
const onlyProgress = (before: Task, after: Task): boolean =>
  // Keys of an object of this type.
  (Object.keys(after) as (keyof Task)[]).every(
    (key) => key === 'progress' || key === 'updatedAt' || before[key] === after[key],
  )

/** So many in one go take a few milliseconds. */
const atOnce = 100

export class TaskBoard {
  private readonly tasks = new TaskIndex()
  private readonly listeners = new Set<(delta: TaskDelta) => void>()
  private seq = 0
  private batching: Batch | null = null
  private commanded: (task: Task, command: Command) => void = () => undefined
  private readonly store: TaskStore
  private readonly now: () => number

  constructor(store: TaskStore, now: () => number) {
    this.store = store
    this.now = now
    const stored = store.inStates(pausableStates.filter((state) => state !== 'missing'))
    for (const task of [...stored, ...store.inStates(['missing'], now() - lookForMs)]) {
      const position = task.state === 'queued' ? (task.position ?? store.entry(task.id)?.position ?? null) : null
      this.tasks.put({ ...task, position })
    }
  }

  /** Any swap of the library. One that is not held in memory is read from disk. */
  get(id: string): Task | undefined {
    return this.tasks.get(id) ?? this.store.find(id)
  }

  /** A swap in memory; see `all`. */
  held(id: string): Task | undefined {
    return this.tasks.get(id)
  }

  /** The swaps in memory: those that are active or unconfirmed, or went missing lately. */
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

  /** Every swap of the library. Reads all of it. */
  snapshot(): { seq: number; tasks: Task[] } {
    return { seq: this.seq, tasks: this.store.all().map((task) => this.tasks.get(task.id) ?? task) }
  }

  /** Of the last delta. */
  get lastSeq(): number {
    return this.seq
  }

  onDelta(listener: (delta: TaskDelta) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Everything that `work` tells is one transaction and one delta. Nothing of it has happened when it throws. */
  batch<T>(work: () => T): T {
    if (this.batching) return work()
    const batch: Batch = { changed: new Map(), removed: new Set(), restored: false, before: new Map(), commands: [] }
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
    const changed = [...batch.changed.values()]
    if (changed.length > 0 || batch.removed.size > 0 || batch.restored) this.emit(changed, [...batch.removed])
    this.command(batch.commands)
    return value
  }

  /** A batch of what the services say again when they are asked again. */
  batchRelaxed<T>(work: () => T): T {
    return this.store.withRelaxedSync(() => this.batch(work))
  }

  /** Tells many swaps the same, in parts, so that nothing else waits for long. */
  async dispatchMany(ids: readonly string[], action: TaskAction): Promise<void> {
    for (let from = 0; from < ids.length; from += atOnce) {
      if (from > 0) await nextTurn()
      this.batch(() => {
        for (const id of ids.slice(from, from + atOnce)) this.dispatch(id, action)
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
   * Tells a swap what happened to it. The swap, its outbox entry and the jobs to end are stored in one transaction.
   * Returns the task after it; undefined: there is no such swap.
   */
  dispatch(id: string, action: TaskAction): Task | undefined {
    const shown = this.get(id)
    const task = shown ?? (answers.has(action.type) ? this.store.get(id) : null)
    if (!task) return undefined
    const entry = mayHaveEntry.has(task.state) ? this.store.entry(id) : null
    const next = transition({ task, entry }, action, this.now())
    const position = next.entry?.position ?? null
    const after = position === next.task.position ? next.task : { ...next.task, position }
    const linksChange = next.entry !== entry || next.unneeded !== null || next.neededAgain !== null
    if (linksChange) {
      this.store.transaction(() => {
        this.store.putWithOutbox(after, next.entry)
        if (next.unneeded) this.store.endJob(task.profileId, next.unneeded)
        if (next.neededAgain !== null) this.store.forgetJob(task.profileId, next.neededAgain)
      })
    } else if (after !== task && !onlyProgress(task, after)) {
      if (learnedAgain.has(action.type)) {
        this.store.withRelaxedSync(() => {
          this.store.put(after)
        })
      } else this.store.put(after)
    }
    if (after !== task && shown) this.take(after)
    this.command(next.commands.map((command) => [after, command]))
    return after
  }

  /** Carries out commands once what they follow from is stored. */
  onCommand(listener: (task: Task, command: Command) => void): void {
    this.commanded = listener
  }

  private command(commands: [Task, Command][]): void {
    if (this.batching) this.batching.commands.push(...commands)
    else for (const [task, command] of commands) this.commanded(task, command)
  }

  /** Gives queued swaps their places. */
  place(entries: readonly OutboxEntry[]): void {
    this.batch(() => {
      for (const entry of entries) {
        const task = this.get(entry.taskId)
        if (!task || task.position === entry.position) continue
        const next = { ...task, position: entry.position }
        this.store.putWithOutbox(next, entry)
        this.take(next)
      }
    })
  }

  rename(id: string, title: string): void {
    const task = this.get(id)
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

  remove(ids: readonly string[]): void {
    this.batch(() => {
      for (const id of ids) {
        this.store.setRemoved(id, this.now())
        this.remember(id)
        this.tasks.delete(id)
        this.batching?.changed.delete(id)
        this.batching?.removed.add(id)
      }
    })
  }

  /** What is held in memory is in the delta; removing has ended everything else. */
  restore(ids: readonly string[]): void {
    this.batch(() => {
      for (const id of ids) this.store.setRemoved(id, null)
      const back = new Set(ids)
      for (const task of this.store.inStates(['missing'], this.now() - lookForMs))
        if (back.has(task.id)) this.take(task)
      if (this.batching) this.batching.restored = true
    })
  }

  /** What is stored is now so; told at once, or with the batch. */
  private take(task: Task): void {
    this.remember(task.id)
    if (pausableStates.includes(task.state)) this.tasks.put(task)
    else this.tasks.delete(task.id)
    if (this.batching) this.batching.changed.set(task.id, task)
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
