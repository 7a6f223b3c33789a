import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import type { LibraryQuery } from '@shared/tasks/library-query.ts'
import type { Task } from '@shared/tasks/task.ts'
import { countByFilter, dayRuns, find, finishedSince } from '../../../../../src/main/swaps/store/library-query.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { face, makeTask, video } from '../../../../fixtures/tasks.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

let db: DatabaseSync
let store: TaskStore
let added: number
beforeEach(() => {
  added = 0
  db = tempLibrary()
  store = new TaskStore(db, () => undefined)
})

const services = new Map([['cloud', 'Studio Cloud']])
const titlesOf = (numbers: string): string[] => {
  const ids = JSON.parse(`[${numbers}]`) as number[]
  return ids.map((number) => {
    const row = db.prepare('SELECT data FROM listed JOIN tasks ON tasks.id = task_id WHERE number = ?').get(number)
    return (JSON.parse(String(row?.['data'])) as Task).title
  })
}
const found = (query: Partial<LibraryQuery>): string[] =>
  titlesOf(find(db, { search: '', filter: 'all', sort: 'newest', ...query }, services).numbers)

const add = (title: string, change: Partial<Task> = {}): void => {
  const at = (added += 1)
  store.put(makeTask({ id: `task-${String(at)}`, title, state: 'kept', createdAt: at, endedAt: at * 10, ...change }))
}

describe('a search', () => {
  const titles = [
    ...['Launch day, take 5', 'launch pad', 'GALLÉRY loop', 'Straße', 'party 🎉🎊 night'],
    ...['婚礼视频 第一版', '日本', 'مُقابلة جديدة', '결혼식'],
    ...['100% real_deal', 'He said "cut"', "O'Brien (final) AND OR NOT", 'NEAR* ^start -minus', 'a\\b'],
  ]
  beforeEach(() => {
    for (const title of titles) add(title)
    add('Interview', { profileId: 'cloud', video: { ...video, name: 'Kamera-7.MOV' } })
    add('Interview 2', { face: { ...face, name: 'eileen-portrait.png' } })
  })

  it.each([
    ['launch', ['launch pad', 'Launch day, take 5']],
    ['aunc', ['launch pad', 'Launch day, take 5']],
    ['  day   LAUNCH ', ['Launch day, take 5']],
    ['gallery', ['GALLÉRY loop']],
    ['GALLÉRY', ['GALLÉRY loop']],
    ['100%', ['100% real_deal']],
    ['l_d', ['100% real_deal']],
    ['"', ['He said "cut"']],
    ['"cut"', ['He said "cut"']],
    ["o'b", ["O'Brien (final) AND OR NOT"]],
    ['(final)', ["O'Brien (final) AND OR NOT"]],
    ['and or not', ["O'Brien (final) AND OR NOT"]],
    ['near*', ['NEAR* ^start -minus']],
    ['^start -minus', ['NEAR* ^start -minus']],
    ['a\\b', ['a\\b']],
    ['婚', ['婚礼视频 第一版']],
    ['视频', ['婚礼视频 第一版']],
    ['礼视频', ['婚礼视频 第一版']],
    ['日本', ['日本']],
    ['مقابلة', ['مُقابلة جديدة']],
    ['🎉', ['party 🎉🎊 night']],
    ['🎉🎊', ['party 🎉🎊 night']],
    ['결혼', ['결혼식']],
    ['straße', ['Straße']],
    ['kamera-7', ['Interview']],
    ['eileen', ['Interview 2']],
    ['cloud', ['Interview']],
    ['studio inter', ['Interview']],
    ['cloud launch', []],
    ['%', ['100% real_deal']],
    ['_', ['100% real_deal']],
    ['nothing like it', []],
    ['lau\0nch', ['Launch day, take 5', 'launch pad'].toReversed()],
  ])('for %j finds %j', (search, expected) => expect(found({ search })).toEqual(expected))

  it('follows a new title, and forgets the old one', () => {
    store.put(makeTask({ id: 'task-2', title: 'Rocket', state: 'kept', createdAt: 2, endedAt: 20 }))
    expect([found({ search: 'rocket' }), found({ search: 'launch' })]).toEqual([['Rocket'], ['Launch day, take 5']])
  })

  it('finds nothing that was removed, until it is restored', () => {
    store.setRemoved('task-2', 5)
    expect(found({ search: 'launch' })).toEqual(['Launch day, take 5'])
    store.setRemoved('task-2', null)
    expect(found({ search: 'launch' })).toHaveLength(2)
  })
})

it('finds the same by going through all names as by the index', () => {
  store.transaction(() => {
    for (let at = 0; at < 2200; at += 1) add('Common', { id: `many-${String(at)}`, createdAt: at })
  })
  add('Commonplace', { id: 'rare', createdAt: 5000 })
  expect(found({ search: 'common' })).toHaveLength(2201)
  expect(found({ search: 'commonp' })).toEqual(['Commonplace'])
})

describe('an order', () => {
  beforeEach(() => {
    for (const title of ['take 10', 'Take 2', 'étude', 'take 1']) add(title)
  })
  it.each([
    ['newest', ['take 1', 'étude', 'Take 2', 'take 10']],
    ['oldest', ['take 10', 'Take 2', 'étude', 'take 1']],
    ['title', ['étude', 'take 1', 'Take 2', 'take 10']],
  ] as const)('%s', (sort, expected) => expect(found({ sort })).toEqual(expected))
})

it('filters and counts by what a swap wants', () => {
  add('works', { state: 'processing' })
  add('key', { state: 'queued', pause: 'key' })
  add('failed', { state: 'failed' })
  add('cancelled', { state: 'cancelled' })
  add('kept')
  expect(countByFilter(db)).toEqual({ all: 5, working: 1, 'needs-you': 2, finished: 1 })
  expect(found({ filter: 'needs-you' })).toEqual(['failed', 'key'])
  expect(found({ filter: 'finished', search: 'kept' })).toEqual(['kept'])
  expect([finishedSince(db, 50), finishedSince(db, 51)]).toEqual([1, 0])
})

it('divides times into days of this computer', () => {
  const day = (date: number, hour: number): number => new Date(2026, 2, date, hour).getTime()
  expect([...dayRuns([day(30, 9), day(30, 0), day(29, 23), day(29, 1), day(28, 12)])]).toEqual([
    ...[day(30, 0), 2, day(29, 0), 2, day(28, 0), 1],
  ])
  expect([...dayRuns([])]).toEqual([])
})
