/** @file The life of a swap against a real HTTP service: outbox, watcher and downloader together. */
import type { DatabaseSync } from 'node:sqlite'
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { MediaStore } from '../../../../src/main/media/media-store.ts'
import { newEntry } from '../../../../src/main/swaps/rules/outbox-entry.ts'
import type { TaskServiceDeps } from '../../../../src/main/swaps/store/parts.ts'
import type { TaskService } from '../../../../src/main/swaps/task-service.ts'
import { TaskStore } from '../../../../src/main/swaps/store/task-store.ts'
import { embeddedProfileId, type Task, type TaskState } from '@shared/tasks/task.ts'
import { breakOff, type FakeService, file, json, mp4, routes, sendJson } from '../../../fixtures/fake-service.ts'
import { addMedia, clientOf, serviceKey, servicesOf } from '../../../fixtures/task-service.ts'
import { face, makeDraft, makeTask } from '../../../fixtures/tasks.ts'
import { tempPaths } from '../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../fixtures/temp-library.ts'
import { reaches, tempService, tempTasks } from '../../../fixtures/temp-service.ts'

const inDir = tempPaths()
let service: FakeService
let db: DatabaseSync
let tasks: TaskService
let key: string | null
const refused = vi.fn()

function open(Store = TaskStore, deps: Partial<TaskServiceDeps> = {}): void {
  db = tempLibrary(inDir())
  tasks = tempTasks({
    ...{ db, dir: inDir(), store: new Store(db, () => undefined) },
    services: { ...clientOf(service, { readKey: () => Promise.resolve(key) }), keyRefused: refused },
    ...deps,
  })
}

beforeEach(async () => {
  mkdirSync(inDir('results'))
  service = await tempService()
  key = serviceKey
  refused.mockReset()
  service.acceptSwaps()
  service.replies.set(routes.capabilities, json({ assets: true, cancel: true, delete: false, idempotency: false }))
  service.replies.set(routes.cancel, json({}))
  open()
  addMedia(new MediaStore(db), inDir())
})

const submit = (title = 'Clip', profileId = 'remote'): string => tasks.submit(makeDraft({ title, profileId })).taskId

/** Sends a swap to another service: when it is there, all that was due for the first had its turn before it. */
async function sendOther(): Promise<void> {
  const before = service.replies.get(routes.create)
  service.replies.set(routes.create, (request, response, body) => {
    const reply = body.includes('"Other"') ? json({ objectID: 'object-1' }) : before
    reply?.(request, response, body)
  })
  await until(submit('Other', 'other'), 'processing')
}

const createsOf = (title: string): number => service.creates.filter(({ body }) => body['title'] === title).length

const until = (taskId: string, state: TaskState): Promise<Task> => reaches(tasks, taskId, state)

/** Starts, and submits a swap that comes into a state. */
async function begun(state: TaskState = 'processing'): Promise<string> {
  await tasks.start()
  const id = submit()
  await until(id, state)
  return id
}

/** Starts, and submits a swap whose create the service has and doesn't answer until `answer` is called. */
async function submitUnanswered(objectID: string): Promise<{ id: string; answer: () => void }> {
  let answer = (): void => undefined
  service.replies.set(routes.create, (_request, response) => {
    answer = () => {
      sendJson(response, { objectID })
    }
  })
  await tasks.start()
  const id = submit()
  await until(id, 'submitting')
  await vi.waitFor(() => expect(service.count(routes.create)).toBe(1))
  return { id, answer }
}

function finish(): void {
  const result = { videoUrl: `${service.baseUrl}/out.mp4`, coverUrl: `${service.baseUrl}/gone.jpg` }
  const done = { status: 'completed', Video: { ...result, width: 1280, height: 720 } }
  service.replies.set(routes.list, json({ list: [{ objectId: 'object-1', ...done }] }))
  service.replies.set('GET /out.mp4', file(mp4))
}

it('does nothing when it is started after a quit', async () => {
  submit()
  await tasks.dispose()
  db.close()
  await expect(tasks.start()).resolves.toBeUndefined()
  db = tempLibrary(inDir())
})

describe('a batch', () => {
  const drafts = (count: number) => Array.from({ length: count }, (_, at) => makeDraft({ title: `Clip ${String(at)}` }))

  it('is stored at once, in order', async () => {
    const seen: number[] = []
    await tasks.start()
    tasks.onDelta(({ changed }) => seen.push(changed.length))
    const { taskIds } = tasks.submitAll(drafts(200))
    expect(seen[0]).toBe(200)
    const stored = taskIds.map((id) => tasks.get(id))
    expect(stored.map(({ title }) => title)).toEqual(drafts(200).map(({ title }) => title))
    expect(new Set(stored.map(({ batch }) => batch?.id)).size).toBe(1)
    expect(stored[199]?.batch).toMatchObject({ number: 200, count: 200 })
  })

  it('with one wrong swap is not stored at all', () => {
    const wrong = [...drafts(3), makeDraft({ videoId: 'gone' })]
    expect(() => tasks.submitAll(wrong)).toThrow(expect.objectContaining({ code: 'not-found' }))
    expect(tasks.held()).toEqual([])
  })

  it('stores a swap for this computer while its service still starts, and none for a service that is gone', async () => {
    await tasks.dispose()
    const client = (profileId: string) => {
      throw new MienError(profileId === embeddedProfileId ? 'service-unreachable' : 'not-found')
    }
    open(TaskStore, { services: servicesOf(client) })
    expect(tasks.get(submit('Clip', embeddedProfileId)).state).toBe('queued')
    expect(() => submit('Clip', 'gone')).toThrow(expect.objectContaining({ code: 'not-found' }))
  })
})

const withdraw = (): string[] => {
  new MediaStore(db).consents.withdraw('hash', 5)
  return tasks.stopWithdrawn()
}

describe('an unanswered create', () => {
  let isRefused = false

  /** Submits a swap whose create gets no answer, at a service that can be asked again. */
  const submitLost = async (): Promise<string> => {
    const can = { assets: true, cancel: true, delete: true, idempotency: true }
    service.replies.set(routes.capabilities, json(can))
    service.replies.set(routes.delete, json({}))
    service.replies.set(routes.create, breakOff)
    isRefused = false
    db.close()
    open(TaskStore, {
      uploads: {
        has: () => true,
        upload: (_task, { mediaId }) => Promise.resolve(`https://bucket.example/${mediaId}`),
        address: () => (isRefused ? Promise.reject(new MienError('upload-refused')) : Promise.resolve(null)),
        ended: () => Promise.resolve(),
        sweep: () => Promise.resolve(),
      },
    })
    await tasks.start()
    const id = submit()
    await vi.waitFor(() => expect([service.count(routes.create) > 0, tasks.get(id).state]).toEqual([true, 'queued']))
    return id
  }

  it.each<[string, (id: string) => unknown]>([
    ['was cancelled', (id) => tasks.cancel([id])],
    ['was removed', (id) => tasks.remove([id])],
    ['may no longer use its face', withdraw],
    ['can no longer be sent', () => (isRefused = true)],
  ])('is asked about again when its swap %s, and its job is ended', async (_how, end) => {
    const id = await submitLost()
    end(id)
    service.replies.set(routes.create, json({ objectID: 'object-7' }))
    await vi.waitFor(() =>
      expect(service.seen.find(({ path }) => path.endsWith('/delete'))?.body).toContain('object-7'),
    )
    expect(new Set(service.creates.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(new TaskStore(db, () => undefined).entry(id)).toBeNull()
    expect(tasks.held()).toEqual([])
  })

  it('is asked about less and less often while the key of its service is refused', async () => {
    const id = await submitLost()
    service.replies.set(routes.create, json({ message: 'no such key' }, 401))
    tasks.cancel([id])
    const entry = () => new TaskStore(db, () => undefined).entry(id)
    const before = entry()?.attempts ?? Infinity
    await vi.waitFor(() => expect(entry()?.attempts).toBeGreaterThan(before + 1))
    expect(entry()?.notBefore).toBeGreaterThan(0)
    expect(refused).toHaveBeenCalledWith('remote', 'key-refused')
  })
})

describe('a withdrawn consent', () => {
  const error = { code: 'consent-withdrawn', details: { name: face.name } }

  it('ends what has not started, here and at the service; neither Retry nor a new swap brings the face back', async () => {
    service.replies.set(routes.list, json({ list: [{ objectId: 'object-1', status: 'queued' }] }))
    const sent = await begun('waiting')
    expect(tasks.get(sent).consents).toMatchObject([{ face: 'hash', at: 1, release: null }])
    tasks.pauses.pause([submit('Paused')])
    expect(withdraw()).toHaveLength(2)
    expect(tasks.held()).toEqual([])
    expect(tasks.get(sent)).toMatchObject({ state: 'failed', error })
    await vi.waitFor(() => expect(service.count(routes.cancel)).toBe(1))
    tasks.retry(sent)
    expect(await until(sent, 'failed')).toMatchObject({ error })
    expect(service.count(routes.create)).toBe(1)
    expect(() => submit()).toThrow('consent-withdrawn')
  })

  it('ends a swap whose create was on its way, and its job', async () => {
    const { id, answer } = await submitUnanswered('object-7')
    expect(withdraw()).toEqual([])
    answer()
    await until(id, 'failed')
    await vi.waitFor(() => expect(service.count(routes.cancel)).toBe(1))
  })

  it('leaves what is in progress', async () => {
    const id = await begun()
    expect(withdraw()).toEqual([])
    expect(tasks.get(id).state).toBe('processing')
  })

  it('ends a swap that was unclear once its job is known, and the job', async () => {
    service.replies.set(routes.create, breakOff)
    const id = await begun('unconfirmed')
    expect(withdraw()).toEqual([])
    tasks.decide(id, 'give-id', ' object-1 ')
    expect(tasks.get(id)).toMatchObject({ state: 'failed', error, objectId: 'object-1' })
    await vi.waitFor(() => expect(service.count(routes.cancel)).toBe(1))
  })

  it('after a restart ends what had not started', async () => {
    const id = submit()
    const sent = makeTask({ id: 'sent', state: 'waiting', objectId: 'object-1', position: 1 })
    new TaskStore(db, () => undefined).put(sent)
    await tasks.dispose()
    db.close()
    open()
    new MediaStore(db).consents.withdraw('hash', 5)
    await tasks.start()
    for (const each of [id, 'sent']) expect(await until(each, 'failed')).toMatchObject({ error })
    await vi.waitFor(() => expect(service.count(routes.cancel)).toBe(1))
    expect(service.count(routes.create)).toBe(0)
  })
})

describe('the life of a swap', () => {
  it('waits for the disk where a power cut would cost something, and for nothing that is told again', async () => {
    const written = new Map<TaskState, unknown>()
    db.close()
    open(
      class extends TaskStore {
        override put(task: Task): void {
          written.set(task.state, db.prepare('PRAGMA synchronous').get()?.['synchronous'])
          super.put(task)
        }
      },
    )
    const taskId = await begun()
    finish()
    await until(taskId, 'kept')
    const [normal, full] = [1, 2]
    expect(Object.fromEntries(written)).toEqual({
      ...{ queued: full, submitting: full, waiting: full, kept: full },
      ...{ uploading: normal, processing: normal, succeeded: normal },
    })
  })

  it('is renamed with its file, which stays the one that is shown', async () => {
    const id = await begun()
    finish()
    const { result } = await until(id, 'kept')
    await tasks.rename(id, 'Launch day')
    expect(readdirSync(inDir('results'))).toEqual(['Clip.mp4'])
    await tasks.rename(id, 'Launch day', true)
    expect(readdirSync(inDir('results'))).toEqual(['Launch day.mp4'])
    expect(tasks.get(id)).toMatchObject({ title: 'Launch day', result: { fileName: 'Launch day.mp4' } })
    expect(tasks.get(id).result?.mediaId).toBe(result?.mediaId)
    expect(new MediaStore(db).path(result?.mediaId ?? '')).toBe(inDir('results', 'Launch day.mp4'))
    rmSync(inDir('results', 'Launch day.mp4'))
    await expect(tasks.rename(id, 'Gone', true)).rejects.toMatchObject({ code: 'file-missing' })
    expect(tasks.get(id).title).toBe('Gone')
  })

  it('uploads, sends once, watches and keeps, and what the service loses beside does not matter', async () => {
    const id = await begun()
    finish()
    const task = await until(id, 'kept')
    expect(readFileSync(inDir('results', 'Clip.mp4'))).toEqual(mp4)
    expect(task).toMatchObject({ objectId: 'object-1', coverId: null, pause: null, error: null })
    const events = ['added', 'uploaded', 'sent', 'started', 'succeeded', 'kept']
    expect(task.events.map((event) => event.what)).toEqual(events)
    expect(service.count(routes.create)).toBe(1)
    const [sent] = service.creates
    expect(sent?.body).toMatchObject({
      title: 'Clip',
      duration: 6000,
      imageUrl: `${service.baseUrl}/v1/assets/mona-lisa.jpg`,
      videoUrl: `${service.baseUrl}/v1/assets/clip.mp4`,
    })
    expect(sent?.headers['x-service-apikey']).toBe(serviceKey)
  })

  it('says which of its two files is gone', async () => {
    rmSync(inDir('clip.mp4'))
    expect(tasks.get(await begun('failed')).error).toMatchObject({
      code: 'file-missing',
      details: { name: 'clip.mp4' },
    })
  })

  it('asks the user after an unclear create, and sends nothing more by itself', async () => {
    service.replies.set(routes.create, breakOff)
    const id = await begun('unconfirmed')
    expect(tasks.get(id).error).not.toBeNull()
    tasks.wake()
    await sendOther()
    expect(createsOf('Clip')).toBe(1)
    expect(tasks.get(id).state).toBe('unconfirmed')
    service.replies.set(routes.create, json({ objectID: 'object-1' }))
    tasks.decide(id, 'send-again')
    await until(id, 'processing')
    expect(createsOf('Clip')).toBe(2)
  })

  it('asks again by itself, with the same key, only where the service honours one', async () => {
    service.replies.set(routes.capabilities, json({ assets: true, idempotency: true }))
    service.replies.set(routes.create, breakOff)
    await tasks.start()
    const id = submit()
    await vi.waitFor(() => expect(service.count(routes.create)).toBeGreaterThan(1))
    service.replies.set(routes.create, json({ objectID: 'object-1' }))
    await until(id, 'processing')
    const keys = service.creates.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toBeTruthy()
  })

  it('after a crash in the middle of a create it is unconfirmed, not sent again', async () => {
    const store = new TaskStore(db, () => undefined)
    const sent = { imageUrl: 'http://x/a', videoUrl: 'http://x/b', pictureUrls: [], attempts: 1 }
    store.putWithOutbox(makeTask({ state: 'submitting' }), { ...newEntry('task-1', 1), ...sent, sentAt: 5 })
    store.putWithOutbox(makeTask({ id: 'task-2', state: 'uploading' }), { ...newEntry('task-2', 1), ...sent })
    open()
    await tasks.start()
    await until('task-1', 'unconfirmed')
    await until('task-2', 'processing')
    expect(service.count(routes.create)).toBe(1)
  })

  it('holds everything of a profile whose key was refused, and goes on with a new one', async () => {
    service.replies.set(routes.create, json({ message: 'no such key' }, 401))
    await tasks.start()
    const id = submit()
    await vi.waitFor(() => expect(tasks.get(id)).toMatchObject({ state: 'queued', pause: 'key' }))
    expect(refused).toHaveBeenCalledWith('remote', 'key-refused')
    tasks.wake()
    await sendOther()
    expect(createsOf('Clip')).toBe(1)
    service.replies.set(routes.create, json({ objectID: 'object-1' }))
    tasks.pauses.keyChanged('remote')
    await until(id, 'processing')
  })

  it('holds all swaps of a service whose key is refused, and of no other, until there is a new key', async () => {
    const [clip, other] = [submit(), submit('Other', 'other')]
    await tasks.pauses.pauseAll('remote', 'key-refused')
    expect(tasks.get(clip)).toMatchObject({ state: 'queued', pause: 'key', error: { code: 'key-refused' } })
    expect(tasks.get(other).pause).toBeNull()
    tasks.pauses.keyChanged('remote')
    expect(tasks.get(clip)).toMatchObject({ state: 'queued', pause: null })
  })

  it('waits for a service that is not there, and says why', async () => {
    await service.stop()
    await tasks.start()
    const id = submit()
    await vi.waitFor(() => expect(tasks.get(id)).toMatchObject({ state: 'queued', pause: 'no-network' }))
  })

  it('says what is missing when a service takes addresses only', async () => {
    service.replies.set(routes.capabilities, json({ message: 'not here' }, 404))
    expect(tasks.get(await begun('failed')).error).toMatchObject({ code: 'needs-upload-target' })
    expect(service.count(routes.create)).toBe(0)
  })

  it('takes the late answer when a cancelled swap is wanted again, and blocks nothing behind it', async () => {
    const { id, answer } = await submitUnanswered('object-1')
    tasks.cancel([id])
    tasks.retry(id)
    const next = submit('Next')
    service.replies.set(routes.create, json({ objectID: 'object-2' }))
    answer()
    expect((await until(id, 'processing')).objectId).toBe('object-1')
    await vi.waitFor(() => expect(tasks.get(next).objectId).toBe('object-2'))
    expect(service.count(routes.create)).toBe(2)
    expect(service.count(routes.cancel)).toBe(0)
  })

  it('removes and restores; what is removed while it works is cancelled', async () => {
    const id = await begun()
    tasks.remove([id])
    expect([tasks.held(), tasks.named(id)]).toEqual([[], []])
    tasks.restore([id])
    expect(tasks.get(id).state).toBe('cancelled')
  })

  it('refuses a face that the user did not confirm', () => {
    new MediaStore(db).confirmFace(face.id, false, 1)
    expect(() => submit()).toThrow(/forbidden/)
    expect(new TaskStore(db, () => undefined).all()).toEqual([])
  })
})
