/** @file The order of swaps at a real HTTP service, with a real library in which no swap changes. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { embeddedProfileId } from '@shared/tasks/task.ts'
import { JobOrder } from '../../../../../src/main/swaps/sending/job-control.ts'
import type { Parts } from '../../../../../src/main/swaps/store/parts.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { type FakeService, json, routes, sendJson } from '../../../../fixtures/fake-service.ts'
import { clientOf, makeParts } from '../../../../fixtures/task-service.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'
import { tempService } from '../../../../fixtures/temp-service.ts'

let service: FakeService
let order: JobOrder
let board: Parts['board']
let asked: number

beforeEach(async () => {
  service = await tempService()
  asked = 0
  service.replies.set(routes.capabilities, json({ order: true }))
  service.replies.set('POST /v1/faceswap-openapi/order', (_request, response) => {
    asked += 1
    sendJson(response, {}, asked === 1 ? 503 : 200)
  })
  const dir = tempDir()
  const db = tempLibrary(dir)
  const store = new TaskStore(db, () => undefined)
  for (const [position, id] of ['a', 'b'].entries())
    store.put(makeTask({ id, position, state: 'waiting', objectId: `job-${id}`, profileId: embeddedProfileId }))
  const parts = makeParts({ db, dir, store, services: clientOf(service) })
  board = parts.board
  order = new JobOrder(parts)
})
afterEach(() => order.dispose())

it('is asked for again after a failure, although no swap changes', async () => {
  order.start()
  await vi.waitFor(() => expect(asked).toBe(2))
})

it('reads no library any more once Mien quits', () => {
  const read = vi.spyOn(board.held, 'of')
  order.dispose()
  // As a retry does that was about to come.
  order.wake()
  expect(read).not.toHaveBeenCalled()
})
