import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ServiceTask } from '../../../../../src/main/remote/client/service-client.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { Previews } from '../../../../../src/main/swaps/watching/previews.ts'
import { FakeService, file, json } from '../../../../fixtures/fake-service.ts'
import { makeClient, makeParts } from '../../../../fixtures/task-service.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

let service: FakeService
let dir: string
let db: DatabaseSync
beforeEach(async () => {
  dir = tempDir()
  db = tempLibrary(dir)
  service = await new FakeService().start()
})
afterEach(async () => {
  await service.stop()
})

it('logs a still that cannot be fetched once, until one can', async () => {
  const store = new TaskStore(db, () => undefined)
  const task = makeTask({ state: 'processing', objectId: 'o' })
  store.put(task)
  const client = makeClient(service.baseUrl, { gapMs: 0 })
  const log = vi.fn()
  let now = 0
  const parts = makeParts({ db, dir, store, log, services: { client: () => client }, clock: { ticks: () => now } })
  const { board } = parts
  const previews = new Previews(parts)
  let frame = 0
  const hear = (): void => {
    now += 10_000
    frame += 1
    const preview = { frame, beforeUrl: `${service.baseUrl}/before`, afterUrl: `${service.baseUrl}/after` }
    // Nothing else of an answer is read.
    previews.heard(task, { status: 'processing', work: { preview } } as ServiceTask)
  }
  const fail = async (): Promise<void> => {
    const before = service.count('GET /after')
    service.replies.set('GET /', json({ message: 'busy' }, 503))
    hear()
    await vi.waitFor(() => expect(service.count('GET /after')).toBe(before + 1))
  }
  for (let n = 0; n < 3; n += 1) await fail()
  service.replies.set('GET /', file(Buffer.from('\xff\xd8\xff\xe0 a still', 'latin1'), 'image/jpeg'))
  hear()
  await vi.waitFor(() => expect(board.get(task.id)?.preview?.frame).toBe(4))
  expect(log).toHaveBeenCalledTimes(1)
  await fail()
  await vi.waitFor(() => expect(log).toHaveBeenCalledTimes(2))
})
