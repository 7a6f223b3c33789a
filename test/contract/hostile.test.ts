/** @file Services that mean harm: what they send costs neither memory, disk, keys nor another swap. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { downloadPart } from '../../src/main/remote/client/transport/download.ts'
import { plainFetch } from '../../src/main/remote/client/transport/http.ts'
import type { ServiceClient } from '../../src/main/remote/client/service-client.ts'
import { openNodeMien, type NodeMien } from '../fault/node-mien.ts'
import { FakeService, json, listOf, routes, sendJson, type Reply } from '../fixtures/fake-service.ts'
import { hastyClock, makeClient } from '../fixtures/task-service.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { embeddedService } from './service-under-test.ts'

const input = { title: 'x', imageUrl: 'https://h/f', videoUrl: 'https://h/v', durationMs: 1500, idempotencyKey: 'k' }

let dir: string
let service: FakeService
let mien: NodeMien | null

beforeEach(async () => {
  dir = tempDir()
  mien = null
  service = await new FakeService().start()
  service.acceptSwaps()
})
afterEach(async () => {
  mien?.dispose()
  await service.stop()
})

const clientOf = (baseUrl: string): ServiceClient => makeClient(baseUrl, { gapMs: 0 })
const source = (path: string, freeBytes: number) => ({
  http: plainFetch(globalThis.fetch),
  url: service.baseUrl + path,
  origin: service.baseUrl,
  keyHeaders: () => Promise.resolve({}),
  freeBytes: () => Promise.resolve(freeBytes),
})

/** An item of about `bytes` bytes for each id that was asked for. */
const items = (bytes: number): Reply => listOf(() => ({ title: 'x'.repeat(bytes), status: 'processing' }))

describe('a list', () => {
  it('of 4.5 MB is read', async () => {
    service.replies.set(routes.list, items(4_500_000))
    expect((await clientOf(service.baseUrl).fetchTasks(['object-1'])).get('object-1')?.status).toBe('processing')
  })

  it('of 6 MB loses no swap: it is asked for again, and found once the list is a good one', async () => {
    mien = await openNodeMien(dir, hastyClock)
    service.replies.set(routes.list, items(6_000_000))
    const profileId = await mien.addService({ name: 'Long', baseUrl: service.baseUrl, key: 'a-key' })
    await mien.submit(profileId, 'Clip')
    await vi.waitFor(() => expect(service.count(routes.list)).toBeGreaterThan(1))
    service.replies.set(routes.list, items(10))
    await vi.waitFor(async () => expect((await mien?.rows())?.[0]?.state).toBe('processing'))
    expect(service.count(routes.create)).toBe(1)
    expect(await mien.crashes()).toBe(0)
  })

  it('that is too long for many swaps is asked for in smaller pieces', async () => {
    mien = await openNodeMien(dir, hastyClock)
    let made = 0
    service.replies.set(routes.create, (_request, response) => {
      sendJson(response, { objectID: `object-${(made += 1)}` })
    })
    service.replies.set(routes.list, items(1_500_000))
    const profileId = await mien.addService({ name: 'Long', baseUrl: service.baseUrl, key: 'a-key' })
    for (let count = 0; count < 8; count++) await mien.submit(profileId, `Clip ${String(count)}`)
    await vi.waitFor(async () => {
      const rows = (await mien?.rows()) ?? []
      expect(rows.map(({ state }) => state)).toEqual(Array.from({ length: 8 }, () => 'processing'))
    })
  })

  it('that is a gzip bomb costs no more memory than an answer may have', async () => {
    const bomb = gzipSync(Buffer.alloc(600_000_000, ' '))
    service.replies.set(routes.list, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb)
    })
    const before = process.memoryUsage()
    let max = 0
    const timer = setInterval(() => {
      const now = process.memoryUsage()
      max = Math.max(max, now.external - before.external, now.heapTotal - before.heapTotal)
    }, 5)
    await expect(clientOf(service.baseUrl).fetchTasks(['object-1'])).rejects.toMatchObject({ code: 'not-a-service' })
    clearInterval(timer)
    expect(max).toBeLessThan(150_000_000)
  })
})

it('a create that is answered a byte at a time is unclear, and the sentence says so', async () => {
  service.replies.set(routes.list, json({}, 500))
  service.replies.set(routes.create, (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    const timer = setInterval(() => response.write(' '), 100)
    request.socket.on('close', () => clearInterval(timer))
  })
  const pending = makeClient(service.baseUrl, { gapMs: 0, deadlineMs: 1000 }).create(input)
  // A deadline must outlive a collection of garbage.
  setFlagsFromString('--expose-gc')
  const timer = setInterval(() => {
    runInNewContext('gc()')
  }, 100)
  const outcome = await pending
  clearInterval(timer)
  expect(outcome).toMatchObject({ kind: 'unclear', error: { code: 'create-unclear' } })
  expect(outcome.kind === 'unclear' && errorSentence(outcome.error)).toContain('may have started')
  expect(service.count(routes.create)).toBe(1)
})

describe('a result', () => {
  const part = (): string => join(dir, 'film.part')

  it('of 50 GB is refused on a smaller disk, before a byte of it is written', async () => {
    service.replies.set('GET /film', (_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': '50000000000' }).write('x')
    })
    await expect(downloadPart(source('/film', 10e9), part(), { wanted: 'video' })).rejects.toMatchObject({
      code: 'disk-full',
      details: { needBytes: 50e9, freeBytes: 10e9 },
    })
    expect(readdirSync(dir)).toEqual([])
  })

  it('without an end stops before the disk is full, and gives the room back', async () => {
    service.replies.set('GET /film', (_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', etag: '"endless"' })
      const chunk = Buffer.alloc(1_000_000)
      const more = (): void => {
        if (!response.destroyed) response.write(chunk, () => setImmediate(more))
      }
      more()
    })
    await expect(downloadPart(source('/film', 20e6), part(), { wanted: 'video' })).rejects.toMatchObject({
      code: 'disk-full',
    })
    expect(statSync(part()).size).toBe(0)
    expect(readdirSync(dir)).toEqual(['film.part'])
  })

  it('that is a film of this computer’s own service is not fetched with anybody’s key', async () => {
    const embedded = await embeddedService()
    try {
      const own = embedded.client((await embedded.client(null).newKey(1n)).shown)
      const url = await own.uploadAsset(await embedded.file('secret.mp4', 'secret'), 'secret.mp4')
      await expect(clientOf(service.baseUrl).download(url, join(dir, 'film.mp4'))).rejects.toMatchObject({
        code: 'result-unavailable',
        details: { status: 401 },
      })
      expect(readdirSync(dir)).toEqual([])
    } finally {
      await embedded.close()
    }
  })
})
