import { describe, expect, it } from 'vitest'
import {
  blockAt,
  columnsIn,
  layOut,
  neighbour,
  rowOf,
  rowsInSight,
} from '../../../src/renderer/studio/logic/library/layout.ts'
import { overall } from '@shared/tasks/overall.ts'
import { progress, swap } from '../../fixtures/fake-tasks.ts'

const now = new Date(2026, 10, 20, 10, 42).getTime()
const [today, yesterday] = [now, now - 86_400_000]
const measures = { columns: 5, rowHeight: 196, headingHeight: 40 }

describe('the rows', () => {
  const layout = layOut([today, 10, 33, yesterday, 4, 4], 14, measures)

  it('lie one below the other, under the headings of their days', () => {
    expect(rowsInSight(layout, 0, 9999, 0).map(({ row, top, from, to }) => [row, top, from, to])).toEqual([
      [0, 0, 0, 0],
      [1, 40, 0, 5],
      [2, 236, 5, 10],
      [3, 432, 10, 10],
      [4, 472, 10, 14],
    ])
    expect([layout.height, layout.rows]).toEqual([668, 5])
    expect([blockAt(layout, 431)?.day, blockAt(layout, 432)?.day, blockAt(layout, 9999)?.day]).toEqual([
      ...[today, yesterday, yesterday],
    ])
    expect(layout.blocks.map(({ count, swaps }) => [count, swaps])).toEqual([
      [10, 33],
      [4, 4],
    ])
    expect([rowOf(layout, 9)?.top, rowOf(layout, 10)?.top]).toEqual([236, 472])
  })

  it('have no heading when they are in the order of titles', () => {
    const plain = layOut([], 7, measures)
    expect(rowsInSight(plain, 0, 500, 0).map(({ top, from, to }) => [top, from, to])).toEqual([
      [0, 0, 5],
      [196, 5, 7],
    ])
    expect([layOut([], 0, measures).height, rowsInSight(layOut([], 0, measures), 0, 500, 400)]).toEqual([0, []])
  })

  it.each([0, 200_000, 3_900_000, 9_000_000])('of a hundred thousand swaps are few, at %d pixels', (top) => {
    const days = Array.from({ length: 1000 }, (_, index) => [now - index * 86_400_000, 100, 100]).flat()
    const rows = rowsInSight(layOut(days, 100_000, measures), top, 700, 400)
    expect(rows.length).toBeLessThan(14)
    for (const row of rows) expect(row.top + row.height > top - 400 && row.top < top + 1100).toBe(true)
  })

  it.each([
    [0, 'ArrowRight', 1],
    [0, 'ArrowLeft', null],
    [4, 'ArrowDown', 9],
    [9, 'ArrowDown', 13],
    [10, 'ArrowUp', 5],
    [0, 'PageDown', 10],
    [13, 'PageUp', 3],
    [13, 'PageDown', null],
    [10, 'Home', 0],
    [10, 'End', 13],
    [13, 'ArrowRight', null],
    [10, 'x', null],
  ])('from %d, %s leads to %s', (from, key, to) => expect(neighbour(layout, from, key, 3)).toBe(to))

  it.each([
    [920, 216, 4],
    [1240, 216, 5],
    [1880, 268.8, 6],
    [100, 216, 1],
  ])('%d pixels hold cards of at least %d in %d columns', (width, min, columns) => {
    expect(columnsIn(width, min, 16)).toBe(columns)
  })
})

describe('overall progress', () => {
  it('is gone when nothing works', () => {
    expect(overall([], 5, now)).toBeNull()
    expect(overall([swap('a', now, { state: 'queued', pause: 'user' })], 5, now)).toBeNull()
  })

  it('counts what was finished meanwhile', () => {
    const working = swap('a', now, { state: 'processing', progress: progress({ share: 0.5, etaMs: 9000 }) })
    expect(overall([working], 1, now)).toEqual({ done: 1, total: 2, share: 0.75, etaMs: 9000 })
  })

  it('adds the times of one service and lets services work side by side', () => {
    const at = (id: string, profileId: string, etaMs: number | null): ReturnType<typeof swap> =>
      swap(id, now, { profileId, state: 'processing', endedAt: null, progress: progress({ share: 0, etaMs }) })
    const eta = (...tasks: ReturnType<typeof swap>[]): number | null | undefined => overall(tasks, 0, now)?.etaMs
    expect(eta(at('a', 'here', 5000), at('b', 'here', 6000), at('c', 'cloud', 8000))).toBe(11_000)
    expect(eta(at('a', 'here', 5000), at('b', 'here', null))).toBeNull()
  })
})
