/** @file What `mien fetch` copies, and takes from a service. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { Task, TaskResult } from '@shared/tasks/task.ts'
import type { AppContext } from '../../../../../src/main/app/app-context.ts'
import { fetchResult } from '../../../../../src/main/cli/library/swaps.ts'
import { file, json, routes } from '../../../../fixtures/fake-service.ts'
import { makeClient } from '../../../../fixtures/task-service.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempDir, tempPaths } from '../../../../fixtures/temp-dir.ts'
import { tempService } from '../../../../fixtures/temp-service.ts'

vi.mock('electron', () => ({ app: {} }))

it('a result that is not a video is not kept', async () => {
  const service = await tempService()
  const Video = { videoUrl: `${service.baseUrl}/out.mp4` }
  service.replies.set(routes.list, json({ list: [{ objectId: 'o', status: 'completed', Video }] }))
  service.replies.set('GET /out.mp4', file('<html>sign in</html>'))
  const out = join(tempDir(), 'copy.mp4')
  // Nothing else of the app is used.
  const context = {
    tasks: { named: () => [makeTask({ objectId: 'o', result: null, profileId: 'remote' })] },
    profiles: { client: () => makeClient(service.baseUrl) },
  } as unknown as AppContext
  const command = { command: 'fetch', id: 'task-1', out, json: false, dataDir: null } as const
  await expect(fetchResult(context, command)).rejects.toMatchObject({ code: 'result-unreadable' })
  expect(existsSync(out)).toBe(false)
})

it.each([
  ['processing', 'Processing'],
  ['failed', 'Failed'],
])('a swap that is %s at the service has no result', async (status, state) => {
  const service = await tempService()
  service.replies.set(routes.list, json({ list: [{ objectId: 'o', status }] }))
  const task = makeTask({ objectId: 'o', state: 'waiting', title: 'A', result: null, profileId: 'remote' })
  // Nothing else of the app is used.
  const context = {
    tasks: { named: () => [task] },
    profiles: { client: () => makeClient(service.baseUrl) },
  } as unknown as AppContext
  const command = { command: 'fetch', id: 'task-1', out: join(tempDir(), 'c.mp4'), json: false, dataDir: null } as const
  const reason = `“A” has no result. Its state: ${state}`
  await expect(fetchResult(context, command)).rejects.toMatchObject({ code: 'usage', details: { reason } })
})

describe('a swap on this computer', () => {
  const inDir = tempPaths()
  const fetched = (task: Partial<Task>): Promise<number> => {
    const context = { media: { path: () => inDir('one.mp4') }, tasks: { named: () => [makeTask(task)] } }
    const command = { command: 'fetch', id: 'task-1', out: inDir('copy.mp4'), json: false, dataDir: null } as const
    // Nothing else of the app is used.
    return fetchResult(context as unknown as AppContext, command)
  }
  const finished: Partial<Task> = { state: 'kept', result: { mediaId: 'kept' } as TaskResult, objectId: null }

  it('is copied, and replaces what is there', async () => {
    writeFileSync(inDir('one.mp4'), 'video')
    writeFileSync(inDir('copy.mp4'), 'older')
    expect(await fetched(finished)).toBe(0)
    expect(readFileSync(inDir('copy.mp4'), 'utf8')).toBe('video')
    expect(readdirSync(inDir())).toEqual(['copy.mp4', 'one.mp4'])
  })

  it.each<[Task['state'], string]>([
    ['queued', '“A=B” has no result. Its state: Queued'],
    ['failed', '“A=B” has no result. Its state: Failed'],
  ])('that is %s says so', async (state, reason) => {
    const error = { code: 'usage', details: { reason } }
    await expect(fetched({ state, title: 'A=B', result: null, objectId: null })).rejects.toMatchObject(error)
  })

  it('whose file is gone is named by its file', async () => {
    await expect(fetched(finished)).rejects.toMatchObject({ code: 'file-missing', details: { name: 'one.mp4' } })
  })

  it('whose file can’t be read says so', async () => {
    writeFileSync(inDir('one.mp4'), '')
    await expect(fetched(finished)).rejects.toMatchObject({ code: 'file-empty', details: { name: 'one.mp4' } })
  })

  it('says why a copy can’t be written', async () => {
    writeFileSync(inDir('one.mp4'), 'video')
    // Stands for a disk that fails: a file can't be copied over a folder.
    mkdirSync(inDir('copy.mp4.part'))
    await expect(fetched(finished)).rejects.toMatchObject({ code: 'save-failed', details: { reason: 'EISDIR' } })
  })
})
