import { describe, expect, it } from 'vitest'
import {
  columnsIn,
  heightOf,
  layOut,
  neighbour,
  rowAt,
  rowsInSight,
} from '../../../src/renderer/studio/logic/layout.ts'
import { countByFilter, groupByDay, matches, overall, select } from '../../../src/renderer/studio/logic/library-view.ts'
import { LibraryState } from '../../../src/renderer/studio/state/library.svelte.ts'
import { everyState, progress, swap } from '../../fixtures/fake-tasks.ts'

const now = new Date(2026, 10, 20, 10, 42).getTime()
const tasks = everyState(now)
const all = { search: '', filter: 'all', sort: 'newest' } as const
const service = (id: string): string => (id === 'cloud' ? 'Studio Cloud' : 'This computer')

describe('finding', () => {
  it('counts what each filter shows', () => {
    expect(countByFilter(tasks)).toEqual({ all: 14, working: 5, 'needs-you': 3, finished: 6 })
  })

  it.each([
    ['launch clos', ['processing']],
    ['GALLÉRY', ['unconfirmed', 'paused', 'gallery']],
    ['cloud take', ['uploading', 'waiting']],
    ['nothing', []],
  ])('“%s” finds %j', (search, ids) => {
    expect(select(tasks, { ...all, search }, service).map((task) => task.id)).toEqual(ids)
  })

  it('orders titles as people count', () => {
    const titled = ['take 10', 'Take 2', 'take 1'].map((title, index) => swap(String(index), now, { title }))
    expect(select(titled, { ...all, sort: 'title' }, service).map((task) => task.title)).toEqual([
      ...['take 1', 'Take 2', 'take 10'],
    ])
  })

  it('matches every swap with an empty search', () => {
    expect(matches(swap('x', now), '  ', '')).toBe(true)
  })
})

it('groups by day, and by nothing when ordered by title', () => {
  expect(groupByDay(tasks, 'newest', now).map((day) => [day.heading, day.tasks.length])).toEqual([
    ['Today', 10],
    ['Yesterday', 4],
  ])
  expect(groupByDay(tasks, 'title', now).map((day) => day.heading)).toEqual([''])
  expect(groupByDay([], 'title', now)).toEqual([])
})

describe('the rows', () => {
  const rows = layOut(groupByDay(tasks, 'newest', now), { columns: 5, rowHeight: 196, headingHeight: 40 })

  it('lie one below the other', () => {
    expect(rows.map((row) => [row.top, row.tasks.length])).toEqual([
      [0, 0],
      [40, 5],
      [236, 5],
      [432, 0],
      [472, 4],
    ])
    expect(heightOf(rows)).toBe(668)
    expect(rowAt(rows, 300)).toBe(2)
    expect(rowAt(rows, 9999)).toBe(4)
  })

  it('of ten thousand swaps are only those in sight', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => swap(String(index), now))
    const long = layOut(groupByDay(many, 'newest', now), { columns: 5, rowHeight: 196, headingHeight: 40 })
    expect(rowsInSight(long, 200_000, 700, 400).length).toBeLessThan(12)
  })

  it.each([
    ['processing', 'ArrowRight', 'queued'],
    ['processing', 'ArrowLeft', null],
    ['unconfirmed', 'ArrowDown', 'archive'],
    ['archive', 'ArrowDown', 'take-1'],
    ['missing', 'ArrowUp', 'interview'],
    ['missing', 'Home', 'processing'],
    ['missing', 'End', 'take-1'],
    ['missing', 'x', null],
  ])('from %s, %s leads to %s', (from, key, to) => {
    expect(neighbour(rows, from, key)).toBe(to)
  })

  it.each([
    [920, 216, 4],
    [1240, 216, 5],
    [1880, 268.8, 6],
    [100, 216, 1],
  ])('%d pixels hold cards of at least %d in %d columns', (width, least, columns) => {
    expect(columnsIn(width, least, 16)).toBe(columns)
  })
})

describe('overall progress', () => {
  it('is gone when nothing works', () => {
    expect(overall([swap('x', now)], now)).toBeNull()
  })

  it('counts what was finished since the oldest of those at work was added', () => {
    const working = swap('a', now, {
      state: 'processing',
      createdAt: now - 5000,
      progress: progress({ share: 0.5, etaMs: 9000 }),
    })
    const done = swap('b', now, { createdAt: now - 4000, endedAt: now })
    const before = swap('c', now, { createdAt: now - 90_000, endedAt: now - 80_000 })
    expect(overall([working, done, before], now)).toEqual({ done: 1, total: 2, share: 0.75, etaMs: 9000 })
  })

  it('adds the times of one service and lets services work side by side', () => {
    const at = (id: string, profileId: string, etaMs: number | null): ReturnType<typeof swap> =>
      swap(id, now, { profileId, state: 'processing', endedAt: null, progress: progress({ share: 0, etaMs }) })
    expect(overall([at('a', 'here', 5000), at('b', 'here', 6000), at('c', 'cloud', 8000)], now)?.etaMs).toBe(11_000)
    expect(overall([at('a', 'here', 5000), at('b', 'here', null)], now)?.etaMs).toBeNull()
  })
})

it('chooses a range from where it began, and acts on the chosen ones', () => {
  const order = ['a', 'b', 'c', 'd']
  const library = new LibraryState()
  library.toggle('b')
  library.extend('d', order)
  expect([...library.chosen]).toEqual(['b', 'c', 'd'])
  library.extend('a', order)
  expect([...library.chosen]).toEqual(['a', 'b'])
  expect(library.targets('a')).toEqual(['a', 'b'])
  expect(library.targets('d')).toEqual(['d'])
})
