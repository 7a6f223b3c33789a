/** @file Pauses of jobs at a real HTTP service, with a real library. */
import type { DatabaseSync } from 'node:sqlite'
import type { ServerResponse } from 'node:http'
import { beforeEach, expect, it, vi } from 'vitest'
import type { TaskService } from '../../../../../src/main/swaps/task-service.ts'
import { breakOff, type FakeService, json, routes, sendJson } from '../../../../fixtures/fake-service.ts'
import { clientOf, StoreOnFullDisk } from '../../../../fixtures/task-service.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'
import { tempService, tempTasks } from '../../../../fixtures/temp-service.ts'

let service: FakeService
let db: DatabaseSync
let store: StoreOnFullDisk
let tasks: TaskService
const logged: string[] = []

beforeEach(async () => {
  const dir = tempDir()
  service = await tempService()
  service.replies.set(routes.capabilities, json({ pause: true }))
  service.lists(() => ({ status: 'processing' }))
  db = tempLibrary(dir)
  store = new StoreOnFullDisk(db, () => undefined)
  for (const id of ['a', 'b']) store.put(makeTask({ id, state: 'processing', objectId: `job-${id}`, startedAt: 1 }))
  logged.length = 0
  tasks = tempTasks({
    ...{ db, dir, store },
    services: { ...clientOf(service), isLocal: () => true },
    log: (message) => logged.push(message),
  })
  await tasks.start()
})

it('sends the next pause after one that was refused and could not be taken back, because the disk was full', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
  service.replies.set(routes.pause, (_request, response) => resolve(response))
  tasks.pauses.pause(['a'])
  const answer = await asked
  store.isFull = true
  sendJson(answer, { message: 'full' }, 507)
  await vi.waitFor(() => expect(logged).toContain('A pause or a resume could not be recorded'))
  store.isFull = false
  service.replies.set(routes.pause, json({}))
  tasks.pauses.pause(['b'])
  await vi.waitFor(() => expect(service.seen.findLast(({ path }) => path.endsWith('/pause'))?.body).toContain('job-b'))
})

it('waits at a quit for the answer to a pause, and keeps the pause if there is none', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
  service.replies.set(routes.pause, (_request, response) => resolve(response))
  tasks.pauses.pause(['a', 'b'])
  const answer = await asked
  let isDisposed = false
  const disposed = tasks.dispose().then(() => (isDisposed = true))
  await new Promise((done) => setImmediate(done))
  expect(isDisposed).toBe(false)
  service.replies.set(routes.pause, breakOff)
  answer.destroy()
  await disposed
  expect(['a', 'b'].map((id) => store.get(id)?.pause)).toEqual(['user', 'user'])
})
