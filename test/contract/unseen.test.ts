/** @file Media that only their service can open: their addresses leave as they were given, and nothing is made up about them. */
import type { DatabaseSync } from 'node:sqlite'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import type { FaceMedia, TaskState, VideoMedia } from '@shared/tasks/task.ts'
import { Intake } from '../../src/main/media/intake.ts'
import { MediaStore } from '../../src/main/media/media-store.ts'
import type { TaskService } from '../../src/main/swaps/task-service.ts'
import { type FakeService, file, json, mp4, routes } from '../fixtures/fake-service.ts'
import { addMedia, clientOf } from '../fixtures/task-service.ts'
import { face, makeDraft } from '../fixtures/tasks.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { tempLibrary } from '../fixtures/temp-library.ts'
import { reaches, tempService, tempTasks } from '../fixtures/temp-service.ts'

/** A signed address on a host that this computer cannot reach. */
const address = 'https://films.intranet.example/a%20b.mp4?Signature=once&Expires=1'

let dir: string
let service: FakeService
let db: DatabaseSync
let tasks: TaskService
let media: MediaStore
let intake: Intake
const fetched = vi.fn()

beforeEach(async () => {
  dir = tempDir()
  mkdirSync(join(dir, 'results'))
  service = await tempService()
  service.acceptSwaps()
  db = tempLibrary(dir)
  media = new MediaStore(db)
  addMedia(media, dir)
  fetched.mockReset()
  const engine = { inspectFace: fetched, inspectVideo: fetched, faceViews: fetched }
  intake = new Intake({ engine, media, dir: join(dir, 'media'), fetch: fetched, onDownload: () => undefined })
  tasks = tempTasks({ db, dir, media, services: clientOf(service, { gapMs: 0 }) })
  await tasks.start()
})

const submit = (of: FaceMedia, video: VideoMedia): string =>
  tasks.submit(makeDraft({ faceId: of.id, videoId: video.id })).taskId
const until = (taskId: string, state: TaskState) => reaches(tasks, taskId, state)
const creates = (): unknown[] => service.creates.map(({ body }) => body)

it('an address is listed without a look at it, with a picture that stands for it', async () => {
  const video = await intake.unseenVideo(address)
  expect(fetched).not.toHaveBeenCalled()
  expect(video).toMatchObject({ name: 'a b.mp4', address, durationMs: null, sizeBytes: null, width: null, codec: null })
  expect(media.video(video.id)).toEqual(video)
  expect(existsSync(media.path(video.coverId) ?? '')).toBe(true)
  await expect(intake.unseenVideo('file:///etc/passwd')).rejects.toMatchObject({ code: 'address-invalid' })
})

it('an unseen video’s address leaves as it was given, without a duration, and only the face is uploaded', async () => {
  const taskId = submit(face, await intake.unseenVideo(address))
  await until(taskId, 'processing')
  expect(creates()).toHaveLength(1)
  expect(creates()[0]).toMatchObject({ imageUrl: `${service.baseUrl}/v1/assets/mona-lisa.jpg`, videoUrl: address })
  expect(creates()[0]).not.toHaveProperty('duration')
  expect(service.count(routes.upload)).toBe(1)
  expect(fetched).not.toHaveBeenCalled()
})

it('is sent again by its address, keeps its result, and teaches nothing about how long swaps take', async () => {
  service.replies.set(routes.create, json({ message: 'not now' }, 422))
  const video = await intake.unseenVideo(address)
  const taskId = submit(face, video)
  await until(taskId, 'failed')
  service.replies.set(routes.create, json({ objectID: 'object-1' }))
  service.replies.set('GET /out.mp4', file(mp4))
  const done = { objectId: 'object-1', status: 'completed', Video: { videoUrl: `${service.baseUrl}/out.mp4` } }
  service.replies.set(routes.list, json({ list: [done] }))
  tasks.retry(taskId)
  await until(taskId, 'kept')
  expect(service.creates.map(({ body }) => body['videoUrl'])).toEqual([address, address])
  expect(tasks.durationEstimator.estimate(video, 'remote')).toBeNull()
})

it('an unseen face needs consent like any other, kept by its address', async () => {
  const video = await intake.unseenVideo(address)
  const unseen = await intake.unseenFace('https://films.intranet.example/face.jpg')
  expect(unseen).toMatchObject({ name: 'face.jpg', confirmedAt: null, width: null, faces: [] })
  expect(() => submit(unseen, video)).toThrow('forbidden')
  media.confirmFace(unseen.id, true, 5)
  expect((await intake.unseenFace('https://films.intranet.example/face.jpg')).confirmedAt).toBe(5)
  expect((await intake.unseenFace('https://films.intranet.example/other.jpg')).confirmedAt).toBeNull()
  const taskId = submit(media.face(unseen.id), video)
  await until(taskId, 'processing')
  expect(creates()[0]).toMatchObject({ imageUrl: 'https://films.intranet.example/face.jpg', videoUrl: address })
  expect(service.count(routes.upload)).toBe(0)
})

it('a service that takes no files gets the addresses that media came by, and is refused only those that have none', async () => {
  service.replies.set(routes.capabilities, json({ assets: false }))
  const video = await intake.unseenVideo(address)
  const refused = submit(face, video)
  expect((await until(refused, 'failed')).error).toMatchObject({ code: 'needs-upload-target' })
  const looked = media.addFace(join(dir, 'face.jpg'), 'hash', {
    ...face,
    id: 'looked-at',
    address: 'https://films.example/face.jpg',
  })
  await until(submit(looked, video), 'processing')
  expect(creates()).toMatchObject([{ imageUrl: 'https://films.example/face.jpg', videoUrl: address }])
})
