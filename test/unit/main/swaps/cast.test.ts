/** @file Swaps of chosen people and ranges: what is stored, sent and refused. */
import type { DatabaseSync } from 'node:sqlite'
import { mkdirSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import type { Clip, Range } from '@shared/people/people.ts'
import { embeddedProfileId, type Draft, type Task, type TaskState } from '@shared/tasks/task.ts'
import { MediaStore } from '../../../../src/main/media/media-store.ts'
import type { People } from '../../../../src/main/media/people/people-service.ts'
import type { TaskService } from '../../../../src/main/swaps/task-service.ts'
import { TaskStore } from '../../../../src/main/swaps/store/task-store.ts'
import { breakOff, type FakeService, json, routes } from '../../../fixtures/fake-service.ts'
import { clip } from '../../../fixtures/people.ts'
import { addMedia, clientOf } from '../../../fixtures/task-service.ts'
import { face, makeDraft, video } from '../../../fixtures/tasks.ts'
import { tempPaths } from '../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../fixtures/temp-library.ts'
import { reaches, tempService, tempTasks } from '../../../fixtures/temp-service.ts'

const inDir = tempPaths()
let service: FakeService
let db: DatabaseSync
let media: MediaStore
let store: TaskStore
let tasks: TaskService

const clips: Record<string, Clip[]> = { p1: [clip(0, 0, 2000), clip(2, 4000, 6000)], p2: [clip(1, 0, 3000)] }
const stay = [clip(7, 3000, 4000)]
const people: People = {
  cast: (_videoId, ids) => ({
    people: ids.map((id) => {
      const theirs = clips[id]
      if (!theirs) throw new MienError('person-unknown', { person: id })
      return { id, name: id === 'p1' ? 'Ada' : null, clips: theirs, faceId: media.addDerived(inDir(`${id}.jpg`)) }
    }),
    stay,
  }),
}
const range: Range = { parts: [{ fromMs: 1000, toMs: 2500 }], rest: 'drop' }
const knowing = { assets: true, pictures: 2, cast: 30, range: true, idempotency: true }

function open(): void {
  db = tempLibrary(inDir())
  media = new MediaStore(db)
  store = new TaskStore(db, () => undefined)
  tasks = tempTasks({ ...{ db, dir: inDir(), store, people }, services: clientOf(service) })
}
beforeEach(async () => {
  mkdirSync(inDir('results'))
  service = await tempService()
  service.acceptSwaps()
  service.replies.set(routes.capabilities, json(knowing))
  open()
  addMedia(media, inDir())
  for (const id of ['face-2', 'face-3']) {
    writeFileSync(inDir(`${id}.jpg`), id)
    media.addFace(inDir(`${id}.jpg`), id, { ...face, id, name: `${id}.jpg`, thumbnailId: `${id}-crop` })
    media.confirmFace(id, true, 1)
  }
})

/** Ada becomes face 1 (with a picture), another person face 2, who has the same other picture. */
const draft = (patch: Partial<Draft> = {}): Draft =>
  makeDraft({
    cast: [
      { personId: 'p1', faceId: 'face-1', pictureIds: ['face-3'] },
      { personId: 'p2', faceId: 'face-2', pictureIds: ['face-3', 'face-2'] },
    ],
    range,
    ...patch,
  })
const reach = (id: string, state: TaskState): Promise<Task> => reaches(tasks, id, state)
/** The uploaded files, and the creates with the addresses' file names. */
const uploads = (): string[] => service.seen.filter(({ method }) => method === 'PUT').map(({ body }) => body)
const sentCast = (index = 0): unknown => service.creates[index]?.body['cast']
const url = (name: string): string => expect.stringMatching(new RegExp(`/${name}$`)) as string

describe('a swap of chosen people', () => {
  it('has who becomes whom, and the first face as its face', () => {
    const task = tasks.get(tasks.submit(draft()).taskId)
    expect(task).toMatchObject({
      ...{ face: { id: 'face-1' }, pictures: [{ id: 'face-3' }], range },
      cast: [
        { personId: 'p1', personName: 'Ada', face: { id: 'face-1' }, pictures: [{ id: 'face-3' }] },
        { personId: 'p2', personName: null, face: { id: 'face-2' }, pictures: [{ id: 'face-3' }] },
      ],
    })
    expect(task.cast.map(({ personFaceId }) => media.path(personFaceId))).toEqual([inDir('p1.jpg'), inDir('p2.jpg')])
    expect(store.clips(task.id)).toEqual({ cast: clips, stay })
  })

  it('is sent with each picture uploaded once, each person’s clips, and the range', async () => {
    await tasks.start()
    await reach(tasks.submit(draft()).taskId, 'processing')
    expect(uploads()).toEqual(['face', 'face-3', 'face-2', 'video!'])
    expect(service.creates[0]?.body).toMatchObject({ imageUrl: url('mona-lisa.jpg'), range, stay })
    expect(service.creates[0]?.body).not.toHaveProperty('pictureUrls')
    expect(sentCast()).toEqual([
      { imageUrls: [url('mona-lisa.jpg'), url('face-3.jpg')], clips: clips['p1'] },
      { imageUrls: [url('face-2.jpg'), url('face-3.jpg')], clips: clips['p2'] },
    ])
  })

  it('sends as many pictures of each face as the service takes', async () => {
    service.replies.set(routes.capabilities, json({ ...knowing, pictures: 1 }))
    await tasks.start()
    await reach(tasks.submit(draft()).taskId, 'processing')
    expect(sentCast()).toMatchObject([{ imageUrls: [url('mona-lisa.jpg')] }, { imageUrls: [url('face-2.jpg')] }])
  })

  it('gives two people the same face', async () => {
    await tasks.start()
    const cast = ['p1', 'p2'].map((personId) => ({ personId, faceId: 'face-2' }))
    await reach(tasks.submit(draft({ cast })).taskId, 'processing')
    expect(uploads()).toEqual(['face-2', 'video!'])
    expect(sentCast()).toMatchObject([{ imageUrls: [url('face-2.jpg')] }, { imageUrls: [url('face-2.jpg')] }])
  })

  it('is the same after a failed create and a retry', async () => {
    service.replies.set(routes.create, json({ message: 'the face is not allowed' }, 422))
    await tasks.start()
    const { taskId } = tasks.submit(draft())
    const { error } = await reach(taskId, 'failed')
    expect(JSON.stringify(error)).toContain('the face is not allowed')
    service.replies.set(routes.create, json({ objectID: 'object-1' }))
    tasks.retry(taskId)
    await reach(taskId, 'processing')
    expect(service.creates).toHaveLength(2)
    expect({ ...service.creates[1]?.body }).toMatchObject({ cast: sentCast(0), range })
  })

  it('is the same after a crash in the middle of sending', async () => {
    service.replies.set(routes.create, breakOff)
    await tasks.start()
    const { taskId } = tasks.submit(draft())
    await vi.waitFor(() => expect(service.creates.length).toBeGreaterThan(0))
    await tasks.dispose()
    db.close()
    open()
    service.replies.set(routes.create, json({ objectID: 'object-1' }))
    await tasks.start()
    await reach(taskId, 'processing')
    expect(uploads()).toHaveLength(4)
    expect(service.creates.at(-1)?.body).toEqual(service.creates[0]?.body)
  })

  it('keeps all its media until no swap uses them', () => {
    const [first, second] = [draft(), draft()].map((each) => tasks.get(tasks.submit(each).taskId))
    if (!first || !second) throw new Error('two swaps')
    expect(media.unusedBefore(Date.now() + 1, 100)).toEqual([])
    const own = (task: Task): string[] => task.cast.map(({ personFaceId }) => personFaceId)
    expect(store.purge(first)).toEqual(own(first))
    expect(store.clips(first.id)).toEqual({ cast: {}, stay: [] })
    const all = ['face-1', 'thumb-1', 'face-3', 'face-3-crop', 'face-2', 'face-2-crop', video.id, video.coverId]
    expect(store.purge(second)).toEqual([...own(second), ...all])
  })

  it('is estimated by the duration of its range', () => {
    store.timings.add(embeddedProfileId, { frames: 150, videoMs: 6000, pixels: 1280 * 720, tookMs: 6000 }, 1)
    const { durationEstimator } = tasks
    expect(durationEstimator.estimate(video, embeddedProfileId)).toEqual({ ms: 6000 })
    expect(durationEstimator.estimate(video, embeddedProfileId, range)).toEqual({ ms: 1500 })
    const model = { runMs: { chip: null, processor: 1000 }, seenMs: null }
    expect(durationEstimator.estimate(video, embeddedProfileId, range, model)?.ms).toBe(1500 + 37_500)
    expect(durationEstimator.estimate(video, 'unknown', range, model)?.ms).toBe(37_500)
    expect(durationEstimator.estimate({ ...video, fps: null }, embeddedProfileId, range, model)).toBeNull()
  })
})

describe('a draft is refused', () => {
  const of = (personId: string, faceId: string) => ({ personId, faceId })

  it.each<[string, Partial<Draft>, string]>([
    ['with a person who is not there', { cast: [of('p9', 'face-1')] }, 'person-unknown'],
    ['with two faces for one person', { cast: [of('p1', 'face-1'), of('p1', 'face-2')] }, 'bad-argument'],
    ['with a face that is not there', { cast: [of('p1', 'face-9')] }, 'not-found'],
    ['with a range after the end', { range: { parts: [{ fromMs: 6000, toMs: 7000 }], rest: 'keep' } }, 'range-invalid'],
  ])('%s', (_what, patch, code) => {
    expect(() => tasks.submit(draft(patch))).toThrow(expect.objectContaining({ code }))
    expect(tasks.held()).toEqual([])
  })

  it('with a face in the cast, or a picture of it, that is not confirmed', () => {
    media.confirmFace('face-3', false, 1)
    expect(() => tasks.submit(draft())).toThrow(
      expect.objectContaining({ body: { code: 'forbidden', details: { name: 'face-3.jpg' } } }),
    )
  })
})

it('refuses a picture at a service that knows only videos, and sends it nothing', async () => {
  media.addVideo(inDir('photo.jpg'), { ...video, id: 'photo', kind: 'picture', durationMs: null, fps: null })
  const photo = draft({ cast: [], range: null, videoId: 'photo' })
  await expect(tasks.checkService(photo)).rejects.toMatchObject({ code: 'target-unsupported' })
  await tasks.start()
  const { taskId } = tasks.submit(photo)
  await reach(taskId, 'failed')
  expect(tasks.get(taskId).error).toEqual({ code: 'target-unsupported', details: { kind: 'picture' } })
  expect([uploads(), service.creates]).toEqual([[], []])
})

describe('a service that knows no', () => {
  it.each<[string, object, Partial<Draft>, string]>([
    ['casts', { ...knowing, cast: 0 }, {}, 'cast-unsupported'],
    ['casts of two', { ...knowing, cast: 1 }, {}, 'cast-unsupported'],
    ['ranges', { ...knowing, range: false }, { cast: [] }, 'range-unsupported'],
  ])('%s is refused at once, and gets nothing', async (_what, capabilities, patch, code) => {
    service.replies.set(routes.capabilities, json(capabilities))
    await expect(tasks.checkService(draft(patch))).rejects.toMatchObject({ code })
    // The service was not reached when the swap was submitted.
    await tasks.start()
    const { taskId } = tasks.submit(draft(patch))
    await reach(taskId, 'failed')
    expect(tasks.get(taskId).error?.code).toBe(code)
    expect([uploads(), service.creates]).toEqual([[], []])
  })

  it('extras gets a whole video with one face, and is not asked', async () => {
    service.replies.set(routes.capabilities, json({}))
    await expect(tasks.checkService(draft({ cast: [], range: null }))).resolves.toBeUndefined()
    expect(service.seen).toEqual([])
  })

  it('answer is asked once for all swaps of a batch', async () => {
    service.replies.set(routes.capabilities, breakOff)
    const check = tasks.serviceCheck()
    for (let n = 0; n < 20; n += 1) await check(draft())
    expect(service.count(routes.capabilities)).toBe(1)
    service.replies.set(routes.capabilities, json({ ...knowing, cast: 0 }))
    const later = tasks.serviceCheck()
    for (let n = 0; n < 2; n += 1) await expect(later(draft())).rejects.toMatchObject({ code: 'cast-unsupported' })
  })

  it('network is asked later', async () => {
    await service.stop()
    await expect(tasks.checkService(draft())).resolves.toBeUndefined()
    await service.start()
  })
})
