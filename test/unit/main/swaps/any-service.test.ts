/** @file How swaps are sent, watched and fetched with services that live by their own rules. */
import type { DatabaseSync } from 'node:sqlite'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { defaultOptions, type SwapOptions } from '@shared/options/swap-options.ts'
import type { Task } from '@shared/tasks/task.ts'
import type { StatusMeaning } from '@shared/service/status-words.ts'
import { MediaStore } from '../../../../src/main/media/media-store.ts'
import { paceMs } from '../../../../src/main/swaps/rules/backoff.ts'
import type { SystemEvent } from '../../../../src/main/machine/system/system-status.ts'
import type { Uploads } from '../../../../src/main/remote/uploads/uploads.ts'
import type { Clock, Services } from '../../../../src/main/swaps/store/parts.ts'
import type { TaskService } from '../../../../src/main/swaps/task-service.ts'
import { TaskStore } from '../../../../src/main/swaps/store/task-store.ts'
import { type FakeService, file, idsOf, json, listOf, mp4, routes, sendJson } from '../../../fixtures/fake-service.ts'
import { addMedia, clientOf } from '../../../fixtures/task-service.ts'
import { face, makeDraft, makeTask, video } from '../../../fixtures/tasks.ts'
import { tempPaths } from '../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../fixtures/temp-library.ts'
import { reaches, tempService, tempTasks } from '../../../fixtures/temp-service.ts'

const inDir = tempPaths()
let service: FakeService
let db: DatabaseSync
let store: TaskStore
let tasks: TaskService
let paused: boolean
let learned: ReturnType<Services['batchLimit']>['learned']
let max: number
let words: Record<string, StatusMeaning>
let online: boolean
let local: boolean
let limit: number
let emit: (event: SystemEvent) => void
/** Added to the time, so that minutes pass at once. */
let later: number
/** By how much the computer's clock was set, in ms. */
let setBy: number
let pace: Clock['paceMs']
let uploads: Uploads | null

beforeEach(async () => {
  mkdirSync(inDir('results'))
  service = await tempService()
  ;[paused, learned, max, words, online, later, setBy] = [false, null, 50, {}, true, 0, 0]
  ;[local, limit, pace, uploads] = [false, Infinity, paceMs, null]
  emit = () => undefined
  service.acceptSwaps()
  db = tempLibrary(inDir())
  store = new TaskStore(db, () => undefined)
  addMedia(new MediaStore(db), inDir())
})

/** Opens the library as it is on disk now. */
function open(): void {
  tasks = tempTasks({
    ...{ db, dir: inDir(), store, uploads },
    services: {
      ...clientOf(service, { words: () => words, gapMs: 0 }),
      inFlightLimit: () => limit,
      isLocal: () => local,
      isPaused: (id) => paused && id === 'remote',
      batchLimit: () => ({ max, learned }),
      rememberBatchLimit: (_id, limit) => {
        learned = limit
      },
    },
    systemStatus: {
      isOnline: () => online,
      onChange: (listener) => {
        emit = listener
        return () => undefined
      },
    },
    clock: {
      now: () => Date.now() + later + setBy,
      ticks: () => performance.now() + later,
      paceMs: (given) => pace(given),
    },
  })
}

const submit = (title: string, profileId = 'remote'): string => tasks.submit(makeDraft({ title, profileId })).taskId

/** Swaps that a service has already, `object-0` and on. */
function sent(count: number, patch: Partial<Task> = {}): void {
  const waiting = { state: 'waiting', createdAt: Date.now() } as const
  store.transaction(() => {
    for (let n = 0; n < count; n++)
      store.put(makeTask({ id: `task-${String(n)}`, objectId: `object-${String(n)}`, ...waiting, ...patch }))
  })
  open()
}

const questions = (): string[][] =>
  service.seen.filter(({ path }) => path.includes('listbyids')).map(({ path }) => idsOf(path))
/** As `lists` of the service. */
const answer: FakeService['lists'] = (item) => service.lists(item)
const soon = <T>(check: () => T): Promise<T> => vi.waitFor(check, { interval: 20 })
const creates = (): unknown[] => service.creates.map(({ body }) => body['title'])

describe('the order', () => {
  it('is the user’s', async () => {
    open()
    const ids = ['one', 'two', 'three', 'four'].map((title) => submit(title))
    tasks.move(ids[3] ?? '', 'first')
    tasks.move(ids[0] ?? '', 'down')
    tasks.move(ids[1] ?? '', 'last')
    answer(() => ({ status: 'queued' }))
    await tasks.start()
    await soon(() => expect(creates()).toEqual(['four', 'one', 'three', 'two']))
  })

  it('holds a service’s queue until it is released, and a swap of its own longer', async () => {
    open()
    paused = true
    const [first = '', second = ''] = ['one', 'two'].map((title) => submit(title))
    expect(tasks.get(first).pause).toBe('service')
    tasks.pauses.pause([second])
    await tasks.start()
    // What is sent to another service after them was sent before them.
    submit('elsewhere', 'other')
    await soon(() => expect(creates()).toEqual(['elsewhere']))
    paused = false
    await tasks.pauses.pausedService('remote', false)
    await soon(() => expect(creates()).toEqual(['elsewhere', 'one']))
    expect(tasks.get(second).pause).toBe('user')
    tasks.pauses.resume([second])
    await soon(() => expect(creates()).toEqual(['elsewhere', 'one', 'two']))
  })
})

describe('more pictures and options', () => {
  const options: SwapOptions = { ...defaultOptions, likeness: 20, keep: [] }

  beforeEach(() => {
    const media = new MediaStore(db)
    for (const id of ['face-2', 'face-3']) {
      writeFileSync(inDir(`${id}.jpg`), id)
      media.addFace(inDir(`${id}.jpg`), id, { ...face, id, name: `${id}.jpg` })
      media.confirmFace(id, true, 1)
    }
  })

  const url = expect.any(String) as string
  it.each<[string, object, object, string[]]>([
    [
      'go to a service that knows them, each picture once',
      { pictures: 10, options: ['likeness', 'keep'] },
      { pictureUrls: [url, url], options },
      ['face', 'face-2', 'face-3', 'video!'],
    ],
    ['go as far as the service takes them', { pictures: 2 }, { pictureUrls: [url] }, ['face', 'face-2', 'video!']],
    ['stay here for every other service', {}, {}, ['face', 'video!']],
  ])('%s', async (_what, capabilities, extras, uploads) => {
    service.replies.set(routes.capabilities, json({ assets: true, ...capabilities }))
    open()
    await tasks.start()
    tasks.submit(makeDraft({ pictureIds: ['face-2', 'face-1', 'face-3', 'face-2'], options }))
    await soon(() => expect(service.creates).toHaveLength(1))
    const {
      duration: _duration,
      imageUrl: _image,
      title: _title,
      videoUrl: _video,
      ...more
    } = service.creates[0]?.body ?? {}
    expect(more).toEqual(extras)
    expect(service.seen.filter(({ method }) => method === 'PUT').map(({ body }) => body)).toEqual(uploads)
  })

  it('keep their pictures as long as a swap uses them', () => {
    const media = new MediaStore(db)
    const other = (id: string, pictures: string[]): Task =>
      makeTask({ id, pictures: pictures.map((picture) => media.face(picture)) })
    store.put(other('task-1', ['face-2', 'face-3']))
    store.put(other('task-2', ['face-3']))
    expect(media.unusedBefore(Date.now() + 1, 10)).not.toContain('face-2')
    expect(store.purge(other('task-1', ['face-2', 'face-3']))).toEqual(['face-2', face.thumbnailId])
    expect(store.purge(other('task-2', ['face-3']))).toContain('face-3')
  })
})

describe('a service that takes addresses only, with an upload target', () => {
  let upload: ReturnType<typeof vi.fn<Uploads['upload']>>
  let ended: string[]
  let anew: boolean

  beforeEach(async () => {
    // It takes no files.
    service.replies.delete(routes.capabilities)
    ended = []
    anew = false
    upload = vi.fn<Uploads['upload']>(async (_task, { name }) => `https://bucket.example/${name}?signed`)
    uploads = {
      ...{ has: () => true, upload, sweep: async () => undefined, ended: async (id) => void ended.push(id) },
      address: async (_task, mediaId) => (anew ? `https://bucket.example/${mediaId}?anew` : null),
    }
    open()
    await tasks.start()
  })

  it('gets the addresses that the target gave, and all is cleared up once the swap has ended', async () => {
    const id = submit('one')
    await reaches(tasks, id, 'processing')
    const [imageUrl, videoUrl] = ['mona-lisa.jpg', 'clip.mp4'].map((name) => `https://bucket.example/${name}?signed`)
    expect(service.creates[0]?.body).toMatchObject({ imageUrl, videoUrl })
    expect(service.count('PUT')).toBe(0)
    expect(ended).toEqual([])
    tasks.cancel([id])
    expect(ended).toEqual([id])
  })

  it('is tried again after trouble, from where it was; a refusal fails the swap with its reason', async () => {
    upload.mockRejectedValueOnce(new MienError('service-unreachable', {}))
    await reaches(tasks, submit('one'), 'processing')
    expect(upload.mock.calls.map(([, { name }]) => name)).toEqual(['mona-lisa.jpg', 'mona-lisa.jpg', 'clip.mp4'])
    upload.mockRejectedValueOnce(new MienError('upload-refused', { reason: 'bucket' }))
    const { error } = await reaches(tasks, submit('two'), 'failed')
    expect(error).toMatchObject({ code: 'upload-refused', details: { reason: 'bucket' } })
    expect(service.count(routes.create)).toBe(1)
  })

  it('gets an address that is signed anew for each try, since one that is signed ends', async () => {
    anew = true
    service.replies.set(routes.create, json({ message: 'slow down' }, 429))
    const id = submit('one')
    await soon(() => expect(service.count(routes.create)).toBeGreaterThan(1))
    service.replies.set(routes.create, json({ objectID: 'object-1' }))
    await reaches(tasks, id, 'processing')
    const addresses = service.creates.map(({ body }) => body['videoUrl'])
    expect(addresses[0]).toContain('?signed')
    expect(addresses.at(-1)).toContain('video-1?anew')
    expect(upload).toHaveBeenCalledTimes(2)
  })
})

describe('a service that pauses jobs', () => {
  const sentOnes = (): unknown[] => service.seen.filter(({ path }) => path.endsWith('/pause')).map(({ body }) => body)

  beforeEach(() => {
    local = true
    service.replies.set(routes.capabilities, json({ assets: true, pause: true }))
    service.replies.set(routes.pause, json({ objectID: 'object-0', status: 'queued', paused: true }))
  })

  it('gives the places of paused swaps to those that are queued', async () => {
    limit = 2
    sent(2, { state: 'processing' })
    answer(() => ({ status: 'processing' }))
    await tasks.start()
    const third = submit('three')
    tasks.pauses.pause(['task-0', 'task-1'])
    await soon(() => expect(creates()).toEqual(['three']))
    expect(tasks.get(third).pause).toBeNull()
    // Two requests at the same time arrive in any order.
    expect(sentOnes().toSorted()).toEqual(['{"objectID":"object-0"}', '{"objectID":"object-1"}'])
  })

  it('is asked again at the next start to pause what the user paused', async () => {
    sent(1, { state: 'processing', pause: 'user' })
    answer(() => ({ status: 'queued' }))
    await tasks.start()
    await soon(() => expect(sentOnes()).toEqual(['{"objectID":"object-0"}']))
  })

  it('keeps a swap running, and says so, when the service refuses to pause it', async () => {
    service.replies.set(routes.pause, json({ message: 'no' }, 409))
    sent(1, { state: 'processing' })
    answer(() => ({ status: 'processing' }))
    await tasks.start()
    tasks.pauses.pause(['task-0'])
    expect(tasks.get('task-0').pause).toBe('user')
    await soon(() => expect(tasks.get('task-0').pause).toBeNull())
    expect(sentOnes()).toHaveLength(1)
  })
})

describe('a clock that is set while Mien runs', () => {
  const day = 86_400_000

  it.each([
    ['back by hours', -5 * 3_600_000],
    ['back by days', -30 * day],
    ['forward by days', 30 * day],
  ])('%s: swaps are asked for as before, and none goes missing', async (_what, by) => {
    pace = () => 100
    sent(2)
    answer(() => ({ status: 'processing' }))
    await tasks.start()
    await soon(() => expect(tasks.get('task-1').state).toBe('processing'))
    setBy = by
    answer((id) => (id === 'object-0' ? { status: 'processing' } : null))
    const before = questions().length
    await soon(() => expect(questions().length).toBeGreaterThan(before))
    expect(tasks.get('task-1').state).toBe('processing')
  })

  it.each([
    ['back', -day],
    ['forward', day],
  ])('%s: what waits to be sent again waits as long as the service asked, in its order', async (_what, by) => {
    open()
    const [first = ''] = ['one', 'two'].map((title) => submit(title))
    const waits = vi.spyOn(globalThis, 'setTimeout')
    service.replies.set(routes.create, (_request, response) => {
      setBy = by
      waits.mockClear()
      service.replies.set(routes.create, json({ objectID: 'object-1' }))
      response.writeHead(429, { 'retry-after': '3000', 'content-type': 'application/json' }).end('{}')
    })
    answer(() => ({ status: 'queued' }))
    await tasks.start()
    const minutes = (): number[] => waits.mock.calls.map(([, ms = 0]) => Math.ceil(ms / 60_000))
    await soon(() => expect(minutes()).toContain(50))
    expect(Math.max(...minutes())).toBe(50)
    waits.mockClear()
    later = 45 * 60_000
    tasks.wake()
    expect(minutes()).toContain(5)
    later = 50 * 60_000
    tasks.wake()
    await soon(() => expect(tasks.get(first).state).toBe('waiting'))
    expect(creates().slice(0, 2)).toEqual(['one', 'one'])
  })

  it('a time that an earlier run stored by another clock holds a swap for an hour at most', async () => {
    open()
    const taskId = submit('one')
    const entry = store.entry(taskId)
    if (entry) store.putEntry({ ...entry, notBefore: Date.now() + day })
    vi.spyOn(globalThis, 'setTimeout')
    await tasks.start()
    const waits = vi.mocked(setTimeout).mock.calls.map(([, ms]) => ms ?? 0)
    vi.restoreAllMocks()
    expect(Math.max(...waits)).toBe(3_600_000)
  })
})

describe('without a network', () => {
  it('drafts wait and go out in order when it is back', async () => {
    open()
    online = false
    await tasks.start()
    const ids = ['one', 'two', 'three'].map((title) => submit(title))
    emit('offline')
    await soon(() => expect(ids.map((id) => tasks.get(id).pause)).toEqual(['no-network', 'no-network', 'no-network']))
    expect(service.seen).toEqual([])
    online = true
    answer(() => ({ status: 'queued' }))
    emit('online')
    await soon(() => expect(creates()).toEqual(['one', 'two', 'three']))
    expect(ids.map((id) => tasks.get(id).pause)).toEqual([null, null, null])
  })

  it('asks nothing while the computer sleeps, and at once when it wakes', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    sent(1, { createdAt: 1 })
    answer(() => ({ status: 'processing' }))
    await tasks.start()
    emit('suspend')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(fetched).not.toHaveBeenCalled()
    vi.useRealTimers()
    emit('resume')
    await soon(() => expect(tasks.get('task-0').state).toBe('processing'))
  })
})

const inProgress = (): number => tasks.held().filter(({ state }) => state === 'processing').length

describe('asking for many', () => {
  /** Refuses questions with such ids. */
  const refuse = (when: (ids: string[]) => boolean, status: number): void => {
    service.replies.set(routes.list, (request, response, body) => {
      if (when(idsOf(request.url))) sendJson(response, { message: 'refused' }, status)
      else listOf(() => ({ status: 'processing' }))(request, response, body)
    })
  }

  it('tells what one answer said in one delta', async () => {
    sent(50)
    answer(() => ({ status: 'processing' }))
    const sizes: number[] = []
    tasks.onDelta(({ changed }) => sizes.push(changed.length))
    await tasks.start()
    await soon(() => expect(sizes).toEqual([50]))
  })

  it.each([400, 413, 414, 431])('halves after %d, remembers it, and tries more an hour later', async (status) => {
    sent(40)
    let bears = 10
    refuse(({ length }) => length > bears, status)
    await tasks.start()
    await soon(() => expect(inProgress()).toBe(40))
    expect(learned?.maxIds).toBe(10)
    bears = 40
    later = 3_700_000
    tasks.lookNow()
    await soon(() => expect(questions().at(-1)?.length).toBe(20))
    expect(learned?.maxIds).toBe(20)
  })

  it('one id that a service refuses keeps no other from being heard', async () => {
    sent(8)
    refuse((ids) => ids.includes('object-3'), 400)
    await tasks.start()
    await soon(() => expect(inProgress()).toBe(7))
    expect(tasks.get('task-3').state).toBe('waiting')
    expect(learned).toBeNull()
  })

  it('hears two swaps that have the same id', async () => {
    sent(2, { objectId: 'object-same' })
    answer(() => ({ status: 'processing' }))
    await tasks.start()
    await soon(() => expect(inProgress()).toBe(2))
    expect(questions()).toEqual([['object-same']])
  })
})

it('a swap that a service no longer lists is missing after three answers over a minute, and taken up again when it comes back', async () => {
  sent(2)
  answer((id) => (id === 'object-0' ? null : { status: 'processing' }))
  await tasks.start()
  for (let look = 0; look < 2; look++) {
    await soon(() => expect(questions().length).toBeGreaterThan(look))
    // An answer may be heard only after this.
    later += 61_000
    tasks.lookNow()
  }
  await soon(() => {
    expect(questions().length).toBeGreaterThan(2)
    expect(tasks.get('task-0').state).toBe('missing')
  })
  answer(() => ({ status: 'processing' }))
  tasks.pauses.resume(['task-0'])
  await soon(() => expect(tasks.get('task-0')).toMatchObject({ state: 'processing', endedAt: null }))
})

describe('words that nobody knows', () => {
  it('are shown as they are, and mean what the user says', async () => {
    sent(1)
    answer(() => ({ status: 'Baking <b>' }))
    await tasks.start()
    await soon(() => expect(tasks.get('task-0')).toMatchObject({ state: 'waiting', serviceStatus: 'Baking <b>' }))
    words = { 'baking <b>': 'processing' }
    tasks.lookNow()
    await soon(() => expect(tasks.get('task-0').state).toBe('processing'))
  })

  it('with the same result in two answers are finished, whatever is signed anew', async () => {
    sent(1)
    let signature = 0
    answer(() => ({
      status: 'Baked',
      Video: { videoUrl: `${service.baseUrl}/out.mp4?sign=${String((signature += 1))}` },
    }))
    service.replies.set('GET /out.mp4', file(mp4))
    await tasks.start()
    await soon(() => expect(tasks.get('task-0')).toMatchObject({ state: 'waiting', serviceStatus: 'Baked' }))
    tasks.lookNow()
    await soon(() => expect(tasks.get('task-0').state).toBe('kept'))
    // The address of the answer itself was fetched, before it can run out: nobody asked again for it.
    expect(questions()).toHaveLength(2)
    expect(service.seen.some(({ path }) => path === '/out.mp4?sign=2')).toBe(true)
  })
})

const page = Buffer.from('<!doctype html><script>alert(1)</script>')
it.each([
  ['a web page', 'text/html', page, { type: 'text/html' }],
  ['a web page that says it is a video', 'video/mp4', page, { reason: 'page' }],
  ['nothing', 'video/mp4', Buffer.alloc(0), { bytes: 0 }],
])('a result that is %s is told and not kept', async (_what, type, body, details) => {
  sent(1)
  answer(() => ({ status: 'completed', Video: { videoUrl: `${service.baseUrl}/out.mp4` } }))
  service.replies.set('GET /out.mp4', file(body, type))
  await tasks.start()
  const error = { code: 'result-unreadable', details }
  await soon(() => expect(tasks.get('task-0')).toMatchObject({ state: 'succeeded', error }))
  expect(readdirSync(inDir('results')).filter((name) => !name.includes('.part'))).toEqual([])
})

it('an estimate is learned from what the service took before, with its spread, and left where progress is told', async () => {
  for (const tookMs of [60_000, 80_000, 100_000])
    store.timings.add('remote', { frames: null, videoMs: 6000, pixels: 1280 * 720, tookMs }, 1)
  sent(2, { video, events: [{ at: 5000, what: 'sent', details: {} }] })
  answer((id) => ({ status: 'processing', ...(id === 'object-1' ? { progress: 0.5 } : {}) }))
  await tasks.start()
  await soon(() => expect(tasks.get('task-1').progress).toMatchObject({ share: 0.5, estimated: false }))
  expect(tasks.get('task-1').expected).toBeNull()
  const { expected } = tasks.get('task-0')
  expect(expected).toMatchObject({ since: 5000, ms: 80_000 })
  expect(expected?.lowMs).toBeLessThan(70_000)
  expect(expected?.highMs).toBeGreaterThan(95_000)
})
