/** @file What a creator sees of a server's limits and of a revoked key, from the server's answer to the words. */
import type { DatabaseSync } from 'node:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { problemOf, recoveryActions, stateLine } from '../../src/renderer/studio/logic/library/task-view.ts'
import { needsUser } from '@shared/tasks/task-row.ts'
import { MediaStore } from '../../src/main/media/media-store.ts'
import type { TaskService } from '../../src/main/swaps/task-service.ts'
import { addMedia, makeTaskService } from '../fixtures/task-service.ts'
import { face, video } from '../fixtures/tasks.ts'
import { tempDir } from '../fixtures/temp-dir.ts'
import { tempLibrary } from '../fixtures/temp-library.ts'
import { clusterService, type ClusterUnderTest } from './service-under-test.ts'

let service: ClusterUnderTest
let db: DatabaseSync
let tasks: TaskService
let key: string
let refusedKeys: string[]

const newKey = async (): Promise<string> => (await service.client(null).newKey(1n)).shown

beforeEach(async () => {
  const dir = tempDir()
  service = await clusterService('sqlite')
  db = tempLibrary(dir)
  addMedia(new MediaStore(db), dir)
  key = await newKey()
  refusedKeys = []
  const client = service.client(null, { readKey: () => Promise.resolve(key) })
  tasks = makeTaskService({
    ...{ db, dir },
    services: { client: () => client, keyRefused: (id) => refusedKeys.push(id) },
    // Waits as long as the service says, else the longest.
    clock: { random: () => 1 },
  })
  await tasks.start()
})
afterEach(async () => {
  await tasks.dispose()
  await service.close()
})

const limit = async (limits: object): Promise<void> => {
  const answer = await fetch(`${service.baseUrl}/v1/openapi_account/limits`, {
    ...{ method: 'POST', body: JSON.stringify({ userId: 1, limits }) },
    headers: { 'X-Admin-Token': service.adminToken, 'content-type': 'application/json' },
  })
  expect(answer.status).toBe(200)
}
const submit = (title: string): string =>
  tasks.submit({ faceId: face.id, videoId: video.id, title, profileId: 'remote' }).taskId
const becomes = (id: string, wanted: object): Promise<void> =>
  vi.waitFor(() => expect(tasks.get(id)).toMatchObject(wanted))
const sent = { state: 'succeeded' } as const

describe('a swap that a limit stops', () => {
  it.each([
    [{ swapsPerDay: 1 }, 'Swaps in 24 hours: at most 1. Mien will try again automatically.'],
    [{ minutesPerDay: 1 }, 'Minutes of video in 24 hours: at most 1. Mien will try again automatically.'],
    [{ bytes: 8 }, '8 B of 8 B are stored. Delete swaps to free up space; then Mien will continue automatically.'],
  ])('with %j waits and says so, and goes on when there is room', async (limits, body) => {
    const first = submit('first')
    await becomes(first, sent)
    await service.db.query('UPDATE swaps SET footage = $1', [
      JSON.stringify({ width: 1, height: 1, durationMs: 120_000, frames: 1, hasCover: false }),
    ])
    await limit(limits)
    const [second, third] = [submit('second'), submit('third')]
    await becomes(second, { state: 'queued', pause: 'limit' })
    const waiting = tasks.get(second)
    expect(stateLine(waiting, 0)).toMatchObject({ word: 'Paused', detail: 'limit reached' })
    expect(problemOf(waiting, 'Studio')).toEqual({ title: 'You’ve reached your limit at Studio', body })
    expect(recoveryActions(waiting)).toEqual(['try-again'])
    expect(needsUser(waiting)).toBe(true)
    // Sent in order, so the next one hasn't asked.
    expect(tasks.get(third)).toMatchObject({ state: 'queued', pause: null, error: null })
    await limit({})
    tasks.pauses.resume([second])
    await becomes(second, sent)
    await becomes(third, sent)
    expect(tasks.get(second).error?.code).not.toBe('quota-reached')
  })
})

it('shows why a swap failed in Mien’s words, not in the server’s', async () => {
  const dir = tempDir()
  const media = new MediaStore(db)
  const path = join(dir, 'NOVIDEO.mp4')
  writeFileSync(path, 'NOVIDEO')
  media.addVideo(path, { ...video, id: 'broken' })
  const { taskId } = tasks.submit({ faceId: face.id, videoId: 'broken', title: 'x', profileId: 'remote' })
  await becomes(taskId, { state: 'failed', error: expect.objectContaining({ code: 'not-a-video' }) as never })
})
