/** @file What only the storage in a bucket has to do. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toErrorBody } from '@shared/errors.ts'
import { errorSentence } from '@shared/i18n/error-text.ts'
import type { BlobStorage } from '../../../../../src/main/service/cluster/storage/blob-storage.ts'
import { s3Options } from '../../../../../src/main/cli/server/open-storage.ts'
import { S3Storage, type S3StorageOptions } from '../../../../../src/main/service/cluster/storage/s3-storage.ts'
import { S3Server } from '../../../../fixtures/s3-server.ts'
import { fileToStore, listOf, textOf, type StoredFile } from '../../../../fixtures/stored-files.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const mega = 1 << 20
const day = 24 * 3_600_000

const inDir = tempPaths()
let storage: BlobStorage

const source = (bytes: number): StoredFile => fileToStore(inDir(), bytes)
const listed = (): Promise<Map<string, number>> => listOf(storage)

const urlOf = (input: Parameters<typeof fetch>[0]): URL => new URL(input instanceof Request ? input.url : input)

describe('a bucket', () => {
  let server: S3Server
  beforeEach(async () => {
    server = await S3Server.start(inDir('s3'))
    storage = patient()
  })
  afterEach(() => server.close())

  /** Tries three times, without waiting. */
  const patient = (change: Partial<S3StorageOptions> = {}): S3Storage =>
    new S3Storage({ ...s3Options(server.address(), server.env), pausesMs: [0, 0], ...change })

  it('is asked again after what passes', async () => {
    const [small, large] = [source(1000), source(17 * mega)]
    server.failing = 2
    await storage.put(small.name, small.path)
    server.dropping = 2
    await storage.put(large.name, large.path)
    for (const switched of ['failing', 'dropping', 'cutting'] as const) {
      server[switched] = 2
      expect(await storage.fetch(large.name, inDir(switched))).toBe(true)
      expect(readFileSync(inDir(switched)).equals(large.content)).toBe(true)
      server[switched] = 1
      expect(await listed()).toHaveProperty('size', 2)
    }
  })

  it.each(['failing', 'dropping'] as const)('is given up after some tries while it is %s', async (switched) => {
    const file = source(1000)
    server[switched] = Infinity
    await expect(storage.put(file.name, file.path)).rejects.toMatchObject({ code: 'storage-unreachable' })
    expect(server.requests).toHaveLength(3)
    const { name } = file
    const copy = inDir('copy')
    const calls = [() => storage.has(name), () => storage.read(name), () => storage.remove(name), listed]
    for (const call of [...calls, () => storage.check(), () => storage.fetch(name, copy)])
      await expect(call()).rejects.toMatchObject({ code: 'storage-unreachable' })
    expect(existsSync(copy)).toBe(false)
  })

  it('names a read that breaks off', async () => {
    const file = source(3 * mega)
    await storage.put(file.name, file.path)
    server.cutting = 1
    const found = await storage.read(file.name)
    await expect(textOf(found?.body)).rejects.toMatchObject({ code: 'storage-unreachable' })
  })

  it('names a full storage, which is not asked again', async () => {
    const file = source(10)
    server.isFull = true
    await expect(storage.put(file.name, file.path)).rejects.toMatchObject({ code: 'disk-full' })
    await expect(storage.check()).rejects.toMatchObject({ code: 'disk-full' })
    expect(server.requests.filter((line) => line.startsWith('PUT'))).toHaveLength(2)
  })

  it('names a key that may only read', async () => {
    const [file, another] = [source(10), source(10)]
    await storage.put(file.name, file.path)
    server.isReadOnly = true
    const refused = { code: 'storage-refused', details: { reason: 'access' } }
    await expect(storage.check()).rejects.toMatchObject(refused)
    await expect(storage.put(another.name, another.path)).rejects.toMatchObject(refused)
    expect(await storage.has(file.name)).toBe(true)
  })

  it.each<[string, (options: S3StorageOptions) => Partial<S3StorageOptions>]>([
    ['credentials', ({ credentials }) => ({ credentials: { ...credentials, accessKeyId: 'NOBODY' } })],
    ['credentials', ({ credentials }) => ({ credentials: { ...credentials, secretAccessKey: 'a wrong secret' } })],
    ['bucket', () => ({ bucket: 'nowhere' })],
    ['region', () => ({ region: 'us-east-1' })],
    ['clock', () => ({})],
  ])('names a wrong %s, without the secret', async (reason, change) => {
    if (reason === 'clock') server.skewMs = 3_600_000
    const options = s3Options(server.address(), server.env)
    const thrown: unknown = await patient(change(options))
      .check()
      .catch((error: unknown) => error)
    expect(thrown).toMatchObject({ code: 'storage-refused', details: { reason, host: new URL(server.endpoint).host } })
    expect(inspect(thrown, { depth: 9, showHidden: true })).not.toMatch(/test.secret|a wrong secret/)
    expect(errorSentence(toErrorBody(thrown))).toMatch(/^The storage rejected the request/)
  })

  it('names a storage that is not there', async () => {
    await server.close()
    const host = new URL(server.endpoint).host
    const thrown: unknown = await storage.check().catch((error: unknown) => error)
    expect(thrown).toMatchObject({ code: 'storage-unreachable', details: { host, reason: 'ECONNREFUSED' } })
    expect(errorSentence(toErrorBody(thrown))).toContain(host)
  })

  it('that sends something else than it got is noticed', async () => {
    const file = source(1000)
    await storage.put(file.name, file.path)
    server.isLying = true
    await expect(storage.fetch(file.name, inDir('copy'))).rejects.toMatchObject({ code: 'storage-damaged' })
    await expect(storage.check()).rejects.toMatchObject({ code: 'storage-damaged' })
    expect(existsSync(inDir('copy'))).toBe(false)
  })

  it('refuses parts and whole files that changed on their way', async () => {
    const file = source(1000)
    // Another body than the one that was signed.
    const tampering: typeof fetch = (input, init) =>
      fetch(input, init?.body ? { ...init, body: randomBytes(1000) } : init)
    const put = patient({ fetch: tampering }).put(file.name, file.path)
    await expect(put).rejects.toMatchObject({ code: 'file-changed' })
    expect(await server.keys()).toEqual([])
  })

  it('keeps nothing of an upload in parts that failed, and removes those that were interrupted a day ago', async () => {
    const [large, other] = [source(17 * mega), source(17 * mega)]
    await expect(storage.put(large.name, other.path)).rejects.toMatchObject({ code: 'file-changed' })
    expect(await server.uploads()).toEqual([])
    const stopping: typeof fetch = (input, init) => {
      if (urlOf(input).searchParams.get('partNumber') === '2') server.dropping = Infinity
      return fetch(input, init)
    }
    const put = patient({ fetch: stopping }).put(large.name, large.path)
    await expect(put).rejects.toMatchObject({ code: 'storage-unreachable' })
    server.dropping = 0
    const [left = ''] = await server.uploads()
    await storage.check()
    expect(await server.uploads()).toEqual([left])
    const before = new Date(Date.now() - day - 60_000)
    utimesSync(inDir('s3', 'parts', left, 'key'), before, before)
    await storage.check()
    expect(await server.uploads()).toEqual([])
  })

  it('has a file whose last answer was lost', async () => {
    const file = source(17 * mega)
    const losing: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      const { searchParams } = urlOf(input)
      if (init?.method !== 'POST' || !searchParams.has('uploadId') || !response.ok) return response
      throw new TypeError('fetch failed')
    }
    await patient({ fetch: losing }).put(file.name, file.path)
    expect(await storage.fetch(file.name, inDir('copy'))).toBe(true)
  })

  it('stops in the middle of a transfer', async () => {
    const file = source(1000)
    const abort = new AbortController()
    const stopping: typeof fetch = (input, init) => {
      if (init?.method === 'PUT') abort.abort()
      return fetch(input, init)
    }
    const put = patient({ fetch: stopping }).put(file.name, file.path, abort.signal)
    await expect(put).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('is listed page by page, without what is not Mien’s', async () => {
    const files = Array.from({ length: 5 }, () => source(8))
    for (const { name, path } of files) await storage.put(name, path)
    const hash = '0'.repeat(64)
    for (const key of ['mien/notes.txt', `mien/${hash}`, `other/00/${hash}`]) writeFileSync(server.file(key), '')
    server.pageSize = 2
    server.requests = []
    expect([...(await listed()).keys()]).toEqual(files.map(({ name }) => name).sort())
    expect(server.requests).toHaveLength(4)
  })
})
