import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import type { LibraryQuery } from '@shared/tasks/library-query.ts'
import type { SetRow } from '@shared/tasks/library-view.ts'
import type { Task } from '@shared/tasks/task.ts'
import { Library } from '../../../../../src/main/swaps/library.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import type { TaskService } from '../../../../../src/main/swaps/task-service.ts'
import { face, makeTask } from '../../../../fixtures/tasks.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

let db: DatabaseSync
let store: TaskStore
let library: Library
beforeEach(() => {
  db = tempLibrary()
  store = new TaskStore(db, () => undefined)
  library = new Library(db, {
    store,
    tasks: { held: () => [] } as unknown as TaskService, // only what a view calls
    serviceNames: () => new Map(),
  })
})

const day = new Date(2026, 10, 20, 12).getTime()
/** Adds swaps, each named by a letter; those of a batch have the letter of the batch before: "xA" is A of batch x. */
const add = (...names: string[]): void => {
  for (const [at, name] of names.entries()) {
    const [batch, title] = name.length > 1 ? [name[0] ?? '', name.slice(1)] : [null, name]
    put(name, { title, createdAt: day + at, batch: batch === null ? null : { id: batch, number: 1, count: 9 } })
  }
}
const put = (id: string, change: Partial<Task>): void => {
  store.put(makeTask({ id, state: 'kept', endedAt: day, ...change }))
}
const nameOf = (number: number): string =>
  String(db.prepare('SELECT task_id FROM listed WHERE number = ?').get(number)?.['task_id'])
const batchOf = (number: number): string =>
  String(db.prepare('SELECT id FROM batches WHERE number = ?').get(number)?.['id'])

/** The items of a view, with the swaps of each set: `x(xA xB)`. */
function items(change: Partial<LibraryQuery> = {}): string[] {
  const view = library.view({ search: '', filter: 'all', sort: 'newest', folded: true, ...change })
  const swaps = new Map<number, string[]>()
  let from = 0
  for (let at = 0; at < view.sets.length; at += 2) {
    const until = from + (view.sets[at + 1] ?? 0)
    swaps.set(view.sets[at] ?? 0, [...view.members.subarray(from, until)].map(nameOf))
    from = until
  }
  expect(from).toBe(view.members.length)
  return [...view.order].map((item) => (item > 0 ? nameOf(item) : `${batchOf(-item)}(${(swaps.get(-item) ?? []).join(' ')})`)) // prettier-ignore
}
const rowOf = (id: string): SetRow | undefined => {
  const number = Number(db.prepare('SELECT number FROM batches WHERE id = ?').get(id)?.['number'])
  return (JSON.parse(library.sets(Uint32Array.of(number))) as SetRow[])[0]
}

describe('a set', () => {
  beforeEach(() => add('A', 'xM', 'xB', 'xN', 'C', 'yK', 'yD', 'E'))

  it('has the place of its first swap, and its swaps have the order of the view', () => {
    expect(items()).toEqual(['E', 'y(yD yK)', 'C', 'x(xN xB xM)', 'A'])
    expect(items({ sort: 'oldest' })).toEqual(['A', 'x(xM xB xN)', 'C', 'y(yK yD)', 'E'])
    expect(items({ sort: 'title' })).toEqual(['A', 'C', 'E', 'y(yD yK)', 'x(xB xM xN)'])
    expect(items({ sort: 'title-down' })).toEqual(['x(xN xM xB)', 'y(yK yD)', 'E', 'C', 'A'])
  })

  it('is one in a page, and in its day', () => {
    expect(items({ limit: 2 })).toEqual(['E', 'y(yD yK)'])
    const view = library.view({ search: '', filter: 'all', sort: 'newest', folded: true, limit: 3 })
    expect([view.complete, [...view.days]]).toEqual([false, [new Date(2026, 10, 20).getTime(), 3]])
  })

  const unfolding: Partial<LibraryQuery>[] = [
    { search: 'b' },
    { filter: 'finished' },
    { filters: { states: ['kept'] } },
    { filters: { from: 1 } },
    { filters: { duplicates: true } },
    { sort: 'length' },
    { sort: 'state' },
    { folded: false },
  ]
  it.each(unfolding)('is not folded with %j', (change) => expect(items(change).join(' ')).not.toContain('('))

  it('is folded with filters that choose nothing', () => {
    expect(items({ filters: { states: [], favourite: false } })).toHaveLength(5)
  })

  it('is none when one swap is left, and has none that were removed', () => {
    store.setRemoved('xM', 9)
    store.setRemoved('yK', 9)
    expect(items()).toEqual(['E', 'yD', 'C', 'x(xN xB)', 'A'])
  })
})

describe('the row of a set', () => {
  it('has the title and time of the first swap, and counts the others', () => {
    add('xA', 'xB', 'xC', 'xD', 'xE', 'xF')
    put('xB', { state: 'failed', title: 'B', createdAt: day + 1, batch: { id: 'x', number: 2, count: 9 } })
    put('xC', { state: 'missing', title: 'C', createdAt: day + 2, batch: { id: 'x', number: 3, count: 9 } })
    store.labels.setFavourite(Uint32Array.of(1, 2, 3, 4, 5, 6), true)
    const { shown = [], ...row } = rowOf('x') ?? {}
    expect(row).toEqual({
      ...{ number: 1, id: 'x', title: 'A', createdAt: day, endedAt: day, favourite: true },
      ...{ faceCount: 1, targetCount: 1 },
      ...{ count: 6, finished: 4, failed: 1, asking: 2, faces: [{ name: face.name, thumbnailId: face.thumbnailId }] },
    })
    expect(shown.map(({ title }) => title)).toEqual(['A', 'B', 'C', 'D'])
    store.labels.setFavourite(Uint32Array.of(4), false)
    expect(rowOf('x')?.favourite).toBe(false)
  })

  it('has two faces if its first and last swap do', () => {
    add('xA', 'xB')
    put('xC', { face: { ...face, id: 'other', thumbnailId: 'other' }, batch: { id: 'x', number: 3, count: 9 } })
    expect(rowOf('x')?.faces.map(({ thumbnailId }) => thumbnailId)).toEqual([face.thumbnailId, 'other'])
    store.setRemoved('xC', 9)
    expect(rowOf('x')?.faces).toHaveLength(1)
  })

  it('is left out without swaps', () => {
    add('xA', 'xB')
    store.setRemoved('xA', 9)
    store.setRemoved('xB', 9)
    expect([rowOf('x'), library.sets(new Uint32Array())]).toEqual([undefined, '[]'])
  })
})
