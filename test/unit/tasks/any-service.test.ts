/** @file How swaps are sent, watched and fetched with services that live by their own rules. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Task } from '@shared/task.ts'
import type { StatusMeaning } from '@shared/status-words.ts'
import { MediaStore } from '../../../src/main/media/media-store.ts'
import { openLibrary, type OpenedLibrary } from '../../../src/main/tasks/store/library-db.ts'
import type { LearnedLimit, SystemEvent } from '../../../src/main/tasks/rules/ports.ts'
import type { TaskService } from '../../../src/main/tasks/task-service.ts'
import { TaskStore } from '../../../src/main/tasks/store/task-store.ts'
import { json, Peer } from '../../fixtures/peer.ts'
import { addMedia, makeClient, makeTaskService } from '../../fixtures/task-service.ts'
import { makeDraft, makeTask, video } from '../../fixtures/tasks.ts'

const create = 'POST /v1/faceswap-openapi/create'
const list = 'GET /v1/faceswap-opanpai/listbyids'
const mp4 = Buffer.from('\0\0\0\u0018ftypisom\0\0\0\0isomiso2', 'latin1')

let dir: string
let peer: Peer
let library: OpenedLibrary
let store: TaskStore
let service: TaskService
let paused: boolean
let learned: LearnedLimit | null
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

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'mien-test-'))
  mkdirSync(join(dir, 'results'))
  peer = new Peer()
  await peer.start()
  ;[paused, learned, max, words, online, later, setBy] = [false, null, 50, {}, true, 0, 0]
  ;[local, limit] = [false, Infinity]
  emit = () => undefined
  peer.replies.set('GET /v1/capabilities', json({ assets: true }))
  peer.replies.set('PUT /v1/assets/', json({ id: 'a', url: `${peer.baseUrl}/a`, size: 1 }))
  peer.replies.set(create, json({ objectID: 'object-1' }))
  library = openLibrary(join(dir, 'library.db'), 1)
  store = new TaskStore(library.db, () => undefined)
  addMedia(new MediaStore(library.db), dir)
})
afterEach(async () => {
  await service.dispose()
  library.db.close()
  await peer.stop()
  rmSync(dir, { recursive: true, force: true })
})

/** Opens the library as it is on disk now. */
function open(): void {
  const client = makeClient(peer.baseUrl, { words: () => words, gapMs: 0 })
  service = makeTaskService({
    ...{ db: library.db, dir, store },
    services: {
      client: () => client,
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
    now: () => Date.now() + later + setBy,
    ticks: () => performance.now() + later,
  })
}

const submit = (title: string, profileId = 'remote'): string => service.submit(makeDraft({ title, profileId })).taskId

/** Swaps that a service has already, `object-0` and on. */
function sent(count: number, patch: Partial<Task> = {}): void {
  store.transaction(() => {
    for (let n = 0; n < count; n++)
      store.put(
        makeTask({
          id: `task-${String(n)}`,
          objectId: `object-${String(n)}`,
          state: 'waiting',
          createdAt: Date.now(),
          ...patch,
        }),
      )
  })
  open()
}

const asked = (path: string): string[] => new URL(path, 'http://x').searchParams.get('objectID')?.split(',') ?? []
const questions = (): string[][] =>
  peer.seen.filter(({ path }) => path.includes('listbyids')).map(({ path }) => asked(path))
/** Answers each id with `item`; leaves out what `item` gives nothing for. */
const answer = (item: (id: string) => object | null) => {
  peer.replies.set(list, (request, response) => {
    const items = asked(request.url ?? '').flatMap((id) => {
      const found = item(id)
      return found === null ? [] : [{ objectId: id, ...found }]
    })
    json({ list: items })(request, response, '')
  })
}
const soon = <T>(check: () => T): Promise<T> => vi.waitFor(check, { timeout: 50_000, interval: 20 })
const creates = (): unknown[] =>
  peer.seen
    .filter(({ path }) => path.endsWith('/create'))
    .map(({ body }) => (JSON.parse(body) as { title: string }).title)

describe('the order', () => {
  it('is the user’s', async () => {
    open()
    const ids = ['one', 'two', 'three', 'four'].map((title) => submit(title))
    service.move(ids[3] ?? '', 'first')
    service.move(ids[0] ?? '', 'down')
    service.move(ids[1] ?? '', 'last')
    answer(() => ({ status: 'queued' }))
    await service.start()
    await soon(() => {
      expect(creates()).toEqual(['four', 'one', 'three', 'two'].filter((title) => title !== ''))
    })
  })

  it('holds a service’s queue until it is released, and a swap of its own longer', async () => {
    open()
    paused = true
    const [first = '', second = ''] = ['one', 'two'].map((title) => submit(title))
    expect(service.get(first).pause).toBe('service')
    service.pauses.pause([second])
    await service.start()
    // What is sent to another service after them was sent before them.
    submit('elsewhere', 'other')
    await soon(() => {
      expect(creates()).toEqual(['elsewhere'])
    })
    paused = false
    await service.pauses.pausedService('remote', false)
    await soon(() => {
      expect(creates()).toEqual(['elsewhere', 'one'])
    })
    expect(service.get(second).pause).toBe('user')
  })
})

describe('a service that pauses jobs', () => {
  const sentOnes = (): unknown[] => peer.seen.filter(({ path }) => path.endsWith('/pause')).map(({ body }) => body)

  it('gives the places of paused swaps to those that are queued', async () => {
    ;[local, limit] = [true, 2]
    peer.replies.set('GET /v1/capabilities', json({ assets: true, pause: true }))
    peer.replies.set('POST /v1/faceswap-openapi/pause', json({ objectID: 'object-0', status: 'queued', paused: true }))
    sent(2, { state: 'processing' })
    answer(() => ({ status: 'processing' }))
    await service.start()
    const third = submit('three')
    service.pauses.pause(['task-0', 'task-1'])
    await soon(() => {
      expect(creates()).toEqual(['three'])
    })
    expect(service.get(third).pause).toBeNull()
    expect(sentOnes()).toEqual(['{"objectID":"object-0"}', '{"objectID":"object-1"}'])
  })

  it('is asked again at the next start to pause what the user paused', async () => {
    local = true
    peer.replies.set('GET /v1/capabilities', json({ assets: true, pause: true }))
    peer.replies.set('POST /v1/faceswap-openapi/pause', json({ objectID: 'object-0', status: 'queued', paused: true }))
    sent(1, { state: 'processing', pause: 'user' })
    answer(() => ({ status: 'queued' }))
    await service.start()
    await soon(() => {
      expect(sentOnes()).toEqual(['{"objectID":"object-0"}'])
    })
  })

  it('keeps a swap running, and says so, when the service refuses to pause it', async () => {
    local = true
    peer.replies.set('GET /v1/capabilities', json({ assets: true, pause: true }))
    peer.replies.set('POST /v1/faceswap-openapi/pause', json({ message: 'no' }, 409))
    sent(1, { state: 'processing' })
    answer(() => ({ status: 'processing' }))
    await service.start()
    service.pauses.pause(['task-0'])
    expect(service.get('task-0').pause).toBe('user')
    await soon(() => {
      expect(service.get('task-0').pause).toBeNull()
    })
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
    sent(2)
    answer(() => ({ status: 'processing' }))
    await service.start()
    await soon(() => {
      expect(service.get('task-1').state).toBe('processing')
    })
    setBy = by
    answer((id) => (id === 'object-0' ? { status: 'processing' } : null))
    const before = questions().length
    await soon(() => {
      expect(questions().length).toBeGreaterThan(before)
    })
    expect(service.get('task-1').state).toBe('processing')
  })

  it.each([
    ['back', -day],
    ['forward', day],
  ])('%s: what waits to be sent again waits as long as the service asked, in its order', async (_what, by) => {
    open()
    const [first = ''] = ['one', 'two'].map((title) => submit(title))
    let refusedAt = 0
    peer.replies.set(create, (_request, response) => {
      refusedAt = performance.now()
      setBy = by
      peer.replies.set(create, json({ objectID: 'object-1' }))
      response.writeHead(429, { 'retry-after': '2', 'content-type': 'application/json' }).end('{}')
    })
    answer(() => ({ status: 'queued' }))
    await service.start()
    await soon(() => {
      expect(service.get(first).state).toBe('waiting')
    })
    expect(performance.now() - refusedAt).toBeGreaterThanOrEqual(1900)
    expect(creates().slice(0, 2)).toEqual(['one', 'one'])
  })

  it('a time that an earlier run stored by another clock holds a swap for an hour at most', async () => {
    open()
    const [taskId = ''] = ['one'].map((title) => submit(title))
    const entry = store.entry(taskId)
    if (entry) store.putEntry({ ...entry, notBefore: Date.now() + day })
    vi.spyOn(globalThis, 'setTimeout')
    await service.start()
    const waits = vi.mocked(setTimeout).mock.calls.map(([, ms]) => ms ?? 0)
    vi.restoreAllMocks()
    expect(Math.max(...waits)).toBe(3_600_000)
  })
})

describe('without a network', () => {
  it('drafts wait and go out in order when it is back', async () => {
    open()
    online = false
    await service.start()
    const ids = ['one', 'two', 'three'].map((title) => submit(title))
    emit('offline')
    await soon(() => {
      expect(ids.map((id) => service.get(id).pause)).toEqual(['no-network', 'no-network', 'no-network'])
    })
    expect(peer.seen).toEqual([])
    online = true
    answer(() => ({ status: 'queued' }))
    emit('online')
    await soon(() => {
      expect(creates()).toEqual(['one', 'two', 'three'])
    })
    expect(ids.map((id) => service.get(id).pause)).toEqual([null, null, null])
  })

  it('asks nothing while the computer sleeps, and at once when it wakes', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => {
      vi.useRealTimers()
      fetched.mockRestore()
    })
    sent(1, { createdAt: 1 })
    answer(() => ({ status: 'processing' }))
    await service.start()
    emit('suspend')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(fetched).not.toHaveBeenCalled()
    vi.useRealTimers()
    emit('resume')
    await soon(() => {
      expect(service.get('task-0').state).toBe('processing')
    })
  })
})

describe('asking for many', () => {
  it('takes no more requests than it must, and never two for one id', async () => {
    sent(120)
    answer(() => ({ status: 'processing' }))
    await service.start()
    await soon(() => {
      expect(service.snapshot().tasks.every(({ state }) => state === 'processing')).toBe(true)
    })
    expect(questions().map((ids) => ids.length)).toEqual([50, 50, 20])
    expect(new Set(questions().flat()).size).toBe(120)
  })

  it('tells what one answer said in one delta', async () => {
    sent(50)
    answer(() => ({ status: 'processing' }))
    const sizes: number[] = []
    service.onDelta(({ changed }) => sizes.push(changed.length))
    await service.start()
    await soon(() => {
      expect(sizes).toEqual([50])
    })
  })

  it.each([400, 413, 414, 431])('halves after %d, remembers it, and tries more an hour later', async (status) => {
    sent(40)
    let bears = 10
    peer.replies.set(list, (request, response) => {
      const ids = asked(request.url ?? '')
      if (ids.length > bears) json({ message: 'too many' }, status)(request, response, '')
      else json({ list: ids.map((id) => ({ objectId: id, status: 'processing' })) })(request, response, '')
    })
    await service.start()
    await soon(() => {
      expect(service.snapshot().tasks.every(({ state }) => state === 'processing')).toBe(true)
    })
    expect(learned?.maxIds).toBe(10)
    bears = 40
    later = 3_700_000
    service.lookNow()
    await soon(() => {
      expect(questions().at(-1)?.length).toBe(20)
    })
    expect(learned?.maxIds).toBe(20)
  })

  it('one id that a service refuses keeps no other from being heard', async () => {
    sent(8)
    peer.replies.set(list, (request, response) => {
      const ids = asked(request.url ?? '')
      if (ids.includes('object-3')) json({ message: 'bad id' }, 400)(request, response, '')
      else json({ list: ids.map((id) => ({ objectId: id, status: 'processing' })) })(request, response, '')
    })
    await service.start()
    await soon(() => {
      expect(service.snapshot().tasks.filter(({ state }) => state === 'processing')).toHaveLength(7)
    })
    expect(service.get('task-3').state).toBe('waiting')
    expect(learned).toBeNull()
  })

  it('hears two swaps that have the same id', async () => {
    sent(2, { objectId: 'object-same' })
    answer(() => ({ status: 'processing' }))
    await service.start()
    await soon(() => {
      expect(service.snapshot().tasks.map(({ state }) => state)).toEqual(['processing', 'processing'])
    })
    expect(questions()).toEqual([['object-same']])
  })
})

describe('a swap that a service no longer lists', () => {
  it('is missing after three answers over a minute, and taken up again when it comes back', async () => {
    sent(2)
    answer((id) => (id === 'object-0' ? null : { status: 'processing' }))
    await service.start()
    for (let look = 0; look < 2; look++) {
      await soon(() => {
        expect(questions().length).toBeGreaterThan(look)
      })
      // An answer may be heard only after this.
      later += 61_000
      service.lookNow()
    }
    await soon(() => {
      expect(questions().length).toBeGreaterThan(2)
      expect(service.get('task-0').state).toBe('missing')
    })
    answer(() => ({ status: 'processing' }))
    service.pauses.resume(['task-0'])
    await soon(() => {
      expect(service.get('task-0')).toMatchObject({ state: 'processing', endedAt: null })
    })
  })
})

describe('words that nobody knows', () => {
  it('are shown as they are, and mean what the user says', async () => {
    sent(1)
    answer(() => ({ status: 'Baking <b>' }))
    await service.start()
    await soon(() => {
      expect(service.get('task-0')).toMatchObject({ state: 'waiting', serviceStatus: 'Baking <b>' })
    })
    words = { 'baking <b>': 'processing' }
    service.lookNow()
    await soon(() => {
      expect(service.get('task-0').state).toBe('processing')
    })
  })

  it('with the same result in two answers are finished, whatever is signed anew', async () => {
    sent(1)
    let signature = 0
    answer(() => ({ status: 'Baked', Video: { videoUrl: `${peer.baseUrl}/out.mp4?sign=${String((signature += 1))}` } }))
    peer.replies.set('GET /out.mp4', (_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': mp4.length }).end(mp4)
    })
    await service.start()
    await soon(() => {
      expect(service.get('task-0')).toMatchObject({ state: 'waiting', serviceStatus: 'Baked' })
    })
    service.lookNow()
    await soon(() => {
      expect(service.get('task-0').state).toBe('kept')
    })
    // The address of the answer itself was fetched, before it can run out: nobody asked again for it.
    expect(questions()).toHaveLength(2)
    expect(peer.seen.some(({ path }) => path === '/out.mp4?sign=2')).toBe(true)
  })
})

describe('a result', () => {
  it.each([
    ['a web page that says it is a video', 'video/mp4', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['nothing', 'video/mp4', Buffer.alloc(0)],
    ['a picture', 'video/mp4', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')],
    ['a video that breaks off', 'video/mp4', Buffer.concat([mp4, Buffer.from('\0\0\xff\xffmdat....', 'latin1')])],
  ])('that is %s is told and not kept', async (_what, type, body) => {
    sent(1)
    answer(() => ({ status: 'completed', Video: { videoUrl: `${peer.baseUrl}/out.mp4` } }))
    peer.replies.set('GET /out.mp4', (_request, response) => {
      response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body)
    })
    await service.start()
    await soon(() => {
      expect(service.get('task-0')).toMatchObject({ state: 'succeeded', error: { code: 'result-unreadable' } })
    })
    expect(readdirSync(join(dir, 'results')).filter((name) => !name.includes('.part'))).toEqual([])
  })

  it('that leads to a file or another scheme is refused', async () => {
    sent(1)
    answer(() => ({ status: 'completed', Video: { videoUrl: `${peer.baseUrl}/out.mp4` } }))
    peer.replies.set('GET /out.mp4', (_request, response) => {
      response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    })
    await service.start()
    await soon(() => {
      expect(service.get('task-0').error?.code).toBe('result-address-invalid')
    })
    expect(existsSync(join(dir, 'results', 'Clip.mp4'))).toBe(false)
  })
})

describe('an estimate', () => {
  it('is learned from what the service took before, with its spread, and left where progress is told', async () => {
    for (const tookMs of [60_000, 80_000, 100_000])
      store.addTiming('remote', { frames: null, videoMs: 6000, pixels: 1280 * 720, tookMs }, 1)
    sent(2, { video, events: [{ at: 5000, what: 'sent', details: {} }] })
    answer((id) => ({ status: 'processing', ...(id === 'object-1' ? { progress: 0.5 } : {}) }))
    await service.start()
    await soon(() => {
      expect(service.get('task-1').progress).toMatchObject({ share: 0.5, estimated: false })
    })
    expect(service.get('task-1').expected).toBeNull()
    const { expected } = service.get('task-0')
    expect(expected).toMatchObject({ since: 5000, ms: 80_000 })
    expect(expected?.lowMs).toBeLessThan(70_000)
    expect(expected?.highMs).toBeGreaterThan(95_000)
  })
})
