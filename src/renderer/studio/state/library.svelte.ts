/** @file What is searched, filtered and chosen in the library. Lives as long as the window. */
import type { Filter } from '../logic/library-view.ts'

export class LibraryState {
  search = $state('')
  filter = $state<Filter>('all')
  /** Where the window was scrolled to, so that coming back from a swap finds the same place. */
  scrollTop = 0
  #chosen = $state.raw<ReadonlySet<string>>(new Set())
  #current = $state<string | null>(null)
  /** Where a range begins. */
  #anchor: string | null = null

  get chosen(): ReadonlySet<string> {
    return this.#chosen
  }
  /** The one stop of the grid: where the keyboard is. */
  get current(): string | null {
    return this.#current
  }

  moveTo(id: string | null): void {
    this.#current = id
  }

  toggle(id: string): void {
    const next = new Set(this.#chosen)
    if (!next.delete(id)) next.add(id)
    this.#chosen = next
    this.#anchor = id
    this.#current = id
  }

  /** From the anchor to here, in the order shown. */
  extend(id: string, order: readonly string[]): void {
    const from = order.indexOf(this.#anchor ?? this.#current ?? id)
    const to = order.indexOf(id)
    if (to < 0) return
    this.#anchor ??= order[from] ?? id
    const [low, high] = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)]
    this.#chosen = new Set(order.slice(low, high + 1))
    this.#current = id
  }

  chooseAll(order: readonly string[]): void {
    this.#chosen = new Set(order)
  }

  clear(): void {
    this.#chosen = new Set()
    this.#anchor = null
  }

  /** What a command acts on: the chosen ones, or else the one given. */
  targets(id: string | null): string[] {
    if (this.#chosen.size > 0 && (id === null || this.#chosen.has(id))) return [...this.#chosen]
    return id === null ? [] : [id]
  }
}
