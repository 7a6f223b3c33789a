/** @file The query of a library view. */
import { z } from 'zod'
import { librarySorts } from './library-view.ts'
import { filters } from './task-row.ts'
import { taskStates } from './task-states.ts'

const some = z.array(z.string().min(1).max(1000)).max(1000).exactOptional()

/** A swap must fit each of these, and one value of a list. Without a list, or with an empty one: any. */
const libraryFiltersSchema = z.strictObject({
  states: z.array(z.enum(taskStates)).max(taskStates.length).exactOptional(),
  /** `faces`: keys of faces, from `LibraryFacets`. */
  ...{ profileIds: some, faces: some, batches: some, tags: some },
  /** Added from … until before …, epoch ms. */
  ...{ from: z.int().exactOptional(), until: z.int().exactOptional() },
  /** `duplicates`: only swaps of the same face, video and options as another one, listed together. */
  ...{ favourite: z.boolean().exactOptional(), duplicates: z.boolean().exactOptional() },
})
export type LibraryFilters = z.infer<typeof libraryFiltersSchema>

/** Each word of `search` must occur in a title, a file name, a person's or a service's name, a tag or a note. */
export const libraryQuerySchema = z.strictObject({
  search: z.string().max(500),
  filter: z.enum(filters),
  filters: libraryFiltersSchema.exactOptional(),
  sort: z.enum(librarySorts),
  /** Lists swaps that were added together as one set, if the view is sorted by time or title and hides none. */
  folded: z.boolean().exactOptional(),
  /** Maximum number of results, which keeps the query fast in a library of any size. */
  limit: z.int().min(1).max(1000).exactOptional(),
})
export type LibraryQuery = z.infer<typeof libraryQuerySchema>
