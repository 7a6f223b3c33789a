/**
 * @file Current state of all swaps: active ones in memory, the rest on disk. Every change runs through here: pure
 * transition, write to disk, then delta to listeners. So everything shown is already stored.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { activeStates, type Task, type TaskState } from '@shared/tasks/task.ts'
import type { StoredClips } from './tables.ts'
import { TaskIndex } from './task-index.ts'
import { percentOf } from '../rules/held-progress.ts'
import { transition, type Command } from '../rules/links.ts'
import type { OutboxEntry } from '../rules/outbox-entry.ts'
import type { Log } from '../../machine/log/log.ts'
import type { TaskStore } from './task-store.ts'
import type { TaskAction } from '../rules/transitions.ts'
import { lookForMs } from '../rules/backoff.ts'

/** Changes grouped into one transaction and one delta. */
interface Batch {
  changed: Map<string, Task>
  removed: Set<string>
  restored: boolean
  /** Previous values, restored if the transaction fails. */
  before: Map<string, Task | undefined>
  commands: [Task, Command][]
}

/** Recovered when the upload resumes, so don't fsync. */
const learnedAgain: ReadonlySet<TaskAction['type']> = new Set(['upload-progress', 'uploaded'])

/** Answers to a create or a resume; they apply to removed swaps too. */
const answers: ReadonlySet<TaskAction['type']> = new Set(['created', 'not-sent', 'unclear', 'refused', 'job-resumed'])

/** States in which a swap may have an outbox entry; the last two while its create is unanswered. */
const mayHaveEntry: ReadonlySet<TaskState> = new Set([
  ...(['queued', 'uploading', 'submitting', 'unconfirmed'] as const),
  ...(['cancelled', 'failed'] as const),
])

/**
 * States held in memory, because they may change without the user; others are read on demand. Missing ones are looked
 * for again for a while.
 */
const statesInMemory: readonly TaskState[] = [...activeStates, 'unconfirmed', 'missing']

/** A sent swap keeps its place in the user's order, because a service may let Mien change that order. */
const keepsPlace = (state: TaskState): boolean => state === 'queued' || state === 'waiting' || state === 'processing'

/** True if only the progress differs. It is stored once for each percent, so that it doesn't fall after a crash. */
const onlyProgress = (before: Task, after: Task): boolean =>
  // Safe: the object's type is Task.
  (Object.keys(after) as (keyof Task)[]).every(
    (key) => key === 'progress' || key === 'updatedAt' || before[key] === after[key],
  )

/** Batch size; keeps each transaction under a few ms. */
const atOnce = 100

export interface TaskDelta {
  /** Increases by 1 with each delta. After a gap the studio requests a snapshot. */
  seq: number
  changed: Task[]
  removed: string[]
}

export class TaskBoard {
  private readonly tasks = new TaskIndex()
  /** The swaps in memory: active, unconfirmed, or recently missing. */
  readonly held: Pick<TaskIndex, 'get' | 'all' | 'of' | 'inStates' | 'profilesWith'> = this.tasks
  private readonly listeners = new Set<(delta: TaskDelta) => void>()
  private seq = 0
  private batching: Batch | null = null
  private commanded: (task: Task, command: Command) => void = () => undefined

  constructor(
    private readonly store: TaskStore,
    private readonly now: () => number,
    private readonly log: Log,
  ) {
    const stored = store.inStates(statesInMemory.filter((state) => state !== 'missing'))
    for (const task of [...stored, ...store.inStates(['missing'], now() - lookForMs)]) {
      const position = keepsPlace(task.state) ? (task.position ?? store.entry(task.id)?.position ?? null) : null
      this.tasks.put({ ...task, position })
    }
  }

  /** Finds any swap, in memory or on disk. */
  get(id: string): Task | undefined {
    return this.tasks.get(id) ?? this.store.find(id)
  }

  /** Sequence number of the last delta. */
  get lastSeq(): number {
    return this.seq
  }

  onDelta(listener: (delta: TaskDelta) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Groups all changes made by `work` into one transaction and one delta. Rolls back when it throws. */
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

  /** Batch without fsync, for answers that services will repeat. */
  batchRelaxed<T>(work: () => T): T {
    return this.store.withRelaxedSync(() => this.batch(work))
  }

  /** Dispatches an action to many swaps in small batches, so that it doesn't block the process. */
  async dispatchMany(ids: readonly string[], action: TaskAction): Promise<void> {
    for (let from = 0; from < ids.length; from += atOnce) {
      if (from > 0) await nextTurn()
      this.batch(() => {
        for (const id of ids.slice(from, from + atOnce)) this.dispatch(id, action)
      })
    }
  }

  /** Adds a swap, stored with its outbox entry and the clips of its cast in one transaction. */
  add(task: Task, entry: OutboxEntry, clips: StoredClips | null = null): void {
    const placed = { ...task, position: entry.position }
    this.store.transaction(() => {
      this.store.putWithOutbox(placed, entry)
      if (clips) this.store.putClips(task.id, clips)
    })
    this.take(placed)
  }

  /**
   * Applies an action to a swap. Stores swap, outbox entry and jobs to end in one transaction. Returns the new task;
   * undefined if there is no such swap.
   */
  dispatch(id: string, action: TaskAction): Task | undefined {
    const shown = this.get(id)
    const task = shown ?? (answers.has(action.type) ? this.store.get(id) : null)
    if (!task) return undefined
    const entry = mayHaveEntry.has(task.state) ? this.store.entry(id) : null
    const next = transition({ task, entry }, action, this.now())
    const position = next.entry?.position ?? (keepsPlace(next.task.state) ? next.task.position : null)
    const after = position === next.task.position ? next.task : { ...next.task, position }
    const linksChange = next.entry !== entry || next.unneeded !== null || next.neededAgain !== null
    if (linksChange) {
      this.store.transaction(() => {
        this.store.putWithOutbox(after, next.entry)
        if (next.unneeded) this.store.jobsToEnd.add(task.profileId, next.unneeded)
        if (next.neededAgain !== null) this.store.jobsToEnd.delete(task.profileId, next.neededAgain)
      })
    } else if (after !== task && onlyProgress(task, after)) {
      if (percentOf(after) !== percentOf(task))
        this.guard(() => {
          this.store.withRelaxedSync(() => {
            this.store.put(after)
          })
        })
    } else if (after !== task) {
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

  /** Sets the handler of commands; they run after the change is stored. */
  onCommand(listener: (task: Task, command: Command) => void): void {
    this.commanded = listener
  }

  private command(commands: [Task, Command][]): void {
    if (this.batching) this.batching.commands.push(...commands)
    else
      for (const [task, command] of commands)
        this.guard(() => {
          this.commanded(task, command)
        })
  }

  /** The position after all other swaps. */
  nextPosition(): number {
    return this.tasks
      .all()
      .reduce((next, { position }) => Math.max(next, (position ?? 0) + 1), this.store.nextPosition())
  }

  /** Sets the queue positions of swaps. */
  place(swaps: readonly { id: string; position: number }[]): void {
    this.batch(() => {
      for (const { id, position } of swaps) {
        const task = this.get(id)
        if (!task || task.position === position) continue
        const next = { ...task, position }
        const entry = this.store.entry(id)
        if (entry) this.store.putWithOutbox(next, { ...entry, position })
        else this.store.put(next)
        this.take(next)
      }
    })
  }

  rename(id: string, title: string): void {
    this.edit(id, () => ({ title }))
  }

  /** The file of a result has another name now. */
  renameFile(id: string, fileName: string): void {
    this.edit(id, ({ result }) => ({ result: result && { ...result, fileName } }))
  }

  private edit(id: string, change: (task: Task) => Partial<Task>): void {
    const task = this.get(id)
    if (!task) return
    const next = { ...task, ...change(task), updatedAt: this.now() }
    this.store.put(next)
    this.take(next)
  }

  /** Shows newer stills. Not stored: they only exist during this run. */
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

  /** Only missing swaps come back into memory; removing has ended all active ones. */
  restore(ids: readonly string[]): void {
    this.batch(() => {
      for (const id of ids) this.store.setRemoved(id, null)
      const back = new Set(ids)
      for (const task of this.store.inStates(['missing'], this.now() - lookForMs))
        if (back.has(task.id)) this.take(task)
      if (this.batching) this.batching.restored = true
    })
  }

  /** Updates memory after a write and emits the delta, at once or with the batch. */
  private take(task: Task): void {
    this.remember(task.id)
    if (statesInMemory.includes(task.state)) this.tasks.put(task)
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
    for (const listener of this.listeners)
      this.guard(() => {
        listener(delta)
      })
  }

  /** For work whose failure must not keep a change from the other listeners, or look like a failed write. */
  private guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.log('Following the change of a swap failed', error)
    }
  }
}
