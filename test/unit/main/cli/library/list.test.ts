import { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it } from 'vitest'
import type { CommandOf } from '../../../../../src/main/cli/args/args.ts'
import { listed } from '../../../../../src/main/cli/library/list.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

let db: DatabaseSync
let store: TaskStore
beforeEach(() => {
  db = tempLibrary()
  store = new TaskStore(db, () => undefined)
  for (const [at, title] of ['Alone', 'Launch', 'Second', 'Reel'].entries()) {
    const batch = at === 0 ? null : { id: at === 3 ? 'reel' : 'launch', number: 1, count: 2 }
    store.put(makeTask({ id: title, title, createdAt: 100 + at, batch }))
  }
  store.labels.tag([{ tag: 'Crew', numbers: Uint32Array.of(1, 3), on: true }])
  store.labels.setFavourite(Uint32Array.of(3, 4), true)
})

const list = (change: Partial<CommandOf<'list'>> = {}) => [
  ...listed(db, store, {
    ...{ command: 'list', json: false, dataDir: null, tags: [], favourite: false, sets: [] },
    ...change,
  }),
]
const titles = (change: Partial<CommandOf<'list'>>): string[] => list(change).map(({ task }) => task.title)

it('tells the tags and the set of each swap', () => {
  expect(list().map(({ task, added }) => [task.title, added])).toEqual([
    ['Alone', { tags: ['Crew'], favourite: false, set: null }],
    ['Launch', { tags: [], favourite: false, set: 'Launch' }],
    ['Second', { tags: ['Crew'], favourite: true, set: 'Launch' }],
    ['Reel', { tags: [], favourite: true, set: 'Reel' }],
  ])
})

it.each<[Partial<CommandOf<'list'>>, string[]]>([
  [{ tags: ['crew'] }, ['Alone', 'Second']],
  [{ favourite: true }, ['Second', 'Reel']],
  [{ sets: ['LAUNCH'] }, ['Launch', 'Second']],
  [{ sets: ['reel', 'launch'] }, ['Launch', 'Second', 'Reel']],
  [{ sets: ['launch'], favourite: true, tags: ['Crew'] }, ['Second']],
  [{ sets: ['nothing like it'] }, []],
  [{ tags: ['nothing like it'] }, []],
])('with %j lists %j', (change, expected) => expect(titles(change)).toEqual(expected))

it('finds nothing by a label in a library of a version without them', () => {
  db.exec('PRAGMA user_version = 7')
  expect([titles({}).length, titles({ favourite: true })]).toEqual([4, []])
})
