/** @file Swaps on this computer when its disk is full: none fails, and they run in their order once there is space. */
import type { DatabaseSync } from 'node:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { SwapResult } from '@shared/engine/engine.ts'
import { MienError } from '@shared/errors.ts'
import { embeddedProfileId, type Task } from '@shared/tasks/task.ts'
import type { SwapJob } from '../../src/main/engine/host/engine-host.ts'
import { MediaStore } from '../../src/main/media/media-store.ts'
import type { ServiceClient } from '../../src/main/remote/client/service-client.ts'
import type { TaskService } from '../../src/main/swaps/task-service.ts'
import { addMedia, makeTaskService } from '../fixtures/task-service.ts'
import { face, video } from '../fixtures/tasks.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { tempLibrary } from '../fixtures/temp-library.ts'
import { embeddedService, type ServiceUnderTest } from './service-under-test.ts'
import { SteadyEngine } from './steady-engine.ts'

let isFull: boolean
let free: number
let engine: FillingEngine
let service: ServiceUnderTest
let db: DatabaseSync
let tasks: TaskService
let client: ServiceClient
let dir: string
let ids: string[]

class FillingEngine extends SteadyEngine {
  asked = 0
  override swap(job: SwapJob): Promise<SwapResult> {
    this.asked += 1
    return isFull ? Promise.reject(new MienError('disk-full')) : super.swap(job)
  }
}

beforeEach(async () => {
  dir = tempDir()
  isFull = false
  free = 1e12
  engine = new FillingEngine()
  service = await embeddedService({ engine, freeBytes: () => Promise.resolve(free) })
  db = tempLibrary(dir)
  client = await newClient()
  tasks = makeTaskService({
    ...{ db, dir },
    services: { client: () => client, inFlightLimit: () => 2, isLocal: () => true },
  })
  addMedia(new MediaStore(db), dir)
  await tasks.start()
})
afterEach(async () => {
  await tasks.dispose()
  await service.close()
})

async function newClient(): Promise<ServiceClient> {
  return service.client((await service.client(null).newKey(1n)).shown)
}

function submit(...texts: string[]): void {
  const media = new MediaStore(db)
  ids = texts.map((text) => {
    writeFileSync(join(dir, `${text}.mp4`), text)
    media.addVideo(join(dir, `${text}.mp4`), { ...video, id: text })
    return tasks.submit({ faceId: face.id, videoId: text, title: text, profileId: embeddedProfileId }).taskId
  })
}
const get = (index: number): Task => tasks.get(ids[index] ?? '')
const isPaused = (index: number): Promise<void> =>
  vi.waitFor(() => expect(get(index)).toMatchObject({ state: 'queued', pause: 'disk-full', error: null }))
const done = (): Promise<void> =>
  vi.waitFor(() => {
    // The results of the engine are no videos, so they are not kept.
    expect(ids.map((_, index) => get(index).state)).toEqual(ids.map(() => 'succeeded'))
  })

it('pauses the swap that found it full, and those behind it keep waiting', async () => {
  isFull = true
  submit('first', 'second', 'third')
  await isPaused(0)
  const { objectId } = get(0)
  // Time for the second, if it did not wait.
  await sleep(500)
  expect(engine.asked).toBe(1)
  isFull = false
  tasks.pauses.resume(ids.slice(0, 1))
  await done()
  expect(service.engine.swaps).toEqual(['first', 'second', 'third'])
  expect(get(0).objectId).toBe(objectId)
})

it('keeps their order over a restart while the disk is full', async () => {
  isFull = true
  submit('first', 'second')
  await isPaused(0)
  isFull = false
  await service.restart()
  client = await newClient()
  // Time for the second, if it did not wait.
  await sleep(500)
  tasks.pauses.resume(ids.slice(0, 1))
  await done()
  expect(service.engine.swaps).toEqual(['first', 'second'])
})

it('writes one line of what happened, however often it is tried', async () => {
  isFull = true
  submit('first')
  for (let tries = 0; tries < 3; tries += 1) {
    await isPaused(0)
    tasks.pauses.resume(ids)
    await vi.waitFor(() => expect(get(0).pause).toBeNull())
  }
  await isPaused(0)
  expect(get(0).events.filter(({ what }) => what === 'paused')).toHaveLength(1)
})

it('pauses a swap whose files it can’t take, and sends it when there is space', async () => {
  free = 1000
  submit('first', 'second')
  await isPaused(0)
  expect(get(1)).toMatchObject({ state: 'queued', pause: null })
  free = 1e12
  tasks.pauses.resume(ids.slice(0, 1))
  await done()
  expect(service.engine.swaps).toEqual(['first', 'second'])
})
