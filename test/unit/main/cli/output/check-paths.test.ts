import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { checkPaths } from '../../../../../src/main/cli/output/check-paths.ts'
import { commandLines } from '../../../../../src/main/cli/output/report-error.ts'
import { sharedDir } from '../../../../fixtures/temp-dir.ts'

vi.mock('electron', () => ({ app: {} }))

const dir = sharedDir()
beforeAll(() => {
  writeFileSync(join(dir, 'face.jpg'), 'a face')
  mkdirSync(join(dir, 'clips'))
})

it.each([
  ['nothing is wrong', 'out.mp4', ['face.jpg'], null, []],
  ['both inputs', 'out.mp4', ['a.jpg', 'b.mp4'], 'file-missing', [/a\.jpg/, /b\.mp4/]],
  ['a folder as target', 'out.mp4', ['face.jpg', 'clips'], 'file-is-folder', [/“clips” is a folder.* mien batch /]],
  ['the result and an input', 'nowhere/out.mp4', ['b.mp4'], 'usage', [/nowhere/, /b\.mp4/, /mien help swap/]],
])('%s', async (_what, out, inputs, code, lines) => {
  const paths = inputs.map((name) => join(dir, name))
  const error: unknown = await checkPaths('swap', join(dir, out), paths).catch((thrown: unknown) => thrown)
  const body = error instanceof MienError ? error.body : null
  expect(body?.code ?? null).toBe(code)
  expect(body === null ? [] : commandLines('swap', body)).toEqual(
    lines.map((line) => expect.stringMatching(line) as string),
  )
})
