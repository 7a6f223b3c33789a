/**
 * @file Times of the library's queries and changes in main, without a window: `node main.mjs DATA-FOLDER`. Each is run
 * several times; the median counts. The data folder is changed.
 */
import { join } from 'node:path'
import { Library } from '../../../src/main/swaps/library.ts'
import { openLibrary } from '../../../src/main/swaps/store/library-db.ts'
import { TaskStore } from '../../../src/main/swaps/store/task-store.ts'
import type { TaskService } from '../../../src/main/swaps/task-service.ts'
import type { LibraryFilters, LibraryQuery } from '../../../src/shared/tasks/library-query.ts'
import type { LibrarySort } from '../../../src/shared/tasks/library-view.ts'

const path = join(process.argv[2] ?? '', 'library.db')
const repeats = 5
const day = 24 * 3600_000
const result: Record<string, { ms: number; slowest?: number; swaps?: number }> = {}

function time(name: string, work: () => { length: number } | undefined, times = repeats): void {
  const all = Array.from({ length: times }, () => {
    const began = performance.now()
    const swaps = work()?.length
    return { ms: performance.now() - began, swaps }
  })
  const sorted = all.toSorted((a, b) => a.ms - b.ms)
  const { ms = 0, swaps } = sorted[Math.floor(times / 2)] ?? {}
  const slowest = sorted.at(-1)?.ms ?? 0
  result[name] = { ms: Math.round(ms), slowest: Math.round(slowest), ...(swaps === undefined ? {} : { swaps }) }
}

const began = performance.now()
const { db } = openLibrary(path, Date.now())
const store = new TaskStore(db, () => undefined)
const names = new Map([
  ['this-computer', 'This computer'],
  ['cloud', 'Studio Cloud'],
])
// Safe: only what is in memory is asked for, and nothing is.
const tasks = { held: () => [], seq: 1 } as unknown as TaskService
const library = new Library(db, { store, tasks, serviceNames: () => names })
const base: LibraryQuery = { search: '', filter: 'all', sort: 'newest' }
const view = (query: Partial<LibraryQuery>) => Uint32Array.from(library.view({ ...base, ...query }).order)
const folded = (query: Partial<LibraryQuery>) => library.view({ ...base, folded: true, ...query })
library.rows(view({ limit: 60 }))
result['open'] = { ms: Math.round(performance.now() - began) }

const all = view({})
const tenThousand = all.slice(0, 10_000)
const undo: (() => void)[] = []
time(
  'tag 10,000',
  () => {
    const inverse = library.labels.tag([{ tag: 'Client review', numbers: tenThousand, on: true }])
    undo.push(() => library.labels.tag(inverse))
    return inverse[0]?.numbers
  },
  1,
)
time(
  'untag 10,000',
  () => {
    undo[0]?.()
    return undefined
  },
  1,
)
library.labels.tag([{ tag: 'Client review', numbers: tenThousand, on: true }])
for (let tag = 0; tag < 200; tag += 1)
  library.labels.tag([{ tag: `Tag ${String(tag)}`, numbers: all.filter((_, index) => index % 200 === tag), on: true }])
time('favourite 10,000', () => library.labels.setFavourite(tenThousand, true), 1)
store.transaction(() => {
  for (const number of all.filter((_, index) => index % 50 === 0))
    store.labels.setNote(number, `Asked the client on ${String(number)}. The left eye is better in the second take. `.repeat(4)) // prettier-ignore
})

time('first page', () => library.rows(view({ limit: 60 })))
time('all', () => view({}))
for (const sort of ['newest', 'title'] as const) {
  time(`sets, by ${sort}`, () => folded({ sort }).order)
  time(`sets, by ${sort}, first page`, () => folded({ sort, limit: 60 }).order)
}
const someSets = folded({}).sets.filter((_, at) => at < 60 && at % 2 === 0)
time('rows of sets', () => ({ length: library.sets(someSets).length }))
const facets = library.facets()
time('what to filter by', () => library.facets().tags)
const sorts: LibrarySort[] = ['oldest', 'title', 'title-down', 'state', 'length', 'size-down', 'service']
for (const sort of sorts) {
  time(`sort by ${sort}`, () => view({ sort }))
  time(`sort by ${sort}, first page`, () => library.rows(view({ sort, limit: 60 })))
}
const filters: Record<string, LibraryFilters> = {
  state: { states: ['kept'] },
  'last 30 days': { from: Date.now() - 30 * day },
  service: { profileIds: ['cloud'] },
  face: { faces: facets.faces.slice(0, 2).map(({ key }) => key) },
  set: { batches: facets.batches.slice(0, 1).map(({ id }) => id) },
  tag: { tags: ['client review'] },
  favourites: { favourite: true },
  duplicates: { duplicates: true },
  'six at once': {
    ...{ states: ['kept'], profileIds: ['this-computer'], tags: ['Client review'], favourite: true },
    ...{ from: Date.now() - 1000 * day, faces: facets.faces.slice(0, 5).map(({ key }) => key) },
  },
}
for (const [name, only] of Object.entries(filters)) {
  time(`filter: ${name}`, () => view({ filters: only }))
  time(`filter: ${name}, by title`, () => view({ filters: only, sort: 'title' }))
}
for (const search of ['launch', 'take 777', 'review', 'client', 'cloud', '视频', 'nothing like it'])
  time(`search: ${search}`, () => view({ search }))
time('last page', () => library.rows(view({}).slice(-60)))
db.close()
process.stdout.write(`${JSON.stringify(result)}\n`)
