/**
 * @file Search, filter, open sets and selection of the library, and the result from main: the numbers of all swaps and
 * sets in display order (see logic/library/sets.ts). Rows of swaps are loaded as they scroll into view
 * (tasks.svelte.ts), and so are those of sets. Lives as long as the window.
 */
import type { Bridge } from '@shared/ipc/contract.ts'
import type { LibraryQuery } from '@shared/tasks/library-query.ts'
import type { LibraryFacets, LibraryView, SetRow } from '@shared/tasks/library-view.ts'
import type { Filter } from '@shared/tasks/task-row.ts'
import { toQuery, type ChosenFilters } from '../../logic/library/library-filters.ts'
import { isSet, membersOf, unfold } from '../../logic/library/sets.ts'

const nothing: LibraryView = {
  order: new Int32Array(),
  sets: new Uint32Array(),
  members: new Uint32Array(),
  complete: true,
  days: new Float64Array(),
  counts: { all: 0, working: 0, 'needs-you': 0, finished: 0 },
  done: 0,
  tagged: false,
}

/** A new view first requests this many swaps, to show at once; the rest follows. */
const firstRows = 60
const longestSearch = 500
/** With more rows of sets, those out of sight are dropped. */
const mostSetRows = 200
const betweenLettersMs = 150

interface LibraryDeps {
  bridge: Pick<Bridge['library'], 'view' | 'sets' | 'facets'>
  sort: () => LibraryQuery['sort']
  /** Loads the missing rows. */
  load: (numbers: Iterable<number>) => Promise<void>
}

const sameQuery = (a: LibraryQuery | null, b: LibraryQuery): boolean =>
  a?.search === b.search &&
  a.filter === b.filter &&
  a.sort === b.sort &&
  JSON.stringify(a.filters) === JSON.stringify(b.filters)

export class LibraryState {
  #search = $state('')
  #filter = $state<Filter>('all')
  #filters = $state.raw<ChosenFilters>({})
  #facets = $state.raw<LibraryFacets | null>(null)
  #view = $state.raw(nothing)
  #open = $state.raw<ReadonlySet<number>>(new Set())
  readonly #members = $derived(membersOf(this.#view))
  readonly #unfolded = $derived(unfold(this.#view, this.#members, this.#open))
  /** The open set of each swap. */
  readonly #setOf = $derived(
    new Map([...this.#open].flatMap((set) => [...(this.#members.get(set) ?? [])].map((swap) => [swap, set] as const))),
  )
  #setRows = $state.raw<ReadonlyMap<number, SetRow>>(new Map())
  /** Sets whose rows are as new as the view. */
  #read = new Set<number>()
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
  /** Whether filters or a search hide swaps. */
  readonly isNarrowed = $derived(
    this.#search.trim() !== '' || this.#filter !== 'all' || Object.keys(this.#filters).length > 0,
  )
  /** What swaps can be filtered by; null before the first `loadFacets`. */
  readonly facets = $derived(this.#facets)
  /** All swaps and sets in the view, those of open sets too. */
  readonly order = $derived(this.#unfolded.order)
  /** Days as in `layOut`. */
  readonly days = $derived(this.#unfolded.days)
  readonly counts = $derived(this.#view.counts)
  /** Whether any swap in the library has a tag. */
  readonly tagged = $derived(this.#view.tagged)
  /** Whether `order` is whole: not only its first rows. */
  readonly complete = $derived(this.#view.complete)
  readonly done = $derived(this.#view.done)
  /** The query that `order` is the answer to; null before the first answer. */
  readonly shown = $derived(this.#shown)
  /** The selected swaps. */
  readonly chosen = $derived(this.#chosen)
  /** The swap or set that holds the grid's only tab stop. */
  readonly current = $derived(this.#current)

  constructor(private readonly deps: LibraryDeps) {}

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
  get filters(): ChosenFilters {
    return this.#filters
  }
  set filters(filters: ChosenFilters) {
    this.#filters = filters
    this.#refreshSoon()
  }

  /** Shows all swaps. */
  showAll(): void {
    this.#search = ''
    this.#filter = 'all'
    this.filters = {}
  }

  isOpen(set: number): boolean {
    return this.#open.has(set)
  }

  /** The open set that contains a swap, or null. */
  setOf(swap: number): number | null {
    return this.#setOf.get(swap) ?? null
  }

  /** A swap itself, or the swaps of a set. */
  swapsOf(item: number): Uint32Array {
    return isSet(item) ? (this.#members.get(item) ?? new Uint32Array()) : Uint32Array.of(item)
  }

  toggleSet(set: number): void {
    const next = new Set(this.#open)
    if (!next.delete(set)) next.add(set)
    this.#open = next
    this.#current = set
  }

  /** The row of a set, if it was scrolled into view. */
  setAt(set: number): SetRow | undefined {
    return this.#setRows.get(set)
  }

  /** Loads the rows of sets that are missing, or older than the view. */
  async loadSets(sets: readonly number[]): Promise<void> {
    const wanted = sets.filter((set) => !this.#read.has(set))
    if (wanted.length === 0) return
    for (const set of wanted) this.#read.add(set)
    const { json } = await this.deps.bridge.sets({ numbers: Uint32Array.from(wanted, (set) => -set) })
    // Not validated here: main has built it.
    const rows = (JSON.parse(json) as SetRow[]).map((row) => [-row.number, row] as const)
    const isFull = this.#setRows.size > mostSetRows
    if (isFull) this.#read = new Set(wanted)
    this.#setRows = new Map([...(isFull ? [] : this.#setRows), ...rows])
  }

  #show(view: LibraryView): void {
    this.#view = view
    this.#read.clear()
  }

  async loadFacets(): Promise<void> {
    this.#facets = await this.deps.bridge.facets()
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
    this.refresh().catch((error: unknown) => console.error('The library could not be read', error))
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
        filters: toQuery(this.#filters, Date.now()),
        sort: this.deps.sort(),
        folded: true,
      }
      if (!sameQuery(this.#shown, query)) {
        const first = await this.deps.bridge.view({ ...query, limit: firstRows })
        await this.deps.load(first.order.filter((item) => !isSet(item)))
        this.#show(first)
        this.#shown = query
        this.#started?.()
        if (first.complete) continue
        // The user may still be typing: the next letter would have to wait for a full order that is never shown.
        await this.#pause(betweenLettersMs)
        if (this.#isWanted()) continue
      }
      const began = performance.now()
      this.#show(await this.deps.bridge.view(query))
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

  moveTo(item: number | null): void {
    this.#current = item
  }

  /** Whether a swap, or each swap of a set, is selected. */
  isChosen(item: number): boolean {
    const swaps = this.swapsOf(item)
    return swaps.length > 0 && swaps.every((swap) => this.#chosen.has(swap))
  }

  toggle(item: number): void {
    const swaps = new Set(this.swapsOf(item))
    this.#chosen = this.isChosen(item) ? this.#chosen.difference(swaps) : this.#chosen.union(swaps)
    this.#anchor = item
    this.#current = item
  }

  /** Selects from the anchor to this swap or set, in display order. */
  extend(item: number): void {
    const { order } = this
    const from = order.indexOf(this.#anchor ?? this.#current ?? item)
    const to = order.indexOf(item)
    if (to < 0) return
    this.#anchor ??= order[from] ?? item
    const [low, high] = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)]
    this.#chosen = this.#swapsIn(order.subarray(low, high + 1))
    this.#current = item
  }

  #swapsIn(items: Int32Array): Set<number> {
    const swaps = new Set<number>()
    for (const item of items) {
      if (isSet(item)) for (const swap of this.swapsOf(item)) swaps.add(swap)
      else swaps.add(item)
    }
    return swaps
  }

  async chooseAll(): Promise<void> {
    if (!this.#view.complete) await this.refresh()
    this.#chosen = this.#swapsIn(this.order)
  }

  clear(): void {
    this.#chosen = new Set()
    this.#anchor = null
  }

  /** What a command acts on: the whole selection if it contains the given swap or set, else that alone. */
  targets(item: number): ReadonlySet<number> {
    return this.isChosen(item) ? this.#chosen : new Set(this.swapsOf(item))
  }
}
