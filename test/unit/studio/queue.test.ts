import { describe, expect, it } from 'vitest'
import { before, places } from '../../../src/renderer/studio/logic/library/queue.ts'
import { barOf, stateLine } from '../../../src/renderer/studio/logic/library/task-view.ts'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import type { Task } from '@shared/tasks/task.ts'
import { progress, swap } from '../../fixtures/fake-tasks.ts'

const now = 1_000_000
const here = (id: string, change: Partial<Task>): Task => swap(id, now, { profileId: embeddedProfileId, ...change })
const cloud = (id: string, change: Partial<Task>): Task => swap(id, now, { profileId: 'cloud', ...change })

const tasks = [
  here('last', { state: 'queued', position: 9 }),
  here('held', { state: 'queued', position: 7, pause: 'user' }),
  here('next', { state: 'queued', position: 4 }),
  here('sent', { state: 'waiting' }),
  here('worked on', { state: 'processing' }),
  here('fetched', { state: 'succeeded' }),
  here('done', { state: 'kept' }),
  cloud('there first', { state: 'queued', position: 1 }),
  cloud('there second', { state: 'queued', position: 2 }),
  cloud('there at work', { state: 'processing' }),
]

describe('before a swap', () => {
  it('on this computer comes all that is made before it, sent or not, and nothing that is held', () => {
    const line = before(tasks)
    expect(['worked on', 'sent', 'next', 'last'].map((id) => line.get(id))).toEqual([0, 1, 2, 3])
    for (const id of ['held', 'fetched', 'done']) expect(line.has(id)).toBe(false)
  })

  it('at another service comes only what is to be sent before it', () => {
    const line = before(tasks)
    expect(['there first', 'there second', 'there at work'].map((id) => line.get(id))).toEqual([0, 1, undefined])
  })
})

it('has a place among what can be put into another order, held or not', () => {
  const at = places(tasks)
  expect(['next', 'held', 'last', 'sent'].map((id) => at.get(id))).toEqual([0, 1, 2, undefined])
})

it('is queued on this computer, in one word, until it is worked on', () => {
  const task = here('sent', { state: 'waiting', progress: progress({ share: 0 }) })
  expect(stateLine(task, now, 1)).toEqual({ state: 'queued', word: 'Queued', detail: '1 before it' })
  expect(barOf(task, now)).toBeNull()
  expect(barOf({ ...task, progress: progress({ share: 0.2 }) }, now)?.share).toBe(0.2)
  expect(barOf({ ...task, state: 'processing' }, now)?.share).toBe(0)
})
