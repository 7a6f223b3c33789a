import { readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { reserveBytes } from '../../../../src/main/machine/disk/files.ts'
import { fetchFile } from '../../../../src/main/machine/transfer/fetch-file.ts'
import { readSource } from '../../../../src/main/service/cluster/job.ts'
import { EmbeddedService } from '../../../../src/main/service/embedded/embedded-service.ts'
import { RateLimit } from '../../../../src/main/service/http/guard.ts'
import { openServiceDb } from '../../../../src/main/service/embedded/service-db.ts'
import { shareOf, taskItem } from '../../../../src/main/service/cluster/task-item.ts'
import { makeJob } from '../../../fixtures/cluster.ts'
import { breakOff, file, json, type Reply } from '../../../fixtures/fake-service.ts'
import { tempPaths } from '../../../fixtures/temp-dir.ts'
import { tempService } from '../../../fixtures/temp-service.ts'
import { SteadyEngine } from '../../../contract/steady-engine.ts'

const inDir = tempPaths()

describe('the database', () => {
  it('that is broken is moved aside, not overwritten', async () => {
    await writeFile(inDir('service.db'), 'this is no database, but it is long enough to be looked at'.repeat(50))
    const { db, backup } = openServiceDb(inDir(), 17)
    db.close()
    expect(backup).toBe('service-17.broken.db')
    expect(await readdir(inDir())).toContain('service-17.broken.db')
    const again = openServiceDb(inDir(), 18)
    again.db.close()
    expect(again.backup).toBeNull()
  })

  it('of a newer Mien is left alone', () => {
    const { db } = openServiceDb(inDir(), 1)
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA user_version = 99')
    db.close()
    const before = readFileSync(inDir('service.db'))
    expect(() => openServiceDb(inDir(), 2)).toThrow('data-newer')
    expect(readFileSync(inDir('service.db')).equals(before)).toBe(true)
  })

  it('belongs to one service at a time', async () => {
    const make = () => new EmbeddedService({ dir: inDir(), engine: new SteadyEngine(), log: () => undefined })
    const first = make()
    await first.start()
    const upload = inDir('uploads', 'under way')
    await writeFile(upload, 'half')
    await expect(make().start()).rejects.toMatchObject({ code: 'internal', details: { reason: 'in-use' } })
    expect(await readFile(upload, 'utf8')).toBe('half')
    await first.dispose()
    const second = make()
    await second.start()
    expect(await readdir(inDir('uploads'))).toEqual([])
    await second.dispose()
  })
})

it('folders of jobs that nobody knows are swept at start', async () => {
  await mkdir(inDir('jobs', 'unknown', 'work'), { recursive: true })
  await utimes(inDir('jobs', 'unknown'), 1, 1)
  const service = new EmbeddedService({ dir: inDir(), engine: new SteadyEngine(), log: () => undefined })
  await service.start()
  await expect.poll(() => readdir(inDir('jobs'))).toEqual([])
  await service.dispose()
})

describe('addresses', () => {
  const id = '6a19fd05-f731-4b4a-8a10-c6617f90fee3'
  it.each([
    [`http://127.0.0.1:4444/v1/assets/${id}`, { kind: 'asset', id }],
    [`http://localhost:1/v1/assets/${id}?x=1`, { kind: 'asset', id }],
    [`/v1/assets/${id}`, { kind: 'asset', id }],
    [`https://127.0.0.1/v1/assets/${id}`, { kind: 'web', url: `https://127.0.0.1/v1/assets/${id}` }],
    [`http://example.com/v1/assets/${id}`, { kind: 'web', url: `http://example.com/v1/assets/${id}` }],
    [' https://example.com/a b.mp4 ', { kind: 'web', url: 'https://example.com/a%20b.mp4' }],
    ['http://127.0.0.1:4444/v1/assets/../../etc', { kind: 'web', url: 'http://127.0.0.1:4444/etc' }],
    ['/v1/assets/not-an-id', null],
    ['//example.com/a', null],
    ['file:///etc/passwd', null],
    ['https://user@example.com/', null],
    ['example.com/a.mp4', null],
    ['', null],
  ])('%s', (address, source) => {
    expect(readSource(address, ({ protocol, hostname }) => protocol === 'http:' && hostname !== 'example.com')).toEqual(
      source,
    )
  })

  it.each<[string, Reply, string]>([
    ['404', json({}, 404), 'address-refused'],
    ['a page', file('<html>', 'text/html; charset=utf-8'), 'address-not-video'],
    ['nothing', (_, response) => response.writeHead(200).end(), 'address-not-video'],
    ['a broken connection', breakOff, 'address-silent'],
    [
      'a part',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('abc')
        setTimeout(() => response.destroy(), 20)
      },
      'address-silent',
    ],
    [
      'too much',
      (_, response) => response.writeHead(200, { 'content-length': '1000000000000000' }).write('x'),
      'disk-full',
    ],
  ])('that answer with %s', async (_what, reply, code) => {
    const host = await tempService()
    host.replies.set('', reply)
    const { signal } = new AbortController()
    const url = new URL(`${host.baseUrl}/v.mp4`)
    const fetched = fetchFile(url, inDir('v'), 'video', { fetch, signal, reserveBytes, sync: true })
    await expect(fetched).rejects.toMatchObject({ code })
    expect(await readdir(inDir())).toEqual([])
  })
})

it('the rate limit counts each key by itself, over any one second', () => {
  let now = 0
  const limit = new RateLimit(2, () => now)
  expect([limit.take('a'), limit.take('a'), limit.take('b')]).toEqual([0, 0, 0])
  now = 400
  expect(limit.take('a')).toBe(600)
  now = 1000
  expect(limit.take('a')).toBe(0)
  // 881.706 + 1000 − 881.706 is more than 1000.
  now = 881.706
  expect([limit.take('c'), limit.take('c'), limit.take('c')]).toEqual([0, 0, 1000])
})

describe('the share of the work', () => {
  const at = (stage: 'preparing' | 'swapping' | 'finishing', framesDone: number, framesTotal: number | null) => ({
    stage,
    framesDone,
    framesTotal,
    framesSwapped: 0,
    workFps: null,
    etaMs: null,
    footage: null,
    previewFrame: null,
    savedMs: 0,
  })
  const half = { frames: 5, framesTotal: 10, savedMs: 200 }
  it.each([
    ['queued', null, null, 0],
    ['queued', half, null, 0.48],
    ['processing', null, null, 0],
    ['processing', half, null, 0.48],
    ['processing', half, at('preparing', 0, 10), 0.48],
    ['processing', null, at('preparing', 0, 10), 0],
    ['processing', null, at('swapping', 5, 10), 0.48],
    // Begun anew after a stop: the share stays until it is further.
    ['processing', half, at('swapping', 0, 10), 0.48],
    ['processing', null, at('swapping', 20, 10), 0.96],
    ['processing', null, at('swapping', 5, null), null],
    ['processing', null, at('swapping', 0, 0), null],
    ['processing', null, at('finishing', 10, 10), 0.96],
    ['completed', null, null, 1],
    ['failed', half, null, null],
    ['cancelled', null, null, null],
  ] as const)('%s, saved %o, told %o: %s', (status, saved, progress, share) => {
    expect(shareOf({ status, saved }, { progress, previewFrame: null })).toBe(share)
  })

  it('and what is saved are told before a swap goes on', () => {
    const job = makeJob({ status: 'processing', saved: half })
    const live = { progress: at('preparing', 0, 10), previewFrame: null }
    const { work } = taskItem(job, 1, live, String, String)
    expect(work).toMatchObject({ stage: 'preparing', framesDone: 5, savedMs: 200 })
  })
})
