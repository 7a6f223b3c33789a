import { describe, expect, it } from 'vitest'
import type { SetRow } from '@shared/tasks/library-view.ts'
import { rowOf, type TaskRow } from '@shared/tasks/task-row.ts'
import type { Task } from '@shared/tasks/task.ts'
import { membersOf, setLabel, setLine, setProgress, unfold } from '../../../src/renderer/studio/logic/library/sets.ts'
import { progress, swap } from '../../fixtures/fake-tasks.ts'

const now = new Date(2026, 10, 20, 10, 42).getTime()

describe('an order', () => {
  const view = {
    order: Int32Array.of(9, -1, 5, -2),
    days: Float64Array.of(200, 2, 100, 2),
    sets: Uint32Array.of(1, 3, 2, 2),
    members: Uint32Array.of(8, 7, 6, 4, 3),
  }
  const members = membersOf(view)
  const unfolded = (...open: number[]): number[][] => {
    const { order, days } = unfold(view, members, new Set(open))
    return [[...order], [...days]]
  }

  it('counts the swaps of folded sets in their days', () => {
    expect(unfolded()).toEqual([
      [9, -1, 5, -2],
      [200, 2, 4, 100, 2, 3],
    ])
  })

  it('has the swaps of open sets after them', () => {
    expect(unfolded(-1)).toEqual([
      [9, -1, 8, 7, 6, 5, -2],
      [200, 5, 4, 100, 2, 3],
    ])
    expect(unfolded(-2, -1)).toEqual([
      [9, -1, 8, 7, 6, 5, -2, 4, 3],
      [200, 5, 4, 100, 4, 3],
    ])
  })

  it('has no days when it is sorted by title, and ignores sets that are not in it', () => {
    const byTitle = unfold({ ...view, days: new Float64Array() }, members, new Set([-2, -7]))
    expect([[...byTitle.order], [...byTitle.days]]).toEqual([[9, -1, 5, -2, 4, 3], []])
  })
})

const set: SetRow = {
  ...{ number: 1, id: 'x', title: 'Launch set', createdAt: now, endedAt: now, favourite: false, shown: [], faces: [] },
  ...{ faceCount: 3, targetCount: 2 },
  ...{ count: 24, finished: 18, failed: 0, asking: 0 },
}
const active = (change: Partial<Task>): TaskRow =>
  rowOf(swap('a', now, { state: 'processing', progress: null, expected: null, endedAt: null, ...change }), 1)
const half = active({ progress: progress({ share: 0.5, etaMs: 90_000 }) })
const waits = active({ state: 'queued' })
const line = (row: Partial<SetRow>, ...swaps: TaskRow[]): string => {
  const { state, word, detail } = setLine({ ...set, ...row }, swaps, now)
  return [state, word, detail].join(', ')
}

describe('the state of a set', () => {
  it('is that it works, with the time left, or how many failed', () => {
    expect(line({ count: 19 }, half)).toBe('processing, 18 of 19, about 2 min left')
    expect(line({}, half, waits)).toBe('processing, 18 of 24, ')
    expect(line({ failed: 2, asking: 3 }, half)).toBe('processing, 18 of 24, 2 failed')
  })

  it('is what has to be done when nothing works', () => {
    expect(line({}, active({ pause: 'user' }))).toBe('paused, 18 of 24, Paused')
    expect(line({ failed: 1, asking: 6 })).toBe('failed, 18 of 24, 1 failed')
    expect(line({ asking: 6 })).toBe('unconfirmed, 18 of 24, 6 need attention')
    expect(line({})).toBe('cancelled, 18 of 24, ')
    expect(line({ finished: 24 })).toMatch(/^kept, 24 of 24, 10:42/)
  })

  it('has the progress of all swaps, paused ones too', () => {
    expect(setProgress({ ...set, count: 4 }, [half], now)?.share).toBe(3.5 / 4)
    expect(setProgress({ ...set, count: 4 }, [half, active({ pause: 'user' })], now)?.share).toBe(2.5 / 4)
    expect(setProgress(set, [active({ pause: 'user' })], now)).toBeNull()
  })

  it('is read aloud', () => {
    expect(setLabel(set, false)).toBe('Set 3 faces, 2 files, 18 of 24 finished, folded')
    expect(setLabel({ ...set, failed: 2 }, true)).toBe('Set 3 faces, 2 files, 18 of 24 finished, 2 failed, open')
  })
})
