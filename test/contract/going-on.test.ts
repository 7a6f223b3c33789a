/** @file An interrupted swap goes on from what its folder holds: after a restart, a pause, a crash, a full disk. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SwapResult } from '@shared/engine/engine.ts'
import { MienError, type ErrorCode } from '@shared/errors.ts'
import { embeddedProfileId } from '@shared/tasks/task.ts'
import type { SwapJob } from '../../src/main/engine/host/engine-host.ts'
import { MediaStore } from '../../src/main/media/media-store.ts'
import { JobCleanup } from '../../src/main/swaps/sending/job-cleanup.ts'
import { openLibrary } from '../../src/main/swaps/store/library-db.ts'
import { TaskStore } from '../../src/main/swaps/store/task-store.ts'
import { tidy } from '../../src/main/swaps/store/tidy.ts'
import type { ServiceClient } from '../../src/main/remote/client/service-client.ts'
import { hastyClock, servicesOf } from '../fixtures/task-service.ts'
import { makeTask } from '../fixtures/tasks.ts'
import { embeddedService, makeSwap, until, type ServiceUnderTest } from './service-under-test.ts'
import { SteadyEngine } from './steady-engine.ts'

/** Saves a segment each time it is asked, unless it is told to fail at once; then does as its list says. */
class SavingEngine extends SteadyEngine {
  readonly plan: ('hold' | 'go' | ErrorCode)[] = []
  /** Segments that lay in the folder, each time it was asked. */
  readonly found: number[] = []
  saving = true

  override async swap(job: SwapJob): Promise<SwapResult> {
    const at = (index: number): string => join(job.dir, `segment-000${String(index)}.json`)
    let count = 0
    while (existsSync(at(count))) count += 1
    this.found.push(count)
    const savedMs = (count + (this.saving ? 1 : 0)) * 200
    if (this.saving) await writeFile(at(count), 'checkpoint')
    const frames = { framesDone: savedMs / 40, framesTotal: 20, framesSwapped: 5 }
    const rest = { footage: null, workFps: 50, etaMs: 100, previewFrame: null, savedMs }
    job.onProgress({ stage: 'swapping', ...frames, ...rest })
    const next = this.plan.shift() ?? 'go'
    if (next === 'go') return super.swap(job)
    if (next !== 'hold') throw new MienError(next)
    await new Promise((_resolve, reject) => {
      job.signal.addEventListener('abort', () => reject(new MienError('cancelled')))
    })
    throw new MienError('cancelled')
  }
}

let service: ServiceUnderTest
let engine: SavingEngine
let client: ServiceClient
let objectId: string
/** By how much the service's clock is ahead. */
let clockMs: number

beforeEach(async () => {
  engine = new SavingEngine()
  clockMs = 0
  service = await embeddedService({ engine, clock: () => Date.now() + clockMs })
  client = await newClient()
})
afterEach(() => service.close())

/** With another key: one is valid until its service ends. A job belongs to its user. */
const newClient = async (): Promise<ServiceClient> => service.client((await service.client(null).newKey(7n)).shown)

async function begin(...plan: SavingEngine['plan']): Promise<void> {
  engine.plan.push(...plan)
  objectId = await makeSwap(service, client, 'clip')
}
const now = async () => (await client.fetchTasks([objectId])).get(objectId)
/** The engine's work of the swap. */
const folder = (): string => join(service.dir, 'jobs', objectId)
const reaches = (status: string) => until(now, (task) => task?.status === status)
const saved = (savedMs: number) => until(now, (task) => task?.work?.savedMs === savedMs)

it('goes on where it was after a restart, under another key, and tells how far it is', async () => {
  await begin('hold')
  await saved(200)
  await service.restart()
  client = await newClient()
  await reaches('succeeded')
  expect(engine.found).toEqual([0, 1])
})

it('refuses a key of an earlier start, and keeps none of them', async () => {
  const earlier = (await service.client(null).newKey(7n)).shown
  await service.restart()
  expect(await service.client(earlier).test()).toMatchObject({ reached: true, keyAccepted: false })
  expect(await service.client(null).listKeys(7n)).toEqual([])
})

it('is held and goes on when it is told to, also over a restart', async () => {
  await begin('hold')
  await saved(200)
  await client.pause(objectId)
  expect(await now()).toMatchObject({ status: 'waiting', progress: { share: 0.24 }, work: { savedMs: 200 } })
  await service.restart()
  client = await newClient()
  expect(engine.found).toEqual([0])
  expect(await client.resume(objectId)).toEqual({ goesOn: true })
  await reaches('succeeded')
  expect(engine.found).toEqual([0, 1])
})

it('lets go of what it kept when the swap was removed from the library', async () => {
  await begin('disk-full')
  await reaches('failed')
  const { db } = openLibrary(await service.file('library.db', ''), 1)
  const store = new TaskStore(db, () => undefined)
  const local = { profileId: embeddedProfileId, state: 'failed' } as const
  store.put(makeTask({ ...local, objectId }))
  store.put(makeTask({ ...local, id: 'unknown', objectId: 'unknown' }))
  for (const { id } of store.all()) store.setRemoved(id, 2)
  const mediaDir = join(dirname(await service.file('library.db-media', '')), 'media')
  await mkdir(mediaDir)
  await tidy(
    { store, media: new MediaStore(db), mediaDir, onForgotten: () => undefined, log: () => undefined },
    3,
    new AbortController().signal,
  )
  expect(store.jobsToEnd.soonest(9)).toHaveLength(2)
  expect(existsSync(join(folder(), 'work', 'segment-0000.json'))).toBe(true)
  const cleanup = (used: ServiceClient): JobCleanup =>
    new JobCleanup({ store, services: servicesOf(() => used), log: () => undefined, clock: hastyClock })
  const refused = cleanup(service.client('a wrong key'))
  refused.wake()
  await refused.idle()
  await refused.dispose()
  expect(store.jobsToEnd.soonest(9)).toHaveLength(2)
  const allowed = cleanup(client)
  allowed.wake()
  await expect.poll(() => store.jobsToEnd.soonest(9)).toEqual([])
  await allowed.dispose()
  await expect.poll(() => existsSync(folder())).toBe(false)
  db.close()
})

it('deletes what a cancelled swap has on disk at the next start, after ten minutes', async () => {
  await begin('hold')
  await saved(200)
  await client.pause(objectId)
  await client.cancel(objectId)
  clockMs += 10 * 60_000 + 1
  await service.restart()
  await expect.poll(() => existsSync(folder())).toBe(false)
  client = await newClient()
  await expect(client.resume(objectId)).rejects.toMatchObject({ code: 'not-found' })
})

it('has nothing to go on from after another failure', async () => {
  await begin('video-damaged')
  await reaches('failed')
  await expect(client.resume(objectId)).rejects.toMatchObject({ code: 'request-refused' })
  await expect.poll(() => existsSync(folder())).toBe(false)
})
