import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import type { ErrorCode } from '@shared/errors.ts'
import { folderProblem } from '../../../../src/main/media/results-folder.ts'
import { Notices, ResultsNotice } from '../../../../src/main/app/notices.ts'
import { makeTask } from '../../../fixtures/tasks.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

let problem: ErrorCode | null
let notices: Notices
let results: ResultsNotice

beforeEach(() => {
  problem = null
  notices = new Notices(() => undefined)
  results = new ResultsNotice(
    notices,
    () => 'Videos / Mien',
    () => Promise.resolve(problem),
  )
})

it.each(['folder-missing', 'folder-read-only'] as const)(
  'says %s at start, and no more once it is solved',
  async (code) => {
    problem = code
    await results.check()
    expect(notices.list()).toEqual([
      { id: 'results-folder', kind: 'results-folder', folderName: 'Videos / Mien', error: { code, details: {} } },
    ])
    problem = null
    await results.check()
    expect(notices.list()).toEqual([])
  },
)

it('says it when a result cannot be saved, and no more once one was', () => {
  results.heard([makeTask({ state: 'succeeded', error: { code: 'service-unreachable', details: {} } })])
  expect(notices.list()).toEqual([])
  results.heard([makeTask({ state: 'succeeded', error: { code: 'folder-read-only', details: {} } })])
  expect(notices.list()).toMatchObject([{ kind: 'results-folder', error: { code: 'folder-read-only' } }])
  results.heard([makeTask({ state: 'kept' })])
  expect(notices.list()).toEqual([])
})

it('the usual folder may be missing, one that was chosen may not', async () => {
  const dir = tempDir()
  expect(await folderProblem(dir, true)).toBeNull()
  expect(await folderProblem(join(dir, 'gone'), false)).toBeNull()
  expect(await folderProblem(join(dir, 'gone'), true)).toBe('folder-missing')
  writeFileSync(join(dir, 'file'), '')
  expect(await folderProblem(join(dir, 'file'), false)).toBe('folder-missing')
})
