/** @file Upload targets against a real S3 server on loopback, which can break connections. */
import type { DatabaseSync } from 'node:sqlite'
import { createHash, randomBytes } from 'node:crypto'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { uploadTable } from '../../src/main/remote/uploads/upload-table.ts'
import { BucketUploads } from '../../src/main/remote/uploads/uploads.ts'
import type { UploadTarget } from '@shared/service/upload-target.ts'
import { S3Server } from '../fixtures/s3-server.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { tempLibrary } from '../fixtures/temp-library.ts'

const mega = 1 << 20
/** The least that the server takes. */
const partBytes = 5 * mega

let s3: S3Server
let target: UploadTarget
let dir: string
let db: DatabaseSync
let uploads: BucketUploads

/** @param minPartBytes absent: as usual */
function open(minPartBytes?: number): void {
  db = tempLibrary(dir)
  const { accessKeyId, secretAccessKey } = s3.credentials
  const kept = new Map<string, string>([['upload-target.remote', `${accessKeyId}:${secretAccessKey}`]])
  uploads = new BucketUploads({
    table: uploadTable(db),
    targets: {
      get: () => target,
      set: (_, next) => {
        if (next) target = next
      },
      isLocked: () => false,
    },
    vault: {
      read: async (id) => kept.get(id) ?? null,
      set: async (id, key) => void kept.set(id, key),
      clear: async (id) => void kept.delete(id),
    },
    fetch: globalThis.fetch,
    log: () => undefined,
    minPartBytes,
  })
}

beforeEach(async () => {
  dir = tempDir()
  s3 = await S3Server.start(join(dir, 's3'))
  const { endpoint, bucket, region } = s3
  target = {
    ...{ endpoint, bucket, region, style: 'path', prefix: 'mien/', publicUrl: null },
    ...{ lifetimeHours: 24, deleteAfter: true },
  }
  open(partBytes)
})
afterEach(() => s3.close())

const task = { id: 'task-1', profileId: 'remote' }
function file(name: string, bytes: number): { mediaId: string; path: string; name: string; hash: string } {
  const content = randomBytes(bytes)
  const path = join(dir, name)
  writeFileSync(path, content)
  return { mediaId: name, path, name, hash: createHash('sha256').update(content).digest('hex') }
}
const hashAt = async (url: string): Promise<string> => {
  const answer = await fetch(url)
  expect(answer.status).toBe(200)
  return createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex')
}
const puts = (): string[] => s3.requests.filter((line) => line.startsWith('PUT '))

it('puts a small file in one piece; anyone with its signed address gets it, and its name is not in it', async () => {
  const face = file('my private face.JPG', 5000)
  const url = await uploads.upload(task, face, {})
  expect(url).toMatch(/\/studio\/mien\/[0-9a-f-]{36}\.jpg\?.*X-Amz-Expires=86400.*X-Amz-Signature=/)
  expect(await hashAt(url)).toBe(face.hash)
  expect(puts()).toHaveLength(1)
})

it('puts a large file in parts of 16 MB, tells how far it is, and never reads it whole', async () => {
  db.close()
  open()
  const video = file('clip.mp4', 40 * mega)
  const told: number[] = []
  const url = await uploads.upload(task, video, { onProgress: ({ bytesDone }) => told.push(bytesDone / mega) })
  expect(told).toEqual([0, 16, 32, 40])
  expect(puts()).toHaveLength(3)
  expect(await hashAt(url)).toBe(video.hash)
})

it('goes on with the next part after a broken connection and a restart', async () => {
  const video = file('clip.mp4', 2.5 * partBytes)
  s3.mayPass = (line) => !line.includes('partNumber=2')
  await expect(uploads.upload(task, video, {})).rejects.toMatchObject({ code: 'service-unreachable' })
  db.close()
  open(partBytes)
  s3.mayPass = () => true
  s3.requests = []
  const url = await uploads.upload(task, video, {})
  expect(puts().map((line) => /partNumber=(\d)/.exec(line)?.[1])).toEqual(['2', '3'])
  expect(await hashAt(url)).toBe(video.hash)
  s3.requests = []
  expect(await hashAt(await uploads.upload(task, video, {}))).toBe(video.hash)
  expect(await hashAt((await uploads.address(task, video.mediaId)) ?? '')).toBe(video.hash)
  expect(await uploads.address(task, 'another')).toBeNull()
  expect(puts()).toEqual([])
})

it('begins anew with another file, and where the storage forgot what was begun', async () => {
  const video = file('clip.mp4', 2.5 * partBytes)
  s3.mayPass = (line) => !line.includes('partNumber=2')
  await expect(uploads.upload(task, video, {})).rejects.toMatchObject({ code: 'service-unreachable' })
  s3.mayPass = () => true
  s3.requests = []
  db.exec("UPDATE uploads SET upload_id = 'forgotten'")
  expect(await hashAt(await uploads.upload(task, video, {}))).toBe(video.hash)
  truncateSync(video.path, 1.5 * partBytes)
  s3.requests = []
  await uploads.upload(task, video, {})
  expect(puts()).toHaveLength(2)
})

it('stops when it is told to, and a cancelled swap leaves nothing begun', async () => {
  const video = file('clip.mp4', 2.5 * partBytes)
  const abort = new AbortController()
  const onProgress = ({ bytesDone }: { bytesDone: number }): void => {
    if (bytesDone > 0) abort.abort()
  }
  await expect(uploads.upload(task, video, { signal: abort.signal, onProgress })).rejects.toMatchObject({
    code: 'cancelled',
  })
  await uploads.ended(task.id)
  expect(s3.requests.at(-1)).toMatch(/^DELETE .*uploadId=/)
  expect(db.prepare('SELECT count(*) AS n FROM uploads').get()).toEqual({ n: 0 })
})

it('deletes what it put there once the swap has ended, if the user wants that', async () => {
  const face = file('face.jpg', 500)
  const url = await uploads.upload(task, face, {})
  await uploads.sweep(() => true)
  expect((await fetch(url)).status).toBe(200)
  await uploads.sweep(() => false)
  expect((await fetch(url)).status).toBe(404)
  target = { ...target, deleteAfter: false }
  const kept = await uploads.upload(task, face, {})
  await uploads.ended(task.id)
  expect((await fetch(kept)).status).toBe(200)
})

it('sends a file again for a swap that is tried again while its files are deleted', async () => {
  const face = file('face.jpg', 500)
  await uploads.upload(task, face, {})
  const [, url] = await Promise.all([uploads.ended(task.id), uploads.upload(task, face, {})])
  expect(await hashAt(url)).toBe(face.hash)
})

it('does not trust a file that it may have deleted, and deletes it in the end', async () => {
  const face = file('face.jpg', 500)
  await uploads.upload(task, face, {})
  s3.mayPass = (line) => !line.startsWith('DELETE ')
  await uploads.ended(task.id)
  s3.requests = []
  expect(await uploads.address(task, face.mediaId)).toBeNull()
  const url = await uploads.upload(task, face, {})
  expect(puts()).toHaveLength(1)
  await uploads.ended(task.id)
  s3.mayPass = () => true
  await uploads.sweep(() => false)
  expect((await fetch(url)).status).toBe(404)
  expect(db.prepare('SELECT count(*) AS n FROM uploads').get()).toEqual({ n: 0 })
})

it('tells a wrong key, a bucket that is not there and an address that nobody can fetch', async () => {
  expect(await uploads.test('remote')).toBeNull()
  expect(s3.requests.map((line) => line.split(' ')[0])).toEqual(['PUT', 'GET', 'DELETE'])
  const refused = (reason: string) => ({ code: 'upload-refused', details: { reason } })
  const credentials = { ...s3.credentials, keep: 'session' } as const
  await uploads.save('remote', target, { ...credentials, accessKeyId: 'NOBODY' })
  expect(await uploads.test('remote')).toMatchObject(refused('credentials'))
  await expect(uploads.upload(task, file('face.jpg', 5), {})).rejects.toMatchObject(refused('credentials'))
  await uploads.save('remote', { ...target, bucket: 'nowhere' }, credentials)
  expect(await uploads.test('remote')).toMatchObject(refused('bucket'))
  await uploads.save('remote', { ...target, bucket: 'studio', publicUrl: `${target.endpoint}/other` }, null)
  expect(await uploads.test('remote')).toMatchObject(refused('unreadable'))
  expect(await uploads.test('another')).toMatchObject(refused('credentials'))
})

it.each(['http://storage.example.com', 'ftp://h', 'https://user:secret@h', 'https://h/?x=1', ''])(
  'refuses %j as an address',
  async (endpoint) => {
    await expect(uploads.save('remote', { ...target, endpoint }, null)).rejects.toMatchObject({
      code: 'address-invalid',
    })
  },
)
