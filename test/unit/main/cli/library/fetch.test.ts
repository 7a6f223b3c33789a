/** @file What `mien fetch` takes from a service. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { AppContext } from '../../../../../src/main/app/app-context.ts'
import { fetchResult } from '../../../../../src/main/cli/library/swaps.ts'
import { file, json, routes } from '../../../../fixtures/fake-service.ts'
import { makeClient } from '../../../../fixtures/task-service.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'
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
