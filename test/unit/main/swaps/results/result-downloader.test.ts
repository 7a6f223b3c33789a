/** @file Results come into the user's folder once, whole, and over nothing, whatever stops the fetch in between. */
import type { DatabaseSync } from 'node:sqlite'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import type { Task } from '@shared/tasks/task.ts'
import { ServiceClient } from '../../../../../src/main/remote/client/service-client.ts'
import { ResultDownloader } from '../../../../../src/main/swaps/results/result-downloader.ts'
import { newEntry } from '../../../../../src/main/swaps/rules/outbox-entry.ts'
import type { ResultSigner } from '../../../../../src/main/provenance/result-signer.ts'
import type { Observation } from '../../../../../src/main/swaps/rules/transitions.ts'
import type { Parts } from '../../../../../src/main/swaps/store/parts.ts'
import { type FakeService, file, json, mp4, routes, type Reply } from '../../../../fixtures/fake-service.ts'
import { clientOf, makeClient, makeParts, noSigner, StoreOnFullDisk } from '../../../../fixtures/task-service.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'
import { tempService } from '../../../../fixtures/temp-service.ts'

const jpg = Buffer.from('\xff\xd8\xff\xe0 a still', 'latin1')

const inDir = tempPaths()
let results: string
let service: FakeService
let db: DatabaseSync
let store: StoreOnFullDisk
let board: Parts['board']
let downloader: ResultDownloader
let logged: string[]
let fileName: string | null
let signer: ResultSigner
const certificateChanged = vi.fn()
const keyRefused = vi.fn()
let key: string | null

function open(): void {
  db = tempLibrary(inDir())
  store = new StoreOnFullDisk(db, () => undefined)
  const client = clientOf(service, { gapMs: 0, readKey: () => Promise.resolve(key) })
  const parts = makeParts({
    ...{ db, dir: inDir(), store, signer },
    services: { ...client, certificateChanged, keyRefused },
    destination: () => ({ folder: results, folderName: 'Mien', fileName }),
    log: (message) => logged.push(message),
  })
  board = parts.board
  downloader = new ResultDownloader(parts, () => undefined)
}

/** A swap that the service has finished. */
function finished(id = 'task-1', title = 'Clip'): void {
  store.put(makeTask({ id, title, state: 'succeeded', objectId: `object-of-${id}` }))
}

beforeEach(async () => {
  results = inDir('results')
  mkdirSync(results)
  signer = noSigner
  ;[logged, fileName, key] = [[], null, 'sk-1']
  service = await tempService()
  service.replies.set(routes.capabilities, json({ delete: true }))
  service.replies.set(routes.delete, json({}))
  service.replies.set('GET /out.mp4', file(mp4))
  service.replies.set('GET /still', file(jpg, 'image/jpeg'))
  const [videoUrl, still] = [`${service.baseUrl}/out.mp4`, `${service.baseUrl}/still`]
  const Video = { videoUrl, coverUrl: still, avatars: `["${still}/1","${still}/2"]`, width: 640 }
  service.lists(() => ({ status: 'completed', Video }))
  open()
})
afterEach(() => downloader.dispose())

const soon = <T>(check: () => T): Promise<T> => vi.waitFor(check, { interval: 10 })
const kept = (id = 'task-1'): Promise<Task> =>
  soon(() => {
    const task = board.get(id)
    expect(task).toMatchObject({ state: 'kept' })
    return task as Task // it is there, as it matched
  })

/** The result begins to come; `next` does what follows. */
function stall(next: Reply = () => undefined): void {
  service.replies.set('GET /out.mp4', (request, response, body) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': mp4.length, etag: '"v"' })
    response.write(mp4.subarray(0, 10))
    next(request, response, body)
  })
}

/** A quit, and the next start. */
async function restart(): Promise<void> {
  await downloader.dispose()
  db.close()
  open()
}
/** The same, and what is finished is fetched. */
async function fetchAgain(): Promise<void> {
  await restart()
  downloader.wake()
}
/** Of one finished swap. */
async function fetchFirst(): Promise<void> {
  finished()
  await fetchAgain()
}
/** The same, but a kill comes when the swap is stored as kept: nothing after it happens. */
async function killAtTheEnd(): Promise<void> {
  finished()
  await restart()
  const { promise: killed, resolve } = Promise.withResolvers<undefined>()
  vi.spyOn(store, 'put').mockImplementation((task) => {
    if (task.state !== 'kept') return
    resolve(undefined)
    throw new Error('killed')
  })
  downloader.wake()
  await killed
}

it('needs the user while the key is missing, and goes on once there is one', async () => {
  finished()
  await restart()
  key = null
  downloader.wake()
  await soon(() =>
    expect(board.get('task-1')).toMatchObject({ state: 'succeeded', pause: 'key', error: { code: 'key-missing' } }),
  )
  expect(keyRefused).toHaveBeenCalledWith('remote', 'key-missing')
  key = 'sk-2'
  board.dispatch('task-1', { type: 'resume' })
  downloader.wake()
  expect((await kept()).error).toBeNull()
})

describe('a library that cannot be written', () => {
  it('is tried again with pauses, logged once, and the result is kept once writing works', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    finished()
    await restart()
    const began = Date.now()
    store.isFull = true
    downloader.wake()
    await soon(() => expect(service.count(routes.list)).toBe(3))
    expect(Date.now() - began).toBeGreaterThan(200)
    expect(logged.filter((line) => line.includes('library'))).toHaveLength(1)
    store.isFull = false
    await kept()
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
    expect(readdirSync(results)).toEqual(['Clip.mp4'])
  })

  it('may also not take that a certificate has changed', async () => {
    const fetched = vi.spyOn(ServiceClient.prototype, 'fetchTasks')
    fetched.mockRejectedValueOnce(new MienError('certificate-changed'))
    certificateChanged.mockImplementationOnce(() => {
      throw new Error('database or disk is full')
    })
    await fetchFirst()
    await kept()
    expect(certificateChanged).toHaveBeenCalledWith('remote')
    fetched.mockRestore()
  })
})

it('does not use the answer of a job that failed for the next one', async () => {
  store.put(makeTask({ state: 'processing', objectId: 'old' }))
  await restart()
  const said: Observation = { status: 'failed', statusWord: null, taskId: null, error: null, progress: null }
  const [answer] = (await makeClient(service.baseUrl).fetchTasks(['old'])).values()
  if (answer) downloader.finished('task-1', { ...answer, resultUrl: `${service.baseUrl}/old.mp4` })
  board.dispatch('task-1', { type: 'observed', observation: said })
  downloader.wake()
  board.dispatch('task-1', { type: 'retry', entry: newEntry('task-1', 1), jobCanResume: false })
  board.dispatch('task-1', { type: 'created', objectId: 'new', jobCanPause: false })
  board.dispatch('task-1', { type: 'observed', observation: { ...said, status: 'succeeded' } })
  downloader.wake()
  await kept()
  expect([service.count('GET /old.mp4'), service.count('GET /out.mp4')]).toEqual([0, 1])
})

describe('a quit or a crash', () => {
  it('between the file’s name and the library leads to one file, with its stills', async () => {
    await killAtTheEnd()
    expect(readdirSync(results)).toEqual(['Clip.mp4'])
    service.replies.set('GET /still', json({}, 410))
    await fetchAgain()
    const task = await kept()
    expect(readdirSync(results)).toEqual(['Clip.mp4'])
    expect(task.result?.fileName).toBe('Clip.mp4')
    expect(task.coverId).not.toBeNull()
    expect(task.peopleIds).toHaveLength(2)
    expect(service.count('GET /out.mp4')).toBe(1)
  })

  it('after which the service has forgotten the swap keeps what is there all the same', async () => {
    await killAtTheEnd()
    service.replies.set(routes.list, json({ list: [] }))
    await fetchAgain()
    const task = await kept()
    expect(task).toMatchObject({ result: { fileName: 'Clip.mp4', sizeBytes: mp4.length } })
    expect(task.peopleIds).toHaveLength(2)
  })

  it('while the stills are fetched stores no swap without them', async () => {
    service.replies.set('GET /still', () => undefined)
    await fetchFirst()
    await soon(() => expect(service.count('GET /still')).toBe(1))
    await restart()
    expect(board.get('task-1')?.state).toBe('succeeded')
    service.replies.set('GET /still', file(jpg, 'image/jpeg'))
    downloader.wake()
    const task = await kept()
    expect(readdirSync(results)).toEqual(['Clip.mp4'])
    expect(task.coverId).not.toBeNull()
  })

  it('right after the end waits until no part of the download is left', async () => {
    stall((_request, response) => response.end(mp4.subarray(10)))
    finished()
    await restart()
    const { promise: stored, resolve } = Promise.withResolvers<undefined>()
    board.onDelta(({ changed }) => changed.some(({ state }) => state === 'kept') && resolve(undefined))
    downloader.wake()
    await stored
    await downloader.dispose()
    expect(readdirSync(results)).toEqual(['Clip.mp4'])
  })

  it('right after the end leaves its clearing up to the next start', async () => {
    await fetchFirst()
    const { objectId } = await kept()
    expect(store.jobsToEnd.soonest(9)).toMatchObject([{ objectId, endBy: 'delete' }])
    await restart()
    downloader.start()
    await soon(() => expect(store.fetches.all()).toEqual([]))
  })
})

it('a file of the user stays as it is, and several results of one title get their own names', async () => {
  writeFileSync(join(results, 'Clip.mp4'), 'mine')
  const ids = ['one', 'two', 'three', 'four', 'five']
  for (const id of ids) finished(id)
  await fetchAgain()
  for (const id of ids) await kept(id)
  const names = ids.map((_, at) => `Clip ${String(at + 2)}.mp4`)
  expect(readdirSync(results).sort()).toEqual([...names, 'Clip.mp4'])
  expect(ids.map((id) => board.get(id)?.result?.fileName).sort()).toEqual(names)
  expect(readFileSync(join(results, 'Clip.mp4'), 'utf8')).toBe('mine')
})

describe('a swap that is cancelled while its result is fetched', () => {
  it('leaves nothing in the folder', async () => {
    stall()
    await fetchFirst()
    await soon(() => expect(readdirSync(results)).toHaveLength(2))
    downloader.interrupt('task-1')
    board.dispatch('task-1', { type: 'cancel' })
    // First the files go, then what is noted of them.
    await soon(() => expect([readdirSync(results), store.fetches.all()]).toEqual([[], []]))
  })

  it('leaves nothing either when it waits to be tried again, or was cancelled just before a crash', async () => {
    stall((request) => setTimeout(() => request.socket.destroy(), 20))
    finished('waits')
    finished('crashed')
    await fetchAgain()
    await soon(() => {
      expect(board.get('waits')?.error).not.toBeNull()
      expect(board.get('crashed')?.error).not.toBeNull()
    })
    expect(readdirSync(results)).toHaveLength(4)
    downloader.interrupt('waits')
    board.dispatch('waits', { type: 'cancel' })
    board.dispatch('crashed', { type: 'cancel' })
    await soon(() => expect(readdirSync(results)).toHaveLength(2))
    await restart()
    downloader.start()
    await soon(() => expect(readdirSync(results)).toEqual([]))
  })
})

describe('a name that was asked for', () => {
  it('is written over', async () => {
    fileName = 'out.mp4'
    writeFileSync(join(results, fileName), 'older')
    await fetchFirst()
    await kept()
    expect(readdirSync(results)).toEqual(['out.mp4'])
    expect(readFileSync(join(results, fileName))).toEqual(mp4)
  })

  it.each([
    ['is a folder’s', 'save-failed', () => mkdirSync(join(results, 'out.mp4', 'inside'), { recursive: true })],
    ['gets no whole result', 'result-unreadable', () => service.replies.set('GET /out.mp4', file(jpg, 'video/mp4'))],
  ])('and %s leaves nothing beside it', async (_what, code, prepare) => {
    fileName = 'out.mp4'
    prepare()
    await fetchFirst()
    await soon(() => expect(board.get('task-1')?.error?.code).toBe(code))
    expect(readdirSync(results).filter((name) => name !== 'out.mp4')).toEqual([])
  })
})

it('continues a part that is whole already with a question only', async () => {
  service.replies.set('GET /out.mp4', (request, response, body) => {
    const headers = { 'content-type': 'video/mp4', etag: '"v"' }
    if (request.headers.range === undefined) file(mp4)(request, response, body)
    else response.writeHead(416, { ...headers, 'content-range': `bytes */${String(mp4.length)}` }).end()
  })
  finished()
  const part = join(results, 'mien-task-1.part')
  writeFileSync(part, mp4)
  writeFileSync(`${part}.tag`, '"v"')
  store.fetches.put({ taskId: 'task-1', part, path: null })
  await restart()
  downloader.wake()
  await kept()
  expect(service.seen.filter(({ path }) => path === '/out.mp4').map(({ headers }) => headers.range)).toEqual([
    `bytes=${String(mp4.length)}-`,
  ])
  expect(existsSync(part)).toBe(false)
})

describe('a result that is signed', () => {
  const signed = Buffer.concat([mp4, Buffer.from('signed')])
  const part = (kind = ''): string => join(results, `mien-task-1${kind}.part`)
  let sign: ResultSigner['sign']

  beforeEach(() => {
    sign = ({ source, target }) => {
      expect(readFileSync(source)).toEqual(mp4)
      writeFileSync(target, signed)
      return Promise.resolve('signed')
    }
    signer = { sign: (signing) => sign(signing), stateOf: () => Promise.resolve('signed') }
    finished()
  })

  /** Signing goes on until it is aborted. Resolves when it has begun. */
  const signHalf = (): Promise<void> =>
    new Promise((resolve) => {
      sign = ({ target, signal }) => {
        writeFileSync(target, 'half')
        resolve()
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
      }
    })
  const isKept = async (): Promise<void> => {
    const { result } = await kept()
    expect(result).toMatchObject({ fileName: 'Clip.mp4', sizeBytes: signed.length, credentials: 'signed' })
    await downloader.dispose()
    expect(readdirSync(results)).toEqual(['Clip.mp4'])
    expect(readFileSync(join(results, 'Clip.mp4'))).toEqual(signed)
  }

  it('is saved with its credentials, and nothing beside it', async () => {
    await fetchAgain()
    await isKept()
  })

  it.each(['off', 'unsupported', 'failed'] as const)('or not (%s) is saved as it came, and says so', async (state) => {
    sign = () => Promise.resolve(state)
    await fetchAgain()
    expect((await kept()).result).toMatchObject({ credentials: state, sizeBytes: mp4.length })
    await downloader.dispose()
    expect(readdirSync(results)).toEqual(['Clip.mp4'])
  })

  it('is signed again after a kill while it was', async () => {
    const whole = sign
    const half = signHalf()
    await fetchAgain()
    await half
    await restart()
    expect(readdirSync(results)).toContain('mien-task-1.signing.part')
    sign = whole
    downloader.wake()
    await isKept()
  })

  it('is neither fetched nor signed again after a kill when it was whole', async () => {
    store.fetches.put({ taskId: 'task-1', part: part(), path: null })
    writeFileSync(part('.signed'), signed)
    // Also if the kill came before the unsigned one was removed.
    writeFileSync(part(), mp4)
    sign = () => Promise.reject(new Error('it is signed'))
    await fetchAgain()
    await isKept()
    expect(service.count('GET /out.mp4')).toBe(0)
  })

  it('is one file after a kill right after it got its name', async () => {
    await killAtTheEnd()
    await fetchAgain()
    await isKept()
    expect(service.count('GET /out.mp4')).toBe(1)
  })

  it('waits while the disk is full', async () => {
    const whole = sign
    sign = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
    await fetchAgain()
    await soon(() => expect(board.get('task-1')).toMatchObject({ state: 'succeeded', error: { code: 'disk-full' } }))
    sign = whole
    downloader.tryNow('task-1')
    await isKept()
  })

  it('leaves nothing if the swap is cancelled meanwhile', async () => {
    const begun = signHalf()
    await fetchAgain()
    await begun
    downloader.interrupt('task-1')
    board.dispatch('task-1', { type: 'cancel' })
    await soon(() => expect(readdirSync(results)).toEqual([]))
  })
})
