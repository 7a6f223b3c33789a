/** @file Answers to the library's queries. */
import type { Filter, TaskRow } from './task-row.ts'
import type { TaskState } from './task-states.ts'

/** A head of the list sorts by its column; `-down` is the other direction. */
export const librarySorts = [
  ...(['newest', 'oldest', 'title', 'title-down', 'state', 'state-down'] as const),
  ...(['length', 'length-down', 'size', 'size-down', 'service', 'service-down'] as const),
] as const
export type LibrarySort = (typeof librarySorts)[number]

export interface LibraryView {
  /**
   * Numbers of the swaps shown, in order; a folded set is minus its number. A typed array, because the context bridge
   * copies it at once.
   */
  order: Int32Array
  /** The folded sets in this order, as pairs: number of the set, number of its swaps. */
  sets: Uint32Array
  /** The swaps of these sets, set by set, in the order of the view. */
  members: Uint32Array
  /** False if `order` was cut by `limit`. */
  complete: boolean
  /** Runs in `order` of one day, as pairs: start of the day (epoch ms), length. Empty if not sorted by time. */
  days: Float64Array
  /** Number of swaps per filter, without a search. */
  counts: Record<Filter, number>
  /** Whether any swap has a tag. */
  tagged: boolean
  /** Number of swaps finished since the oldest active one was added. */
  done: number
}

/** Swaps that were added together, as lists show them. Removed ones don't count. */
export interface SetRow {
  number: number
  /** As in `Task.batch`. */
  id: string
  /** That of its first swap. */
  title: string
  createdAt: number
  /** When the last swap ended, epoch ms; null if none has. */
  endedAt: number | null
  /** Numbers of different faces and of different targets. */
  faceCount: number
  targetCount: number
  count: number
  finished: number
  failed: number
  /** Number of swaps that need the user, failed ones included. */
  asking: number
  /** Whether all are favourites. */
  favourite: boolean
  /** Up to four swaps, for its picture. */
  shown: TaskRow[]
  /** One or two different faces. */
  faces: TaskRow['face'][]
}

/** What swaps can be filtered by, with the number of swaps. */
export interface LibraryFacets {
  states: { state: TaskState; count: number }[]
  /** In alphabetical order. */
  tags: { name: string; count: number }[]
  /** Newest first. A face is the same if its picture is. */
  faces: { key: string; name: string; thumbnailId: string; count: number }[]
  profiles: { profileId: string; count: number }[]
  /** Newest first. `title` is its first swap's. */
  batches: { id: string; title: string; count: number; createdAt: number }[]
  favourites: number
  duplicates: number
}

/** Adds a tag to swaps, or removes it. */
export interface TagChange {
  tag: string
  numbers: Uint32Array
  on: boolean
}

/** Removed swaps; `title` is of one of them. `working`: number that were active; `kept`: number with a result. */
export interface Removed {
  count: number
  title: string
  working: number
  kept: number
}
