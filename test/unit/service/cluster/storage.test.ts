/** @file What every storage of a cluster can do: the same tests for a folder and for a bucket on a real S3 server. */
import { execFileSync, fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { build } from 'vite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toErrorBody } from '@shared/errors.ts'
import { errorSentence } from '@shared/i18n/error-text.ts'
import type { BlobStorage } from '../../../../src/main/service/cluster/storage/blob-storage.ts'
import { openStorage, s3Options } from '../../../../src/main/service/cluster/storage/open-storage.ts'
import { S3Storage, type S3StorageOptions } from '../../../../src/main/service/cluster/storage/s3-storage.ts'
import { asRoot } from '../../../fixtures/as-user.ts'
import { S3Server } from '../../../fixtures/s3-server.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

const mega = 1 << 20
const day = 24 * 3_600_000

interface Source {
  path: string
  content: Buffer
  name: string
}

/** A storage, and what the tests do behind its back. */
interface Place {
  storage: BlobStorage
  /** Another process's. */
  second: BlobStorage
  /** Path of a stored file. */
  file: (name: string) => string
  close: () => Promise<void>
}

let dir: string
let place: Place
let storage: BlobStorage

function source(bytes: number): Source {
  const content = randomBytes(bytes)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const name = `${sha256}-${randomBytes(6).toString('hex')}`
  const path = join(dir, name)
  writeFileSync(path, content)
  return { path, content, name }
}

async function textOf(body: ReadableStream<Uint8Array> | undefined): Promise<Buffer> {
  return Buffer.from(await new Response(body ?? null).arrayBuffer())
}

async function listed(): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for await (const { name, storedAt } of storage.list()) found.set(name, storedAt)
  return found
}

function inFolder(): Promise<Place> {
  const root = join(dir, 'storage')
  mkdirSync(root)
  return Promise.resolve({
    storage: openStorage(root, {}),
    second: openStorage(`file://${root}`, {}),
    file: (name) => join(root, name.slice(0, 2), name),
    close: () => Promise.resolve(),
  })
}

async function inBucket(): Promise<Place> {
  const server = await S3Server.start(join(dir, 's3'))
  return {
    storage: openStorage(server.address(), server.env),
    second: openStorage(server.address(), server.env),
    file: (name) => server.file(`mien/${name.slice(0, 2)}/${name}`),
    close: () => server.close(),
  }
}

interface S3 {
  run: () => Promise<AddressInfo>
  close: () => Promise<void>
}
// It has no types; these two methods and the options below are all that is used.
const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => S3

/** Somebody else's implementation, which checks less. */
async function inS3rver(): Promise<Place> {
  const root = join(dir, 's3rver')
  const server = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, directory: root },
    configureBuckets: [{ name: 'studio', configs: [] }],
  })
  const { port } = await server.run()
  const address = `s3://S3RVER:S3RVER@studio/a/b?endpoint=http://127.0.0.1:${String(port)}`
  return {
    storage: openStorage(address, {}),
    second: openStorage(address, {}),
    file: (name) => join(root, 'studio', 'a', 'b', name.slice(0, 2), `${name}._S3rver_object`),
    close: () => server.close(),
  }
}

beforeEach(() => {
  dir = tempDir()
})

describe.each([
  ['a folder', inFolder],
  ['a bucket', inBucket],
  ['a bucket of s3rver', inS3rver],
])('%s', (_, open) => {
  beforeEach(async () => {
    place = await open()
    storage = place.storage
    await storage.check()
  })
  afterEach(() => place.close())

  it.each([0, 1, 100_000])('stores %i bytes and gives them back', async (bytes) => {
    const file = source(bytes)
    expect(await storage.has(file.name)).toBe(false)
    await storage.put(file.name, file.path)
    expect(await place.second.has(file.name)).toBe(true)
    const found = await place.second.read(file.name)
    expect(found?.size).toBe(bytes)
    expect(await textOf(found?.body)).toEqual(file.content)
    const copy = join(dir, 'copy')
    expect(await place.second.fetch(file.name, copy)).toBe(true)
    expect(readFileSync(copy)).toEqual(file.content)
    expect(statSync(copy).mode & 0o077).toBe(0)
  })

  it('stores a file of several parts', async () => {
    const file = source(33 * mega)
    await storage.put(file.name, file.path)
    await storage.fetch(file.name, join(dir, 'copy'))
    expect(readFileSync(join(dir, 'copy')).equals(file.content)).toBe(true)
  })

  it.each([
    [0, 1],
    [5, 5],
    [10, 19],
    [990, 999],
    [990, 5000],
  ])('reads the bytes from %i to %i', async (start, end) => {
    const file = source(1000)
    await storage.put(file.name, file.path)
    const found = await storage.read(file.name, { start, end })
    expect(found?.size).toBe(1000)
    expect(await textOf(found?.body)).toEqual(file.content.subarray(start, end + 1))
  })

  it('has nothing that was not stored, and nothing that was removed', async () => {
    const file = source(10)
    await storage.put(file.name, file.path)
    await storage.remove(file.name)
    await storage.remove(file.name)
    expect(await storage.has(file.name)).toBe(false)
    expect(await storage.read(file.name)).toBeNull()
    expect(await storage.read(file.name, { start: 0, end: 1 })).toBeNull()
    expect(await storage.fetch(file.name, join(dir, 'copy'))).toBe(false)
    expect(readdirSync(dir)).not.toContain('copy')
  })

  it('lists what is stored, and since when', async () => {
    const files = [source(1), source(2), source(3)]
    const before = Date.now()
    for (const { name, path } of files) await storage.put(name, path)
    const found = await listed()
    expect([...found.keys()].sort()).toEqual(files.map(({ name }) => name).sort())
    for (const storedAt of found.values()) {
      // Some storages only count seconds, and file systems a little less exactly than Node's clock.
      expect(storedAt).toBeGreaterThan(before - 2000)
      expect(storedAt).toBeLessThanOrEqual(Date.now() + 1000)
    }
  })

  it('notices a content that changed in the storage, and leaves no copy', async () => {
    const file = source(500)
    await storage.put(file.name, file.path)
    writeFileSync(place.file(file.name), randomBytes(500))
    const before = readdirSync(dir)
    await expect(storage.fetch(file.name, join(dir, 'copy'))).rejects.toMatchObject({ code: 'storage-damaged' })
    expect(readdirSync(dir)).toEqual(before)
  })

  it('takes the same file from several processes at once', async () => {
    const file = source(300_000)
    const puts = Array.from({ length: 8 }, (_, n) => (n % 2 ? storage : place.second).put(file.name, file.path))
    await Promise.all(puts)
    expect([...(await listed()).keys()]).toEqual([file.name])
    expect(await textOf((await storage.read(file.name))?.body)).toEqual(file.content)
  })

  it('names a file of this computer that is gone, and a folder for copies that is', async () => {
    const file = source(10)
    await storage.put(file.name, file.path)
    const gone = source(10)
    rmSync(gone.path)
    await expect(storage.put(gone.name, gone.path)).rejects.toMatchObject({ code: 'file-missing' })
    await expect(storage.fetch(file.name, join(dir, 'nowhere', 'copy'))).rejects.toMatchObject({
      code: 'folder-missing',
    })
  })

  it('stops when it is told to', async () => {
    const file = source(10)
    const signal = AbortSignal.abort()
    await expect(storage.put(file.name, file.path, signal)).rejects.toMatchObject({ code: 'cancelled' })
    await storage.put(file.name, file.path)
    await expect(storage.fetch(file.name, join(dir, 'copy'), signal)).rejects.toMatchObject({ code: 'cancelled' })
    expect(existsSync(join(dir, 'copy'))).toBe(false)
  })

  it('ends a read that nobody wants any more', async () => {
    const file = source(5 * mega)
    await storage.put(file.name, file.path)
    const found = await storage.read(file.name)
    await found?.body.cancel()
    expect(await storage.has(file.name)).toBe(true)
  })

  it('is empty after a check', async () => {
    expect(await listed()).toEqual(new Map())
  })
})

describe.each([
  ['a folder', inFolder],
  ['a bucket', inBucket],
])('%s', (_, open) => {
  it.each([500, 17 * mega])('refuses %i bytes that are not those that it should get', async (bytes) => {
    place = await open()
    await place.storage.check()
    const [file, other] = [source(bytes), source(bytes)]
    await expect(place.storage.put(file.name, other.path)).rejects.toMatchObject({ code: 'file-changed' })
    expect(await place.storage.has(file.name)).toBe(false)
    await place.close()
  })
})

describe('a folder', () => {
  let root: string
  beforeEach(async () => {
    place = await inFolder()
    storage = place.storage
    root = join(dir, 'storage')
    await storage.check()
  })

  it('is nobody else’s to read', async () => {
    const file = source(10)
    await storage.put(file.name, file.path)
    const modes = [dirname(place.file(file.name)), place.file(file.name)].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600])
  })

  it.runIf(process.platform !== 'win32')('has no half file after a kill, and no leftovers a day later', async () => {
    const pipe = join(dir, 'pipe')
    execFileSync('mkfifo', [pipe])
    const file = source(3 * mega)
    const child = fork(await builtPut(dir), [root, file.name, pipe])
    const ended = once(child, 'exit')
    // Its reader goes on when it has something to read: the child waits for the rest.
    const writer = await openFile(pipe, 'w')
    await writer.write(file.content.subarray(0, mega))
    const incoming = join(root, 'incoming')
    await vi.waitFor(() => {
      expect(readdirSync(incoming).map((name) => statSync(join(incoming, name)).size)).toEqual([mega])
    })
    child.kill('SIGKILL')
    await ended
    await writer.close()
    expect(await storage.has(file.name)).toBe(false)
    expect(await listed()).toEqual(new Map())
    await storage.put(file.name, file.path)
    await storage.check()
    const [left = ''] = readdirSync(incoming)
    const before = new Date(Date.now() - day - 60_000)
    utimesSync(join(incoming, left), before, before)
    await storage.check()
    expect(readdirSync(incoming)).toEqual([])
    expect([...(await listed()).keys()]).toEqual([file.name])
  })

  it('is unreachable while its disk is gone, and has what it had when it is back', async () => {
    const file = source(10)
    await storage.put(file.name, file.path)
    renameSync(root, `${root}-gone`)
    const { name, path } = file
    for (const call of [() => storage.has(name), () => storage.read(name), () => storage.put(name, path), listed])
      await expect(call()).rejects.toMatchObject({ code: 'storage-unreachable' })
    // The disk's folder stays where the disk is gone.
    mkdirSync(root)
    await expect(storage.has(file.name)).rejects.toMatchObject({ code: 'storage-unreachable' })
    await expect(storage.put(file.name, file.path)).rejects.toMatchObject({ code: 'storage-unreachable' })
    expect(readdirSync(root)).toEqual([])
    rmdirSync(root)
    renameSync(`${root}-gone`, root)
    expect(await storage.has(file.name)).toBe(true)
  })

  it('cannot be a file', async () => {
    writeFileSync(join(dir, 'a file'), '')
    const code = 'folder-missing'
    await expect(openStorage(join(dir, 'a file', 'storage'), {}).check()).rejects.toMatchObject({ code })
  })

  // Only root may mount a small disk.
  it.runIf(asRoot && process.platform === 'linux')('names a full disk, and one that is read-only', async () => {
    const disk = join(dir, 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
    try {
      const small = openStorage(disk, {})
      await small.check()
      const [file, large, another] = [source(10), source(2 * mega), source(10)]
      await small.put(file.name, file.path)
      await expect(small.put(large.name, large.path)).rejects.toMatchObject({
        ...{ code: 'disk-full', details: { needBytes: 2 * mega, folder: expect.stringContaining('disk') as string } },
      })
      expect(readdirSync(join(disk, 'incoming'))).toEqual([])
      expect(() => writeFileSync(join(disk, 'ballast'), large.content)).toThrow(/ENOSPC/)
      await expect(small.check()).rejects.toMatchObject({ code: 'disk-full' })
      rmSync(join(disk, 'ballast'))
      execFileSync('mount', ['-o', 'remount,ro', disk])
      const refused = { code: 'folder-read-only' }
      await expect(small.check()).rejects.toMatchObject(refused)
      await expect(small.put(another.name, another.path)).rejects.toMatchObject(refused)
      await expect(small.remove(file.name)).rejects.toMatchObject(refused)
      await small.put(file.name, file.path)
      expect(await small.fetch(file.name, join(dir, 'copy'))).toBe(true)
    } finally {
      execFileSync('umount', ['-l', disk])
    }
  })
})

const urlOf = (input: Parameters<typeof fetch>[0]): URL => new URL(input instanceof Request ? input.url : input)

/** Builds put-file.ts, to run it as a process of its own. */
async function builtPut(outDir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'silent',
    resolve: { alias: { '@shared': fileURLToPath(new URL('../../../../src/shared', import.meta.url)) } },
    ssr: { noExternal: true },
    build: { ssr: fileURLToPath(new URL('./put-file.ts', import.meta.url)), outDir, emptyOutDir: false, minify: false },
  })
  return join(outDir, 'put-file.js')
}

describe('a bucket', () => {
  let server: S3Server
  beforeEach(async () => {
    server = await S3Server.start(join(dir, 's3'))
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
      expect(await storage.fetch(large.name, join(dir, switched))).toBe(true)
      expect(readFileSync(join(dir, switched)).equals(large.content)).toBe(true)
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
    const calls = [() => storage.has(name), () => storage.read(name), () => storage.remove(name), listed]
    for (const call of [...calls, () => storage.check()]) {
      await expect(call()).rejects.toMatchObject({ code: 'storage-unreachable' })
    }
    const copy = join(dir, 'copy')
    await expect(storage.fetch(file.name, copy)).rejects.toMatchObject({ code: 'storage-unreachable' })
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
    await expect(storage.fetch(file.name, join(dir, 'copy'))).rejects.toMatchObject({ code: 'storage-damaged' })
    await expect(storage.check()).rejects.toMatchObject({ code: 'storage-damaged' })
    expect(existsSync(join(dir, 'copy'))).toBe(false)
  })

  it('refuses parts and whole files that changed on their way', async () => {
    const file = source(1000)
    // Another body than the one that was signed.
    const tampering: typeof fetch = (input, init) =>
      fetch(input, init?.body ? { ...init, body: randomBytes(1000) } : init)
    await expect(patient({ fetch: tampering }).put(file.name, file.path)).rejects.toMatchObject({
      code: 'file-changed',
    })
    expect(await server.keys()).toEqual([])
  })

  it('keeps nothing of an upload in parts that failed, and removes those that were interrupted a day ago', async () => {
    const [large, other] = [source(17 * mega), source(17 * mega)]
    await expect(storage.put(large.name, other.path)).rejects.toMatchObject({ code: 'file-changed' })
    expect(await server.uploads()).toEqual([])
    const abort = new AbortController()
    const stopping: typeof fetch = (input, init) => {
      if (urlOf(input).searchParams.get('partNumber') === '2') server.dropping = Infinity
      return fetch(input, init)
    }
    await expect(patient({ fetch: stopping }).put(large.name, large.path, abort.signal)).rejects.toMatchObject({
      code: 'storage-unreachable',
    })
    server.dropping = 0
    const [left = ''] = await server.uploads()
    await storage.check()
    expect(await server.uploads()).toEqual([left])
    const before = new Date(Date.now() - day - 60_000)
    utimesSync(join(dir, 's3', 'parts', left, 'key'), before, before)
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
    expect(await storage.fetch(file.name, join(dir, 'copy'))).toBe(true)
  })

  it('stops in the middle of a transfer', async () => {
    const file = source(1000)
    const abort = new AbortController()
    const stopping: typeof fetch = (input, init) => {
      if (init?.method === 'PUT') abort.abort()
      return fetch(input, init)
    }
    await expect(patient({ fetch: stopping }).put(file.name, file.path, abort.signal)).rejects.toMatchObject({
      code: 'cancelled',
    })
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

describe('the address of a storage', () => {
  const env = { AWS_ACCESS_KEY_ID: 'ID', AWS_SECRET_ACCESS_KEY: 'SECRET' }
  const given = { accessKeyId: 'ID', secretAccessKey: 'SECRET' }

  it.each<[string, Partial<S3StorageOptions>]>([
    [
      's3://studio',
      {
        bucket: 'studio',
        prefix: '',
        region: 'us-east-1',
        style: 'host',
        endpoint: 'https://s3.us-east-1.amazonaws.com',
      },
    ],
    ['s3://studio/a/b/?region=eu-west-3', { prefix: 'a/b/', endpoint: 'https://s3.eu-west-3.amazonaws.com' }],
    [
      's3://my.studio?endpoint=http://minio:9000/s3/&region=x',
      { bucket: 'my.studio', style: 'path', endpoint: 'http://minio:9000/s3', region: 'x' },
    ],
    ['s3://a%2Fb:c%40d@studio', { credentials: { accessKeyId: 'a/b', secretAccessKey: 'c@d' } }],
    ['s3://studio/', { credentials: given }],
  ])('%s is understood', (address, options) => {
    expect(s3Options(address, env)).toMatchObject(options)
  })

  it.each([
    ['', /folder, or an address/],
    ['https://example.com/bucket', /folder, or an address/],
    ['postgres://h/d', /folder, or an address/],
    ['file://a%2Fb', /folder, or an address/],
    ['s3://', /isn’t valid/],
    ['s3:studio', /isn’t valid/],
    ['s3://A_B', /isn’t valid/],
    ['s3://studio:9000/mien', /isn’t valid/],
    ['s3://studio?endpiont=https://h', /isn’t valid/],
    ['s3://studio?endpoint=minio:9000', /isn’t valid/],
    ['s3://studio?endpoint=https://a:b@h', /isn’t valid/],
    ['s3://ID:%SECRET@studio', /isn’t valid/],
    ['s3://ID@studio', /access key/],
  ])('%j is refused', (address, reason) => {
    let thrown: unknown
    try {
      openStorage(address, env)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ code: 'usage', details: { reason: expect.stringMatching(reason) as string } })
    expect(inspect(thrown)).not.toContain('%SECRET')
  })

  it('needs a key, or two variables', () => {
    expect(() => openStorage('s3://studio', { AWS_ACCESS_KEY_ID: 'ID' })).toThrow(/access key/)
  })
})
