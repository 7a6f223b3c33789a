/** @file A service that takes addresses only, with an upload target: files go there, the service gets the addresses. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { MediaStore } from '../../../src/main/media/media-store.ts'
import { openLibrary, type OpenedLibrary } from '../../../src/main/tasks/store/library-db.ts'
import type { Uploads } from '../../../src/main/tasks/rules/ports.ts'
import type { TaskService } from '../../../src/main/tasks/task-service.ts'
import { json, Peer } from '../../fixtures/peer.ts'
import { addMedia, makeClient, makeTaskService } from '../../fixtures/task-service.ts'
import { makeDraft } from '../../fixtures/tasks.ts'

let dir: string
let peer: Peer
let library: OpenedLibrary
let service: TaskService
let upload: ReturnType<typeof vi.fn<Uploads['upload']>>
let ended: string[]
let anew: boolean

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'mien-target-'))
  peer = new Peer()
  await peer.start()
  peer.replies.set('POST /v1/faceswap-openapi/create', json({ objectID: 'object-1' }))
  peer.replies.set(
    'GET /v1/faceswap-opanpai/listbyids',
    json({ list: [{ objectId: 'object-1', status: 'processing' }] }),
  )
  library = openLibrary(join(dir, 'library.db'), 1)
  addMedia(new MediaStore(library.db), dir)
  const client = makeClient(peer.baseUrl)
  ended = []
  anew = false
  upload = vi.fn<Uploads['upload']>(async (_task, { name }) => `https://bucket.example/${name}?signed`)
  service = makeTaskService({
    ...{ db: library.db, dir, services: { client: () => client } },
    uploads: {
      has: () => true,
      upload,
      address: async (_task, mediaId) => (anew ? `https://bucket.example/${mediaId}?anew` : null),
      ended: async (id) => void ended.push(id),
      sweep: async () => undefined,
    },
  })
  await service.start()
})
afterEach(async () => {
  await service.dispose()
  library.db.close()
  await peer.stop()
  rmSync(dir, { recursive: true, force: true })
})

const submit = (): string => service.submit(makeDraft()).taskId
const until = (id: string, state: string) =>
  vi.waitFor(() => expect(service.get(id).state).toBe(state), { timeout: 50_000, interval: 20 })

it('sends the addresses that the target gave, and clears up once the swap has ended', async () => {
  const id = submit()
  await until(id, 'processing')
  const sent = peer.seen.find(({ path }) => path.endsWith('/create'))
  expect(JSON.parse(sent?.body ?? '')).toMatchObject({
    imageUrl: 'https://bucket.example/mona-lisa.jpg?signed',
    videoUrl: 'https://bucket.example/clip.mp4?signed',
  })
  expect(peer.count('PUT')).toBe(0)
  expect(ended).toEqual([])
  service.cancel([id])
  expect(ended).toEqual([id])
})

it('tries again by itself after trouble, from where it was; a refusal fails the swap with its reason', async () => {
  upload.mockRejectedValueOnce(new MienError('service-unreachable', {}))
  await until(submit(), 'processing')
  expect(upload.mock.calls.map(([, { name }]) => name)).toEqual(['mona-lisa.jpg', 'mona-lisa.jpg', 'clip.mp4'])
  upload.mockRejectedValueOnce(new MienError('upload-refused', { reason: 'bucket' }))
  const second = submit()
  await until(second, 'failed')
  expect(service.get(second).error).toMatchObject({ code: 'upload-refused', details: { reason: 'bucket' } })
  expect(peer.count('POST /v1/faceswap-openapi/create')).toBe(1)
})

it('signs an address anew for each try to send, since one that is signed ends', async () => {
  anew = true
  const slowDown = json({ message: 'slow down' }, 429)
  peer.replies.set('POST /v1/faceswap-openapi/create', slowDown)
  const id = submit()
  await vi.waitFor(() => expect(peer.count('POST /v1/faceswap-openapi/create')).toBeGreaterThan(1))
  peer.replies.set('POST /v1/faceswap-openapi/create', json({ objectID: 'object-1' }))
  await until(id, 'processing')
  const sent = peer.seen.filter(({ path }) => path.endsWith('/create')).map(({ body }) => body)
  expect(sent[0]).toContain('?signed')
  expect(sent.at(-1)).toContain('video-1?anew')
  expect(upload).toHaveBeenCalledTimes(2)
})
