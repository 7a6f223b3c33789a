/**
 * @file The library as the window knows it: the snapshot, kept up to date by deltas.
 * After a gap in `seq` the snapshot is asked for again; deltas that arrive meanwhile wait.
 */
import { tick } from 'svelte'
import type { Bridge, TaskDelta } from '@shared/ipc.ts'
import type { Task } from '@shared/task.ts'
import { before, places } from '../logic/queue.ts'

interface Source {
  snapshot: () => Promise<{ seq: number; tasks: Task[] }>
  changed: (listener: (delta: TaskDelta) => void) => () => void
}

// What main writes is what its own schema has read.
const parse = (json: string): Task[] => JSON.parse(json) as Task[]

/** Main's swaps, read from the text as which they cross. */
export const tasksFrom = (bridge: Pick<Bridge['tasks'], 'snapshot' | 'changed'>): Source => ({
  snapshot: async () => {
    const { seq, json } = await bridge.snapshot()
    return { seq, tasks: parse(json) }
  },
  changed: (listener) =>
    bridge.changed(({ seq, json, removed }) => {
      listener({ seq, changed: parse(json), removed })
    }),
})

type Transition = (before: Task | undefined, after: Task) => void

/** With fewer swaps a page is made anew in no time. */
const many = 500

export class TasksState {
  readonly #source: Source
  #byId = $state.raw<ReadonlyMap<string, Task>>(new Map())
  #loaded = $state(false)
  #seq = 0
  #loading = false
  #waiting: TaskDelta[] = []
  /** Deltas that were heard and are shown together; see `apply`. */
  #heard: TaskDelta[] = []
  #flush: ReturnType<typeof setTimeout> | null = null
  #shownAt = -Infinity
  #cost = 0
  #unsubscribe: (() => void) | null = null

  /** Newest first. */
  readonly all = $derived([...this.#byId.values()].toSorted((a, b) => b.createdAt - a.createdAt))

  readonly #places = $derived(places(this.#byId.values()))
  readonly #before = $derived(before(this.#byId.values()))

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

  /** Its place in the queue of what is to be sent to its service, from 0; null when it is not queued. */
  place(id: string): number | null {
    return this.#places.get(id) ?? null
  }

  /** How many come before it; null when it stands in no line. */
  before(id: string): number | null {
    return this.#before.get(id) ?? null
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#source.changed((delta) => {
      this.apply(delta)
    })
    await this.reload()
  }

  dispose(): void {
    if (this.#flush !== null) clearTimeout(this.#flush)
    this.#flush = null
    this.#unsubscribe?.()
    this.#unsubscribe = null
  }

  /**
   * Shown at once; but while thousands of swaps are there, deltas can come faster than a page can be made anew, so what
   * comes soon after another waits for it and is shown together, with three quarters of the time left for the user.
   */
  apply(delta: TaskDelta): void {
    if (this.#loading) {
      this.#waiting.push(delta)
      return
    }
    this.#heard.push(delta)
    if (this.#flush !== null) return
    const wait = this.#byId.size < many ? 0 : this.#shownAt + Math.min(1000, 3 * this.#cost) - performance.now()
    if (wait <= 0) this.#showHeard()
    else {
      this.#flush = setTimeout(() => {
        this.#flush = null
        this.#showHeard()
      }, wait)
    }
  }

  #showHeard(): void {
    const deltas = this.#heard.filter(({ seq }) => seq > this.#seq)
    this.#heard = []
    if (deltas.length === 0) return
    if (deltas.some(({ seq }, index) => seq !== this.#seq + 1 + index)) {
      void this.reload()
      return
    }
    const began = performance.now()
    this.#merge(deltas)
    void tick().then(() => {
      this.#shownAt = performance.now()
      this.#cost = this.#shownAt - began
    })
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

  #merge(deltas: readonly TaskDelta[]): void {
    const next = new Map(this.#byId)
    for (const { seq, changed, removed } of deltas) {
      for (const id of removed) next.delete(id)
      for (const task of changed) {
        this.onTransition?.(next.get(task.id), task)
        next.set(task.id, task)
      }
      this.#seq = seq
    }
    this.#byId = next
  }
}
