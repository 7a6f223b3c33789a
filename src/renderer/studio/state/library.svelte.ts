/**
 * @file Search, filter and selection of the library, and the result from main: the numbers of all swaps in display
 * order. Their rows are loaded as they scroll into view (tasks.svelte.ts). Lives as long as the window.
 */
import type { Bridge } from '@shared/ipc.ts'
import type { LibraryQuery, LibraryView } from '@shared/library-view.ts'
import type { Filter } from '@shared/task-row.ts'

const nothing: LibraryView = {
  order: new Uint32Array(),
  complete: true,
  days: new Float64Array(),
  counts: { all: 0, working: 0, 'needs-you': 0, finished: 0 },
  done: 0,
}

/** A new view first requests this many swaps, to show at once; the rest follows. */
const firstRows = 60
const longestSearch = 500
const betweenLettersMs = 150

interface LibraryDeps {
  bridge: Pick<Bridge['library'], 'view'>
  sort: () => LibraryQuery['sort']
  /** Loads the missing rows. */
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
  /** Scroll position, restored when the user returns from a swap. */
  scrollTop = 0
  #chosen = $state.raw<ReadonlySet<number>>(new Set())
  #current = $state<number | null>(null)
  /** Start of a range selection. */
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
  /** Numbers of all swaps in the view. */
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
  /** The query that `order` is the answer to; null before the first answer. */
  get shown(): LibraryQuery | null {
    return this.#shown
  }

  /** Resolves when the first rows are loaded. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#started = resolve
      this.refresh().then(resolve, reject)
    })
  }

  /** Requests the view again. Calls during a request are merged into one request after it. */
  async refresh(): Promise<void> {
    this.#wanted = true
    this.#endPause?.()
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
      if (this.#wanted) this.#refreshSoon()
    })
    await this.#asking
  }

  /** After an error the view stays as it is; the next change requests it again. */
  #refreshSoon(): void {
    this.refresh().catch((error: unknown) => {
      console.error('The library could not be read', error)
    })
  }

  /** Ends early when another refresh is requested. */
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
        // The user may still be typing: the next letter would have to wait for a full order that is never shown.
        await this.#pause(betweenLettersMs)
        if (this.#isWanted()) continue
      }
      const began = performance.now()
      this.#view = await this.#deps.bridge.view(query)
      this.#cost = performance.now() - began
    }
  }

  /** Orders or counts may have changed. The delay keeps the page responsive when thousands of swaps change at once. */
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
  /** The swap that holds the grid's only tab stop. */
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

  /** Selects from the anchor to this swap, in display order. */
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

  /** What a command acts on: the whole selection if it contains the given swap, else that swap alone. */
  targets(number: number): ReadonlySet<number> {
    return this.#chosen.has(number) ? this.#chosen : new Set([number])
  }
}
