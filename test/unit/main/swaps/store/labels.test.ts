import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { defaultOptions } from '@shared/options/default-options.ts'
import type { LibraryFilters, LibraryQuery } from '@shared/tasks/library-query.ts'
import { longestTag, maxTags } from '@shared/tasks/tags.ts'
import type { Task } from '@shared/tasks/task.ts'
import { MediaStore } from '../../../../../src/main/media/media-store.ts'
import { Library } from '../../../../../src/main/swaps/library.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import type { TaskService } from '../../../../../src/main/swaps/task-service.ts'
import { swap } from '../../../../fixtures/fake-tasks.ts'
import { face, makeTask, video } from '../../../../fixtures/tasks.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

let db: DatabaseSync
let store: TaskStore
let library: Library
beforeEach(() => {
  db = tempLibrary()
  store = new TaskStore(db, () => undefined)
  const remove = (ids: string[]): void => {
    for (const id of ids) store.setRemoved(id, 9)
  }
  library = new Library(db, {
    store,
    tasks: { held: () => [], remove } as unknown as TaskService, // only what a removal calls
    serviceNames: () => new Map([['cloud', 'Studio Cloud']]),
  })
})

/** Adds swaps named A, B, … and returns their row numbers. */
const add = (...changes: Partial<Task>[]): number[] =>
  changes.map((change, at) => {
    const title = String.fromCharCode(65 + at)
    store.put(makeTask({ id: `task-${title}`, title, state: 'kept', createdAt: 1000 + at, ...change }))
    return store.numberOf(`task-${title}`) ?? 0
  })
const some = (...numbers: number[]): Uint32Array => Uint32Array.from(numbers)
const rows = (numbers: Uint32Array) => JSON.parse(library.rows(numbers)) as { title: string; tags: string[]; favourite: boolean }[] // prettier-ignore
const found = (filters: LibraryFilters, change: Partial<LibraryQuery> = {}): string[] => {
  const { order } = library.view({ search: '', filter: 'all', sort: 'oldest', filters, ...change })
  return [...order].map((number) => rows(some(number))[0]?.title ?? '')
}
const search = (text: string): string[] => found({}, { search: text })

describe('tags', () => {
  it('are added to many swaps, found, counted, removed, and put back', () => {
    const [a = 0, b = 0, c = 0] = add({}, {}, {})
    library.labels.tag([{ tag: ' Crew ', numbers: some(a, b), on: true }])
    const inverse = library.labels.tag([
      { tag: 'crew', numbers: some(b, c), on: true },
      { tag: 'v2', numbers: some(a, b), on: true },
    ])
    expect(rows(some(a, b, c)).map(({ tags }) => tags)).toEqual([['Crew', 'v2'], ['Crew', 'v2'], ['Crew']])
    expect(found({ tags: ['CREW'] })).toEqual(['A', 'B', 'C'])
    for (const titles of [found({ tags: ['v2', 'none'] }), search('v2')]) expect(titles).toEqual(['A', 'B'])
    const counted = (list: readonly { name: string; count: number }[]): string[] =>
      list.map(({ name, count }) => `${name} ${String(count)}`)
    expect(counted(library.facets().tags)).toEqual(['Crew 3', 'v2 2'])
    expect(counted(library.labels.tagsOf(some(a, c)))).toEqual(['Crew 2', 'v2 1'])
    library.remove(some(a))
    expect(counted(library.facets().tags)).toEqual(['Crew 2', 'v2 1'])
    library.labels.tag(inverse)
    expect(rows(some(a, b, c)).map(({ tags }) => tags)).toEqual([['Crew'], ['Crew'], []])
    expect(db.prepare('SELECT name FROM tags').all()).toEqual([{ name: 'Crew' }])
  })

  it('are offered in alphabetical order', () => {
    const [a = 0] = add({})
    library.labels.tag(['v2', 'Émile', 'crew'].map((tag) => ({ tag, numbers: some(a), on: true })))
    expect(library.facets().tags.map(({ name }) => name)).toEqual(['crew', 'Émile', 'v2'])
  })

  it('are gone with the swap', () => {
    const [a = 0] = add({})
    library.labels.tag([{ tag: 'Crew', numbers: some(a), on: true }])
    library.labels.setNote(a, 'A note')
    store.setRemoved('task-A', 1)
    const [task] = store.removedBefore(2, 1)
    if (task) store.purge(task)
    const left = db.prepare('SELECT (SELECT count(*) FROM tagged) + (SELECT count(*) FROM notes) AS n')
    expect(left.get()).toEqual({ n: 0 })
  })

  it.each([
    ['', 'empty'],
    ['  \n\u0000 ', 'empty'],
    ['x'.repeat(10_000), 'long'],
    ['x'.repeat(longestTag + 1), 'long'],
  ])('%j is refused', (tag, reason) => {
    const [a = 0] = add({})
    expect(() => library.labels.tag([{ tag, numbers: some(a), on: true }])).toThrow(
      expect.objectContaining({ code: 'tag-invalid', details: expect.objectContaining({ reason }) as unknown }),
    )
  })

  it.each([
    ['Café', 'CAFÉ'],
    ['ＡＢＣ', 'abc'],
    ['client\u0007 \n review', 'Client review'],
    ['\u202egnol', 'gnol'],
  ])('%j and %j are the same', (first, second) => {
    const [a = 0] = add({})
    library.labels.tag([{ tag: first, numbers: some(a), on: true }])
    expect(library.labels.tag([{ tag: second, numbers: some(a), on: true }])).toEqual([])
  })

  it('that differ in voiced marks are not the same', () => {
    const [a = 0] = add({})
    library.labels.tag(['はし', 'ばし'].map((tag) => ({ tag, numbers: some(a), on: true })))
    expect(library.facets().tags).toHaveLength(2)
  })

  it('are not added at all if a swap would have too many', () => {
    const [a = 0, b = 0] = add({}, {})
    const many = Array.from({ length: maxTags }, (_, at) => ({ tag: `tag ${String(at)}`, numbers: some(a), on: true }))
    library.labels.tag(many)
    expect(() => library.labels.tag([{ tag: 'one more', numbers: some(a, b), on: true }])).toThrow('too-many-tags')
    expect([library.facets().tags.length, rows(some(b))[0]?.tags]).toEqual([maxTags, []])
    const thousand = Array.from({ length: 1000 }, (_, at) => ({ tag: `n${String(at)}`, numbers: some(b), on: true }))
    expect(() => library.labels.tag(thousand)).toThrow('too-many-tags')
    expect(rows(some(b))[0]?.tags).toEqual([])
  })
})

it('a note is kept, found by a word or a part of one, replaced, and emptied', () => {
  const [a = 0, b = 0] = add({}, {})
  expect(library.labels.setNote(a, 'Left eye better in take two, said ÉMILE')).toBe('')
  library.labels.setNote(b, '婚礼')
  expect([search('left eye'), search('emil'), search('礼'), search('eyes')]).toEqual([['A'], ['A'], ['B'], []])
  expect(library.labels.setNote(a, 'Other')).toContain('Left eye')
  expect([library.labels.note(a), search('left')]).toEqual(['Other', []])
  library.labels.setNote(a, ' ')
  expect([library.labels.note(a), search('other')]).toEqual(['', []])
})

it('favourites: what changed is told, so that it can be undone', () => {
  const [a = 0, b = 0] = add({}, {})
  library.labels.setFavourite(some(a), true)
  expect([...library.labels.setFavourite(some(a, b), true)]).toEqual([b])
  library.labels.setFavourite(some(b), false)
  expect([found({ favourite: true }), library.facets().favourites]).toEqual([['A'], 1])
})

describe('a filter', () => {
  it.each<[LibraryFilters, string[]]>([
    [{ states: ['failed', 'cancelled'] }, ['B', 'C']],
    [{ profileIds: ['cloud'] }, ['B']],
    [{ from: 1001, until: 1003 }, ['B', 'C']],
    [{ batches: ['set-1'] }, ['C', 'D']],
    [{ states: ['failed'], profileIds: ['cloud'], until: 1001 }, []],
    [{ states: [], tags: [] }, ['A', 'B', 'C', 'D']],
  ])('%j finds %j', (filters, titles) => {
    const batch = (number: number) => ({ id: 'set-1', number, count: 2 })
    add({}, { state: 'failed', profileId: 'cloud' }, { state: 'cancelled', batch: batch(1) }, { batch: batch(2) })
    expect(found(filters)).toEqual(titles)
    expect(found(filters, { sort: 'title-down' })).toEqual(titles.toReversed())
  })

  it('of a face finds it by its content, also in a cast of several', () => {
    const media = new MediaStore(db)
    for (const id of ['first', 'copy', 'other'])
      media.addFace(`/${id}.jpg`, id === 'other' ? 'sha-2' : 'sha-1', { ...face, id, name: `${id}.jpg` })
    const of = (id: string) => ({ ...face, id, name: `${id}.jpg` })
    const cast = [of('other'), of('copy')].map((each, at) => ({
      ...{ personId: String(at), personName: at === 1 ? 'Zoë' : null, personFaceId: 'p', face: each, pictures: [] },
    }))
    add({ face: of('first') }, { face: of('other') }, { face: of('other'), cast })
    const faces = library.facets().faces.toSorted((a, b) => b.name.localeCompare(a.name))
    expect(faces.map(({ name, count }) => [name, count])).toEqual([
      ['other.jpg', 2],
      ['copy.jpg', 2],
    ])
    expect(found({ faces: [faces[1]?.key ?? ''] })).toEqual(['A', 'C'])
    expect([search('zoe'), search('copy')]).toEqual([['C'], ['C']])
  })

  it('of duplicates lists swaps of the same face, video and options together', () => {
    const other = { ...video, id: 'video-2', name: 'copy of clip.mp4' }
    const options = { ...defaultOptions, likeness: 10, keep: [] }
    const faceTwo = { face: { ...face, id: 'face-2' } }
    add({}, { video: { ...video, sizeBytes: 7 } }, { video: other }, { options }, { options, video: other }, faceTwo)
    expect(found({ duplicates: true })).toEqual(['E', 'D', 'C', 'A'])
    expect(library.facets().duplicates).toBe(4)
    const { days } = library.view({ search: '', filter: 'all', sort: 'newest', filters: { duplicates: true } })
    expect(days).toHaveLength(0)
  })
})

describe('an order', () => {
  const at = (durationMs: number | null, change: Partial<Task> = {}): Partial<Task> => ({
    video: { ...video, durationMs },
    ...change,
  })
  beforeEach(() => {
    add(at(9000, { state: 'failed', profileId: 'cloud' }), at(null), at(5000, { state: 'queued', profileId: 'zeta' }))
  })
  it.each([
    ['length', ['B', 'C', 'A']],
    ['length-down', ['A', 'C', 'B']],
    ['state', ['C', 'B', 'A']],
    ['state-down', ['A', 'B', 'C']],
    ['service', ['B', 'A', 'C']],
    ['service-down', ['C', 'A', 'B']],
    ['title-down', ['C', 'B', 'A']],
  ] as const)('%s', (sort, titles) => {
    expect(found({}, { sort })).toEqual(titles)
    expect(found({}, { sort, limit: 2 })).toEqual(titles.slice(0, 2))
    expect(found({}, { sort, search: 'clip' })).toEqual(titles)
  })
})

it('the swap whose result a file is can be found, unless it was removed', () => {
  const mediaId = new MediaStore(db).addDerived('/results/a.mp4')
  const { result } = swap('interview', 1, {})
  add({ result: null }, { result: result && { ...result, mediaId } })
  expect(library.withFile('/results/a.mp4')?.title).toBe('B')
  expect(library.withFile('/results/b.mp4')).toBeNull()
  store.setRemoved('task-B', 9)
  expect(library.withFile('/results/a.mp4')).toBeNull()
})
