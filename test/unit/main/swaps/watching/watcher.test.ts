/** @file Watching goes on when the library can't be written for a while. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newEntry } from '../../../../../src/main/swaps/rules/outbox-entry.ts'
import type { Parts } from '../../../../../src/main/swaps/store/parts.ts'
import { StatusTracker } from '../../../../../src/main/swaps/watching/status-tracker.ts'
import { Watcher } from '../../../../../src/main/swaps/watching/watcher.ts'
import { breakOff, type FakeService, idsOf, json, listOf, routes, sendJson } from '../../../../fixtures/fake-service.ts'
import { clientOf, makeParts, StoreOnFullDisk } from '../../../../fixtures/task-service.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'
import { tempService } from '../../../../fixtures/temp-service.ts'

let dir: string
let service: FakeService
let store: StoreOnFullDisk
let board: Parts['board']
let watcher: Watcher
let paceMs: number
let logged: string[]
const unhandled = vi.fn()

beforeEach(async () => {
  dir = tempDir()
  service = await tempService()
  ;[logged, paceMs] = [[], 0]
  unhandled.mockReset()
  process.on('unhandledRejection', unhandled)
  const db = tempLibrary(dir)
  store = new StoreOnFullDisk(db, () => undefined)
  store.put(makeTask({ state: 'waiting', objectId: 'object-1' }))
  const parts = makeParts({
    ...{ db, dir, store, services: clientOf(service, { gapMs: 0 }) },
    log: (message) => logged.push(message),
    clock: { paceMs: () => paceMs },
  })
  board = parts.board
  watcher = new Watcher({ ...parts, onAnswer: () => undefined, expect: () => null })
})
afterEach(() => {
  watcher.dispose()
  process.off('unhandledRejection', unhandled)
})

it.each([
  ['a service that cannot be reached', breakOff],
  ['an answer that cannot be stored', json({ list: [{ objectId: 'object-1', status: 'processing' }] })],
])('asks again after %s, logs it once, and goes on once writing works', async (_what, reply) => {
  store.isFull = true
  service.replies.set(routes.list, reply)
  watcher.wake()
  // With the third one, two have failed.
  await vi.waitFor(() => expect(service.count(routes.list)).toBeGreaterThanOrEqual(3))
  expect(unhandled).not.toHaveBeenCalled()
  expect(new Set(logged).size).toBe(logged.length)
  store.isFull = false
  service.replies.set(routes.list, json({ list: [{ objectId: 'object-1', status: 'processing' }] }))
  await vi.waitFor(() => expect(board.get('task-1')?.state).toBe('processing'))
})

it('forgets what a service said of a swap that has ended', async () => {
  const forget = vi.spyOn(StatusTracker.prototype, 'forget')
  service.replies.set(routes.list, json({ list: [{ objectId: 'object-1', status: 'baking' }] }))
  watcher.wake()
  await vi.waitFor(() => expect(service.count(routes.list)).toBeGreaterThan(0))
  board.dispatch('task-1', { type: 'cancel' })
  await vi.waitFor(() => expect(forget).toHaveBeenCalledWith('task-1'))
  const tracker = new StatusTracker(Date.now)
  tracker.seen('task-1', 'http://x/out.mp4?first')
  expect(tracker.seen('task-1', 'http://x/out.mp4?second')).toBe(true)
  tracker.forget('task-1')
  expect(tracker.seen('task-1', 'http://x/out.mp4')).toBe(false)
})

it('asks again no sooner than its pace allows, also for a swap that the service refuses', async () => {
  paceMs = 60_000
  const other = makeTask({ id: 'task-2', state: 'waiting', objectId: 'object-2' })
  board.add(other, newEntry(other.id, 2))
  const answer = listOf(() => ({ status: 'processing' }))
  service.replies.set(routes.list, (request, response, body) => {
    if (idsOf(request.url).includes('object-2')) sendJson(response, { message: 'unknown id' }, 400)
    else answer(request, response, body)
  })
  watcher.wake()
  await vi.waitFor(() => expect(board.get('task-1')?.state).toBe('processing'))
  // Much more than the least time between two rounds.
  await delay(400)
  expect(service.seen.map(({ path }) => idsOf(path))).toEqual([['object-1', 'object-2'], ['object-1'], ['object-2']])
})
