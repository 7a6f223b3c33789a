/** @file Queries of the library, and their answers. */
import type { Settings } from './settings.ts'
import type { Filter } from './task-row.ts'

/** Query of a library view. Each word of `search` must occur in a title, a file name or a service name. */
export interface LibraryQuery {
  search: string
  filter: Filter
  sort: Settings['librarySort']
  /** Maximum number of results, which keeps the query fast in a library of any size. */
  limit?: number
}

export interface LibraryView {
  /** Numbers of the swaps shown, in order. A typed array, because the context bridge copies it at once. */
  order: Uint32Array
  /** False if `order` was cut by `limit`. */
  complete: boolean
  /** Runs of swaps of one day, as pairs: start of the day (epoch ms), number of swaps. Empty when sorted by title. */
  days: Float64Array
  /** Number of swaps per filter, without a search. */
  counts: Record<Filter, number>
  /** Number of swaps finished since the oldest active one was added. */
  done: number
}

/** Removed swaps; `title` is of one of them. `working`: number that were active; `kept`: number with a result. */
export interface Removed {
  count: number
  title: string
  working: number
  kept: number
}
