/**
 * @file What is searched, filtered and chosen in the library, and what main found: all swaps of the view as numbers in
 * their order, whose rows are loaded when they come into sight (tasks.svelte.ts). Lives as long as the window.
 */
import type { Bridge, LibraryQuery, LibraryView } from '@shared/ipc.ts'
import type { Filter } from '@shared/task-row.ts'

const nothing: LibraryView = {
  order: new Uint32Array(),
  complete: true,
  days: new Float64Array(),
  counts: { all: 0, working: 0, 'needs-you': 0, finished: 0 },
  done: 0,
}

/** Of a new view, so many are asked for first and there when it is shown; the others follow. */
const firstRows = 60
const longestSearch = 500
const betweenLettersMs = 150

interface LibraryDeps {
  bridge: Pick<Bridge['library'], 'view'>
  sort: () => LibraryQuery['sort']
  /** Loads rows that are not there yet. */
  load: (numbers: Uint32Array) => Promise<void>
}

const sameQuery = (a: LibraryQuery | null, b: LibraryQuery): boolean =>
  a?.search === b.search && a.filter === b.filter && a.sort === b.sort

export class LibraryState {
  readonly #deps: LibraryDeps
  #search = $state('')
  #filter = $state<Filter>('all')
  #view = $state.raw(nothing)
  #shown = $state.raw<LibraryQuery | null>(null)
  #asking: Promise<void> | null = null
  #wanted = false
  #endPause: (() => void) | null = null
  #cost = 0
  #started: (() => void) | null = null
  #later: ReturnType<typeof setTimeout> | null = null
  /** Where the window was scrolled to, so that coming back from a swap finds the same place. */
  scrollTop = 0
  #chosen = $state.raw<ReadonlySet<number>>(new Set())
  #current = $state<number | null>(null)
  /** Where a range begins. */
  #anchor: number | null = null

  constructor(deps: LibraryDeps) {
    this.#deps = deps
  }

  get search(): string {
    return this.#search
  }
  set search(search: string) {
    this.#search = search
    this.#refreshSoon()
  }
  get filter(): Filter {
    return this.#filter
  }
  set filter(filter: Filter) {
    this.#filter = filter
    this.#refreshSoon()
  }
  /** Numbers of all swaps of the view. */
  get order(): Uint32Array {
    return this.#view.order
  }
  get days(): Float64Array {
    return this.#view.days
  }
  get counts(): LibraryView['counts'] {
    return this.#view.counts
  }
  get done(): number {
    return this.#view.done
  }
  /** What the order answers; null before the first answer. */
  get shown(): LibraryQuery | null {
    return this.#shown
  }

  /** Until the first rows are there. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#started = resolve
      this.refresh().then(resolve, reject)
    })
  }

  /** Asks for the view anew. While an answer is on its way, only the newest question is asked after it. */
  async refresh(): Promise<void> {
    this.#wanted = true
    this.#endPause?.()
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
      if (this.#wanted) this.#refreshSoon()
    })
    await this.#asking
  }

  /** A view that cannot be had stays as it was; the next change asks again. */
  #refreshSoon(): void {
    this.refresh().catch((error: unknown) => {
      console.error('The library could not be read', error)
    })
  }

  /** Ends early when something else is asked for. */
  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#endPause = null
  }

  /** A method, so that TypeScript does not narrow the value across awaits. */
  #isWanted(): boolean {
    return this.#wanted
  }

  async #ask(): Promise<void> {
    while (this.#wanted) {
      this.#wanted = false
      const query = {
        search: this.#search.trim().slice(0, longestSearch),
        filter: this.#filter,
        sort: this.#deps.sort(),
      }
      if (!sameQuery(this.#shown, query)) {
        const first = await this.#deps.bridge.view({ ...query, limit: firstRows })
        await this.#deps.load(first.order)
        this.#view = first
        this.#shown = query
        this.#started?.()
        if (first.complete) continue
        // Whoever types goes on typing: the next letter would wait for an order that nobody sees.
        await this.#pause(betweenLettersMs)
        if (this.#isWanted()) continue
      }
      const began = performance.now()
      this.#view = await this.#deps.bridge.view(query)
      this.#cost = performance.now() - began
    }
  }

  /** Orders or counts may have changed; thousands of swaps may say so at once, so that most of the time is left for the user. */
  changed(): void {
    this.#later ??= setTimeout(
      () => {
        this.#later = null
        this.#refreshSoon()
      },
      Math.min(1000, 3 * this.#cost),
    )
  }

  dispose(): void {
    if (this.#later !== null) clearTimeout(this.#later)
    this.#later = null
  }

  get chosen(): ReadonlySet<number> {
    return this.#chosen
  }
  /** The one stop of the grid: where the keyboard is. */
  get current(): number | null {
    return this.#current
  }

  moveTo(number: number | null): void {
    this.#current = number
  }

  toggle(number: number): void {
    const next = new Set(this.#chosen)
    if (!next.delete(number)) next.add(number)
    this.#chosen = next
    this.#anchor = number
    this.#current = number
  }

  /** From the anchor to here, in the order shown. */
  extend(number: number): void {
    const { order } = this
    const from = order.indexOf(this.#anchor ?? this.#current ?? number)
    const to = order.indexOf(number)
    if (to < 0) return
    this.#anchor ??= order[from] ?? number
    const [low, high] = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)]
    this.#chosen = new Set(order.subarray(low, high + 1))
    this.#current = number
  }

  async chooseAll(): Promise<void> {
    if (!this.#view.complete) await this.refresh()
    this.#chosen = new Set(this.order)
  }

  clear(): void {
    this.#chosen = new Set()
    this.#anchor = null
  }

  /** What a command acts on: the chosen ones, or else the one given. */
  targets(number: number): ReadonlySet<number> {
    return this.#chosen.has(number) ? this.#chosen : new Set([number])
  }
}
