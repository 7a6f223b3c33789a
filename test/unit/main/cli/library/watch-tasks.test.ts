/** @file When the command line stops waiting for a result: against a real HTTP service. */
import type { DatabaseSync } from 'node:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { errorSentence } from '@shared/i18n/error-text.ts'
import type { Task } from '@shared/tasks/task.ts'
import { polled, watchTasks, type Watched } from '../../../../../src/main/cli/library/watch-tasks.ts'
import { exitCodeOfTask } from '../../../../../src/main/cli/output/exit-codes.ts'
import { MediaStore } from '../../../../../src/main/media/media-store.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import type { TaskService } from '../../../../../src/main/swaps/task-service.ts'
import { type FakeService, file, json, mp4, redirect } from '../../../../fixtures/fake-service.ts'
import { addMedia, clientOf } from '../../../../fixtures/task-service.ts'
import { makeDraft } from '../../../../fixtures/tasks.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'
import { tempService, tempTasks } from '../../../../fixtures/temp-service.ts'

let service: FakeService
let db: DatabaseSync
let tasks: TaskService
let seen: Task[]

beforeEach(async () => {
  const dir = tempDir()
  mkdirSync(join(dir, 'results'))
  service = await tempService()
  service.acceptSwaps()
  service.replies.set('GET /page', file('<title>Sign in</title>', 'text/html'))
  service.replies.set('GET /empty', file(''))
  service.replies.set('GET /round', redirect('/round'))
  service.replies.set('GET /local', redirect('file:///etc/passwd'))
  service.replies.set('GET /later', json({}, 503))
  db = tempLibrary(dir)
  addMedia(new MediaStore(db), dir)
  tasks = tempTasks({ db, dir, services: clientOf(service, { gapMs: 0 }) })
  seen = []
})

/** Submits a swap that is finished at once, and waits for it as `submit --wait` does. @returns those that it gave up */
function watchResult(videoUrl: string | undefined, watched: Watched = tasks): Promise<Task[]> {
  const done = { status: 'completed', ...(videoUrl === undefined ? {} : { Video: { videoUrl } }) }
  service.lists(() => done)
  const { taskId } = tasks.submit(makeDraft())
  return watchTasks(watched, [taskId], {
    start: () => tasks.start(),
    over: (task) => exitCodeOfTask(task) !== null,
    onChange: (task) => seen.push(task),
  })
}

it.each<[string, () => string | undefined, RegExp]>([
  ['is a page', () => `${service.baseUrl}/page`, /result can’t be read/],
  ['is empty', () => `${service.baseUrl}/empty`, /result can’t be read/],
  ['is a file of this computer', () => 'file:///etc/passwd', /link that Mien doesn’t open/],
  ['is in its own address', () => 'data:video/mp4;base64,AAAA', /link that Mien doesn’t open/],
  ['leads to a file of this computer', () => `${service.baseUrl}/local`, /link that Mien doesn’t open/],
  ['leads in a circle', () => `${service.baseUrl}/round`, /result can’t be downloaded/],
  ['has no address', () => undefined, /There’s no result/],
])('gives up a result that %s', async (_what, address, why) => {
  const [given] = await watchResult(address())
  expect(given).toMatchObject({ state: 'succeeded', error: { code: expect.any(String) as string } })
  expect(given?.error && errorSentence(given.error)).toMatch(why)
})

it('says that a service is in trouble, and waits until it is not', async () => {
  const watched = watchResult(`${service.baseUrl}/later`)
  await vi.waitFor(() => expect(service.count('GET /later')).toBeGreaterThan(3))
  service.replies.set('GET /later', file(mp4))
  expect(await watched).toEqual([])
  expect(seen).toContainEqual(expect.objectContaining({ state: 'succeeded', error: expect.objectContaining({ code: 'service-trouble' }) as object })) // prettier-ignore
  expect(seen.at(-1)?.state).toBe('kept')
})

it('follows the library of an open studio by reading it', async () => {
  service.replies.set('GET /result', file(mp4))
  const store = new TaskStore(db, () => undefined)
  const open = polled(store, () => false)
  expect(await watchResult(`${service.baseUrl}/result`, open)).toEqual([])
  expect(seen.at(-1)?.state).toBe('kept')
})

it('tells nothing more after the studio has closed', () => {
  vi.useFakeTimers()
  const store = new TaskStore(db, () => undefined)
  const { taskId } = tasks.submit(makeDraft())
  let looks = 0
  const listener = vi.fn()
  polled(store, () => (looks += 1) > 1).onDelta(listener, [taskId])
  vi.advanceTimersByTime(5000)
  expect([looks, listener.mock.calls.length]).toEqual([2, 1])
})
