/** @file A service that takes addresses only, with an upload target: files go there, the service gets the addresses. */
import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import type { TaskState } from '@shared/tasks/task.ts'
import { MediaStore } from '../../../../src/main/media/media-store.ts'
import type { Uploads } from '../../../../src/main/remote/uploads/uploads.ts'
import type { TaskService } from '../../../../src/main/swaps/task-service.ts'
import { type FakeService, json, routes } from '../../../fixtures/fake-service.ts'
import { addMedia, clientOf } from '../../../fixtures/task-service.ts'
import { makeDraft } from '../../../fixtures/tasks.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../fixtures/temp-library.ts'
import { reaches, tempService, tempTasks } from '../../../fixtures/temp-service.ts'

let dir: string
let service: FakeService
let db: DatabaseSync
let tasks: TaskService
let upload: ReturnType<typeof vi.fn<Uploads['upload']>>
let ended: string[]
let anew: boolean

beforeEach(async () => {
  dir = tempDir()
  service = await tempService()
  service.acceptSwaps()
  // It takes no files.
  service.replies.delete(routes.capabilities)
  db = tempLibrary(dir)
  addMedia(new MediaStore(db), dir)
  ended = []
  anew = false
  upload = vi.fn<Uploads['upload']>(async (_task, { name }) => `https://bucket.example/${name}?signed`)
  tasks = tempTasks({
    ...{ db, dir, services: clientOf(service) },
    uploads: {
      has: () => true,
      upload,
      address: async (_task, mediaId) => (anew ? `https://bucket.example/${mediaId}?anew` : null),
      ended: async (id) => void ended.push(id),
      sweep: async () => undefined,
    },
  })
  await tasks.start()
})

const submit = (): string => tasks.submit(makeDraft()).taskId
const until = (id: string, state: TaskState) => reaches(tasks, id, state)

it('sends the addresses that the target gave, and clears up once the swap has ended', async () => {
  const id = submit()
  await until(id, 'processing')
  expect(service.creates[0]?.body).toMatchObject({
    imageUrl: 'https://bucket.example/mona-lisa.jpg?signed',
    videoUrl: 'https://bucket.example/clip.mp4?signed',
  })
  expect(service.count('PUT')).toBe(0)
  expect(ended).toEqual([])
  tasks.cancel([id])
  expect(ended).toEqual([id])
})

it('tries again by itself after trouble, from where it was; a refusal fails the swap with its reason', async () => {
  upload.mockRejectedValueOnce(new MienError('service-unreachable', {}))
  await until(submit(), 'processing')
  expect(upload.mock.calls.map(([, { name }]) => name)).toEqual(['mona-lisa.jpg', 'mona-lisa.jpg', 'clip.mp4'])
  upload.mockRejectedValueOnce(new MienError('upload-refused', { reason: 'bucket' }))
  const second = submit()
  await until(second, 'failed')
  expect(tasks.get(second).error).toMatchObject({ code: 'upload-refused', details: { reason: 'bucket' } })
  expect(service.count(routes.create)).toBe(1)
})

it('signs an address anew for each try to send, since one that is signed ends', async () => {
  anew = true
  const slowDown = json({ message: 'slow down' }, 429)
  service.replies.set(routes.create, slowDown)
  const id = submit()
  await vi.waitFor(() => expect(service.count(routes.create)).toBeGreaterThan(1))
  service.replies.set(routes.create, json({ objectID: 'object-1' }))
  await until(id, 'processing')
  const sent = service.creates.map(({ body }) => body['videoUrl'])
  expect(sent[0]).toContain('?signed')
  expect(sent.at(-1)).toContain('video-1?anew')
  expect(upload).toHaveBeenCalledTimes(2)
})
