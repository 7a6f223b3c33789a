/** @file What every storage of a cluster can do: the same tests for a folder and for a bucket on a real S3 server. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BlobStorage } from '../../../../../src/main/service/cluster/storage/blob-storage.ts'
import { openStorage } from '../../../../../src/main/cli/server/open-storage.ts'
import { S3Server } from '../../../../fixtures/s3-server.ts'
import { fileToStore, listOf, textOf, type StoredFile } from '../../../../fixtures/stored-files.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const mega = 1 << 20

/** A storage, and what the tests do behind its back. */
interface Place {
  storage: BlobStorage
  /** Another process's. */
  second: BlobStorage
  /** Path of a stored file. */
  file: (name: string) => string
  close: () => Promise<void>
}

const inDir = tempPaths()
let place: Place
let storage: BlobStorage

const source = (bytes: number): StoredFile => fileToStore(inDir(), bytes)
const listed = (): Promise<Map<string, number>> => listOf(storage)

function inFolder(): Promise<Place> {
  const root = inDir('storage')
  mkdirSync(root)
  return Promise.resolve({
    storage: openStorage(root, {}),
    second: openStorage(`file://${root}`, {}),
    file: (name) => join(root, name.slice(0, 2), name),
    close: () => Promise.resolve(),
  })
}

async function inBucket(): Promise<Place> {
  const server = await S3Server.start(inDir('s3'))
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
  const root = inDir('s3rver')
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

  it.each([0, 1, 33 * mega])('stores %i bytes and gives them back', async (bytes) => {
    const file = source(bytes)
    expect(await storage.has(file.name)).toBe(false)
    await storage.put(file.name, file.path)
    expect(await place.second.has(file.name)).toBe(true)
    const found = await place.second.read(file.name)
    expect(found?.size).toBe(bytes)
    expect((await textOf(found?.body)).equals(file.content)).toBe(true)
    const copy = inDir('copy')
    expect(await place.second.fetch(file.name, copy)).toBe(true)
    expect(readFileSync(copy).equals(file.content)).toBe(true)
    expect(statSync(copy).mode & 0o077).toBe(0)
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
    expect(await storage.fetch(file.name, inDir('copy'))).toBe(false)
    expect(readdirSync(inDir())).not.toContain('copy')
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
    const before = readdirSync(inDir())
    await expect(storage.fetch(file.name, inDir('copy'))).rejects.toMatchObject({ code: 'storage-damaged' })
    expect(readdirSync(inDir())).toEqual(before)
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
    const fetched = storage.fetch(file.name, inDir('nowhere', 'copy'))
    await expect(fetched).rejects.toMatchObject({ code: 'folder-missing' })
  })

  it('stops when it is told to', async () => {
    const file = source(10)
    const signal = AbortSignal.abort()
    await expect(storage.put(file.name, file.path, signal)).rejects.toMatchObject({ code: 'cancelled' })
    await storage.put(file.name, file.path)
    await expect(storage.fetch(file.name, inDir('copy'), signal)).rejects.toMatchObject({ code: 'cancelled' })
    expect(existsSync(inDir('copy'))).toBe(false)
  })

  it('ends a read that nobody wants any more', async () => {
    const file = source(5 * mega)
    await storage.put(file.name, file.path)
    const found = await storage.read(file.name)
    await found?.body.cancel()
    expect(await storage.has(file.name)).toBe(true)
  })

  // s3rver doesn't check.
  if (open !== inS3rver)
    it.each([500, 17 * mega])('refuses %i bytes that it should not get', async (bytes) => {
      const [file, other] = [source(bytes), source(bytes)]
      await expect(storage.put(file.name, other.path)).rejects.toMatchObject({ code: 'file-changed' })
      expect(await storage.has(file.name)).toBe(false)
    })

  it('is empty after a check', async () => expect(await listed()).toEqual(new Map()))
})
