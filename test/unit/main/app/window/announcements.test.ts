import { describe, expect, it } from 'vitest'
import type { PauseReason, TaskState } from '@shared/tasks/task.ts'
import {
  announcementsFor,
  howEnded,
  isInProgress,
  type Ended,
} from '../../../../../src/main/app/window/announcements.ts'

const all = { finished: true, 'needs-user': true, 'all-finished': true }
const ended = (id: string, createdAt: number, how: Ended['how'] = 'finished'): Ended => ({
  ...{ id, title: id, createdAt, how },
})

describe('swaps that end', () => {
  it('are announced once for a batch, when none of it is in progress', () => {
    const batch = [ended('a', 0), ended('b', 1000)]
    const [soon, later] = [{ createdAt: 2500 }, { createdAt: 60_000 }]
    expect(announcementsFor(batch, [soon, later], all)).toEqual({ now: [], later: batch })
    const swaps = [...batch, ended('c', 2500)]
    expect(announcementsFor(swaps, [later], all)).toEqual({ now: [{ kind: 'finished', swaps }], later: [] })
  })

  it('are announced apart from a batch that is still in progress', () => {
    const [alone, of] = [ended('alone', 0), ended('of a batch', 60_000)]
    const expected = { now: [{ kind: 'finished', swaps: [alone] }], later: [of] }
    expect(announcementsFor([alone, of], [{ createdAt: 60_100 }], all)).toEqual(expected)
  })

  it('are one announcement when nothing else is in progress, with those that need the user', () => {
    const swaps = [ended('a', 0), ended('b', 60_000, 'needs-user')]
    expect(announcementsFor(swaps, [], all).now).toEqual([{ kind: 'all-finished', swaps }])
  })

  it('are announced by kind without the announcement of all', () => {
    const swaps = [ended('a', 0), ended('b', 60_000, 'needs-user')]
    const kinds = announcementsFor(swaps, [], { ...all, 'all-finished': false }).now.map(({ kind }) => kind)
    expect(kinds).toEqual(['finished', 'needs-user'])
    expect(announcementsFor(swaps, [], { finished: false, 'needs-user': false, 'all-finished': false }).now).toEqual([])
  })

  it('are not called finished when all of them failed', () => {
    const swaps = [ended('a', 0, 'needs-user')]
    expect(announcementsFor(swaps, [], all).now).toEqual([{ kind: 'needs-user', swaps }])
  })
})

it.each<[TaskState, PauseReason | null, boolean, Ended['how'] | null]>([
  ['processing', null, true, null],
  ['waiting', 'no-network', true, null],
  ['queued', 'user', false, null],
  ['queued', 'service', false, null],
  ['queued', 'key', false, 'needs-user'],
  ['kept', null, false, 'finished'],
  ['failed', null, false, 'needs-user'],
  ['unconfirmed', null, false, 'needs-user'],
  ['missing', null, false, 'needs-user'],
  ['cancelled', null, false, null],
])('%s, paused by %s', (state, pause, working, how) => {
  expect(isInProgress({ state, pause })).toBe(working)
  expect(howEnded({ state, pause })).toBe(how)
})
