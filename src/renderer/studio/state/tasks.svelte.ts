/**
 * @file The library as the window knows it: the snapshot, kept up to date by deltas.
 * After a gap in `seq` the snapshot is asked for again; deltas that arrive meanwhile wait.
 */
import type { Bridge, TaskDelta } from '@shared/ipc.ts'
import type { Task } from '@shared/task.ts'

type Source = Pick<Bridge['tasks'], 'snapshot' | 'changed'>
type Transition = (before: Task | undefined, after: Task) => void

export class TasksState {
  readonly #source: Source
  #byId = $state.raw<ReadonlyMap<string, Task>>(new Map())
  #loaded = $state(false)
  #seq = 0
  #loading = false
  #waiting: TaskDelta[] = []
  #unsubscribe: (() => void) | null = null

  /** Newest first. */
  readonly all = $derived([...this.#byId.values()].toSorted((a, b) => b.createdAt - a.createdAt))

  readonly #ahead = $derived.by(() => {
    const ahead = new Map<string, number>()
    const queued = [...this.#byId.values()].filter(({ state, position }) => state === 'queued' && position !== null)
    for (const queue of Map.groupBy(queued, ({ profileId }) => profileId).values())
      for (const [index, { id }] of queue.toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0)).entries())
        ahead.set(id, index)
    return ahead
  })

  /** Called with each change that a delta brings; not for the first snapshot. */
  onTransition: Transition | null = null

  constructor(source: Source) {
    this.#source = source
  }

  get loaded(): boolean {
    return this.#loaded
  }

  get(id: string): Task | undefined {
    return this.#byId.get(id)
  }

  /** How many go to its service before it; null when it is not queued. */
  ahead(id: string): number | null {
    return this.#ahead.get(id) ?? null
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#source.changed((delta) => {
      this.apply(delta)
    })
    await this.reload()
  }

  dispose(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = null
  }

  apply(delta: TaskDelta): void {
    if (this.#loading) {
      this.#waiting.push(delta)
      return
    }
    if (delta.seq <= this.#seq) return
    if (delta.seq > this.#seq + 1) {
      void this.reload()
      return
    }
    this.#merge(delta)
  }

  async reload(): Promise<void> {
    if (this.#loading) return
    this.#loading = true
    try {
      const { seq, tasks } = await this.#source.snapshot()
      this.#seq = seq
      this.#byId = new Map(tasks.map((task) => [task.id, task]))
      this.#loaded = true
    } finally {
      this.#loading = false
    }
    const waiting = this.#waiting.toSorted((a, b) => a.seq - b.seq)
    this.#waiting = []
    for (const delta of waiting) this.apply(delta)
  }

  #merge({ seq, changed, removed }: TaskDelta): void {
    const next = new Map(this.#byId)
    for (const id of removed) next.delete(id)
    for (const task of changed) {
      this.onTransition?.(next.get(task.id), task)
      next.set(task.id, task)
    }
    this.#seq = seq
    this.#byId = next
  }
}
