import { expect, it, vi } from 'vitest'
import type { ServiceTask } from '../../../../../src/main/remote/client/parsing/read-task.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { Previews } from '../../../../../src/main/swaps/watching/previews.ts'
import { file, json } from '../../../../fixtures/fake-service.ts'
import { clientOf, makeParts } from '../../../../fixtures/task-service.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'
import { tempService } from '../../../../fixtures/temp-service.ts'

it('logs a still that cannot be fetched once, until one can', async () => {
  const dir = tempDir()
  const db = tempLibrary(dir)
  const service = await tempService()
  const store = new TaskStore(db, () => undefined)
  const task = makeTask({ state: 'processing', objectId: 'o' })
  store.put(task)
  const log = vi.fn()
  let now = 0
  const services = clientOf(service, { gapMs: 0 })
  const parts = makeParts({ db, dir, store, log, services, clock: { ticks: () => now } })
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
