/** @file Watching goes on when the library can't be written for a while. */
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Task } from '@shared/tasks/task.ts'
import { alwaysOnline } from '../../../../../src/main/machine/system/system-status.ts'
import { newEntry } from '../../../../../src/main/swaps/rules/outbox-entry.ts'
import { TaskBoard } from '../../../../../src/main/swaps/store/task-board.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { StatusTracker } from '../../../../../src/main/swaps/watching/status-tracker.ts'
import { Watcher } from '../../../../../src/main/swaps/watching/watcher.ts'
import { breakOff, FakeService, idsOf, json, listOf, routes, sendJson } from '../../../../fixtures/fake-service.ts'
import { hastyClock, makeClient, servicesOf } from '../../../../fixtures/task-service.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

let dir: string
let service: FakeService
let db: DatabaseSync
let full: boolean
let board: TaskBoard
let watcher: Watcher
let paceMs: number
let logged: string[]
const unhandled = vi.fn()

beforeEach(async () => {
  dir = tempDir()
  service = await new FakeService().start()
  ;[full, logged, paceMs] = [false, [], 0]
  unhandled.mockReset()
  process.on('unhandledRejection', unhandled)
  db = tempLibrary(dir)
  const store = new (class extends TaskStore {
    override put(task: Task): void {
      if (full) throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
      super.put(task)
    }
  })(db, () => undefined)
  store.put(makeTask({ state: 'waiting', objectId: 'object-1' }))
  board = new TaskBoard(store, Date.now, () => undefined)
  const client = makeClient(service.baseUrl, { gapMs: 0 })
  watcher = new Watcher({
    board,
    services: servicesOf(() => client),
    systemStatus: alwaysOnline,
    onAnswer: () => undefined,
    expect: () => null,
    log: (message) => logged.push(message),
    clock: { ...hastyClock, paceMs: () => paceMs },
  })
})
afterEach(async () => {
  watcher.dispose()
  process.off('unhandledRejection', unhandled)
  await service.stop()
})

it.each([
  ['a service that cannot be reached', breakOff],
  ['an answer that cannot be stored', json({ list: [{ objectId: 'object-1', status: 'processing' }] })],
])('asks again after %s, logs it once, and goes on once writing works', async (_what, reply) => {
  full = true
  service.replies.set(routes.list, reply)
  watcher.wake()
  // With the third one, two have failed.
  await vi.waitFor(() => expect(service.count(routes.list)).toBeGreaterThanOrEqual(3))
  expect(unhandled).not.toHaveBeenCalled()
  expect(new Set(logged).size).toBe(logged.length)
  full = false
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
  forget.mockRestore()
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
