/** @file The user's order of swaps on this computer, of which the embedded service has some already. */
import type { DatabaseSync } from 'node:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from 'vitest'
import { embeddedProfileId } from '@shared/tasks/task.ts'
import { MediaStore } from '../../src/main/media/media-store.ts'
import type { ServiceClient } from '../../src/main/remote/client/service-client.ts'
import type { TaskService } from '../../src/main/swaps/task-service.ts'
import { addMedia, makeTaskService } from '../fixtures/task-service.ts'
import { face, video } from '../fixtures/tasks.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { tempLibrary } from '../fixtures/temp-library.ts'
import { services, type ServiceUnderTest } from './service-under-test.ts'

let service: ServiceUnderTest
let tasks: TaskService
let ids: string[]
let db: DatabaseSync
let start: () => Promise<void>
let setOrder: MockInstance<ServiceClient['setOrder']>

const stateOf = (index: number): string => tasks.get(ids[index] ?? '').state
/** The results of the engine are no videos, so they are not kept. */
const succeeded = async (): Promise<void> => {
  await vi.waitFor(() => {
    service.engine.release()
    expect(ids.map((_, index) => stateOf(index))).toEqual(['succeeded', 'succeeded', 'succeeded'])
  })
}

describe.each(services)('%s', (_name, open) => {
  /** One swap is in progress, one is at the service and waits, one is not sent. */
  beforeEach(async () => {
    const dir = tempDir()
    service = await open()
    db = tempLibrary(dir)
    const media = new MediaStore(db)
    addMedia(media, dir)
    start = async () => {
      const client = service.client((await service.client(null).newKey(1n)).shown)
      setOrder = vi.spyOn(client, 'setOrder')
      const services = { client: () => client, inFlightLimit: () => 2, isLocal: () => true }
      tasks = makeTaskService({ db, dir, services })
      await tasks.start()
    }
    await start()
    ids = ['HOLD first', 'second', 'third'].map((text) => {
      writeFileSync(join(dir, `${text}.mp4`), text)
      media.addVideo(join(dir, `${text}.mp4`), { ...video, id: text })
      return tasks.submit({ faceId: face.id, videoId: text, title: text, profileId: embeddedProfileId }).taskId
    })
    await vi.waitFor(() => expect(ids.map((_, index) => stateOf(index))).toEqual(['processing', 'waiting', 'queued']))
  })
  afterEach(async () => {
    await tasks.dispose()
    db.close()
    await service.close()
  })

  it('sends a swap that was moved ahead of a sent one, which runs after it', async () => {
    tasks.move(ids[2] ?? '', 'up')
    await vi.waitFor(() => expect(setOrder.mock.lastCall?.[0]).toHaveLength(3))
    await setOrder.mock.results.at(-1)?.value
    await succeeded()
    expect(service.engine.swaps).toEqual(['HOLD first', 'third', 'second'])
  })

  it('stops the swap in progress for the ones it was moved behind', async () => {
    tasks.move(ids[0] ?? '', 'last')
    await vi.waitFor(() => expect(service.engine.swaps).toContain('third'))
    await succeeded()
    // It may run again for a moment before the third is sent.
    expect(new Set(service.engine.swaps.slice(0, -1))).toEqual(new Set(['HOLD first', 'second', 'third']))
    expect(service.engine.swaps.at(-1)).toBe('HOLD first')
  })

  it('keeps the order over a restart', async () => {
    tasks.move(ids[2] ?? '', 'first')
    await tasks.dispose()
    await service.restart()
    await start()
    await vi.waitFor(() => expect(service.engine.swaps).toContain('third'))
    await succeeded()
    const [, ...resumed] = service.engine.swaps
    expect(resumed.indexOf('third')).toBeLessThan(resumed.indexOf('second'))
  })
})
