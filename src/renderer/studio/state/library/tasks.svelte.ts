/**
 * @file Swaps in the window: rows of all active swaps and of those that were scrolled into view, and full details of
 * the open one. Deltas keep them up to date. After a gap in `seq`, the snapshot is loaded again; deltas that arrive
 * meanwhile are queued.
 */
import { tick } from 'svelte'
import type { Bridge } from '@shared/ipc/contract.ts'
import { MienError } from '@shared/mien-error.ts'
import type { NumberedTask, TaskChanges, TaskRow } from '@shared/tasks/task-row.ts'
import { isActive } from '@shared/tasks/task-states.ts'
import { before, places } from '../../logic/library/queue.ts'

/** The part of the bridge that this class uses. */
interface TaskSource {
  tasks: Pick<Bridge['tasks'], 'snapshot' | 'changed' | 'get'>
  library: Pick<Bridge['library'], 'rows'>
}

type Delta = TaskChanges & { seq: number }
type Transition = (before: TaskRow | undefined, after: TaskRow) => void
type Rows = ReadonlyMap<number, TaskRow>

/** With fewer active swaps, rendering the page takes a negligible time. */
const many = 500
/** Most rows in one answer. */
const mostRows = 1000
/** Rows to keep in addition to the active ones. */
const keptRows = 1500

// Not validated here: main has already checked this data against its schema.
const rowsOf = (json: string): TaskRow[] => JSON.parse(json) as TaskRow[]
const deltaOf = (seq: number, json: string): Delta => ({ seq, ...(JSON.parse(json) as TaskChanges) })

export class TasksState {
  #rows = $state.raw<Rows>(new Map())
  #open = $state.raw<{ id: string; task: NumberedTask | null | undefined }>({ id: '', task: undefined })
  #loaded = $state(false)
  #seq = 0
  #loading = false
  #waiting: Delta[] = []
  /** Received deltas, merged in one batch; see `apply`. */
  #heard: Delta[] = []
  #flush: ReturnType<typeof setTimeout> | null = null
  #shownAt = -Infinity
  #cost = 0
  /** Numbers of requested rows; true when a delta has brought a newer row meanwhile. */
  readonly #asked = new Map<number, boolean>()

  readonly #byId = $derived(new Map([...this.#rows.values()].map((row) => [row.id, row])))

  /** All active swaps, newest first. */
  readonly active = $derived(
    [...this.#rows.values()].filter(({ state }) => isActive(state)).toSorted((a, b) => b.createdAt - a.createdAt),
  )

  readonly #activeByBatch = $derived(Map.groupBy(this.active, ({ batch }) => batch?.id))
  readonly #places = $derived(places(this.active))
  readonly #before = $derived(before(this.active))

  /** Called for each row that a delta changes, but not for the first snapshot. */
  onTransition: Transition | null = null
  /** Called when the order, filter results or counts may have changed. */
  onRelisted: (() => void) | null = null
  readonly loaded = $derived(this.#loaded)

  constructor(private readonly source: TaskSource) {}

  /** The row of a swap, if it is active or was scrolled into view. */
  get(id: string): TaskRow | undefined {
    return this.#byId.get(id)
  }

  at(number: number): TaskRow | undefined {
    return this.#rows.get(number)
  }

  /** The active swaps of a batch. */
  activeOf(batchId: string): readonly TaskRow[] {
    return this.#activeByBatch.get(batchId) ?? []
  }

  /** Full details of the open swap; undefined while loading, null if it doesn't exist. */
  opened(id: string): NumberedTask | null | undefined {
    return this.#open.id === id ? this.#open.task : undefined
  }

  /** Position in the send queue of its service, from 0; null when it is not queued. */
  place(id: string): number | null {
    return this.#places.get(id) ?? null
  }

  /** Number of swaps ahead of it; null when it is not waiting. */
  before(id: string): number | null {
    return this.#before.get(id) ?? null
  }

  async start(): Promise<void> {
    this.source.tasks.changed(({ seq, json }) => this.apply(deltaOf(seq, json)))
    await this.reload()
  }

  /** @throws MienError `not-found` */
  async whole(id: string): Promise<NumberedTask> {
    const { json } = await this.source.tasks.get({ taskId: id })
    if (json === null) throw new MienError('not-found', { id })
    return JSON.parse(json) as NumberedTask
  }

  /** Loads the full details of a swap; deltas keep them up to date until another swap is opened. */
  async open(id: string): Promise<void> {
    if (this.#open.id !== id) this.#open = { id, task: undefined }
    const task = await this.whole(id).catch(() => null)
    if (this.#open.id === id) this.#open = { id, task }
  }

  /** Loads the missing rows. */
  async load(numbers: Iterable<number>): Promise<void> {
    const missing = Uint32Array.from(numbers).filter((number) => !this.#rows.has(number) && !this.#asked.has(number))
    if (missing.length > 0) await this.#read(missing)
  }

  /** Reads the shown ones of these swaps again, because their tags or favourites have changed. */
  async readAgain(numbers: ReadonlySet<number>): Promise<void> {
    const shown = Uint32Array.from(this.#rows.keys().filter((number) => numbers.has(number)))
    for (let from = 0; from < shown.length; from += mostRows) await this.#read(shown.subarray(from, from + mostRows))
    const { id, task } = this.#open
    if (task && numbers.has(task.number)) await this.open(id)
  }

  async #read(missing: Uint32Array): Promise<void> {
    for (const number of missing) this.#asked.set(number, false)
    try {
      const { json } = await this.source.library.rows({ numbers: missing })
      const rows = rowsOf(json).filter(({ number }) => this.#asked.get(number) === false)
      // Main omits unreadable rows. They are not requested again until other rows have arrived.
      if (rows.length > 0)
        this.#rows = this.#trimmed(new Map([...this.#rows, ...rows.map((row) => [row.number, row] as const)]))
    } finally {
      for (const number of missing) this.#asked.delete(number)
    }
  }

  /** Drops the oldest rows that are not active. */
  #trimmed(rows: Map<number, TaskRow>): Rows {
    let over = rows.size - this.active.length - keptRows
    if (over <= 0) return rows
    for (const [number, { state }] of rows) {
      if (isActive(state)) continue
      rows.delete(number)
      over -= 1
      if (over <= -keptRows / 2) break
    }
    return rows
  }

  /**
   * Applies a delta at once. With many active swaps, deltas can arrive faster than the page renders; they are then
   * batched, which leaves three quarters of the time for the user.
   */
  apply(delta: Delta): void {
    if (this.#loading) {
      this.#waiting.push(delta)
      return
    }
    this.#heard.push(delta)
    if (this.#flush !== null) return
    const wait = this.active.length < many ? 0 : this.#shownAt + Math.min(1000, 3 * this.#cost) - performance.now()
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
    if (deltas.some(({ relisted }) => relisted)) this.onRelisted?.()
    void tick().then(() => {
      this.#shownAt = performance.now()
      this.#cost = this.#shownAt - began
    })
  }

  async reload(): Promise<void> {
    if (this.#loading) return
    this.#loading = true
    try {
      const { seq, json } = await this.source.tasks.snapshot()
      this.#seq = seq
      this.#rows = new Map(rowsOf(json).map((row) => [row.number, row]))
      if (this.#loaded) this.onRelisted?.()
      this.#loaded = true
    } finally {
      this.#loading = false
    }
    if (this.#open.id !== '') void this.open(this.#open.id)
    const waiting = this.#waiting.toSorted((a, b) => a.seq - b.seq)
    this.#waiting = []
    for (const delta of waiting) this.apply(delta)
  }

  #merge(deltas: readonly Delta[]): void {
    const next = new Map(this.#rows)
    for (const { seq, rows, removed, open } of deltas) {
      for (const row of rows) {
        const known = next.get(row.number)
        if (this.#asked.has(row.number)) this.#asked.set(row.number, true)
        // Rows that are neither active nor known are loaded when they scroll into view.
        else if (!known && !isActive(row.state)) continue
        this.onTransition?.(known, row)
        next.set(row.number, row)
      }
      for (const id of removed) {
        const row = this.#byId.get(id)
        if (row) next.delete(row.number)
        if (this.#open.id === id) this.#open = { id, task: null }
      }
      if (open && open.id === this.#open.id) this.#open = { id: open.id, task: open }
      this.#seq = seq
    }
    this.#rows = next
  }
}
