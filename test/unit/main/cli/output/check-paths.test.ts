import { spawnSync } from 'node:child_process'
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { checkOut, checkPaths } from '../../../../../src/main/cli/output/check-paths.ts'
import { commandLines } from '../../../../../src/main/cli/output/report-error.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

vi.mock('electron', () => ({ app: {} }))

const inDir = tempPaths()
let video: string
beforeEach(() => {
  video = inDir('v.mp4.part')
  writeFileSync(video, 'a video')
  writeFileSync(inDir('face.jpg'), 'a face')
  mkdirSync(inDir('clips'))
})

it.each([
  ['nothing is wrong', 'out.mp4', ['face.jpg'], null, []],
  ['both inputs', 'out.mp4', ['a.jpg', 'b.mp4'], 'file-missing', [/a\.jpg/, /b\.mp4/]],
  ['a folder as target', 'out.mp4', ['face.jpg', 'clips'], 'file-is-folder', [/“clips” is a folder.* mien batch /]],
  ['the result and an input', 'nowhere/out.mp4', ['b.mp4'], 'usage', [/nowhere/, /b\.mp4/, /mien help swap/]],
])('%s', async (_what, out, inputs, code, lines) => {
  const paths = inputs.map((name) => inDir(name))
  const error: unknown = await checkPaths('swap', inDir(out), paths).catch((thrown: unknown) => thrown)
  const body = error instanceof MienError ? error.body : null
  expect(body?.code ?? null).toBe(code)
  expect(body === null ? [] : commandLines('swap', body)).toEqual(
    lines.map((line) => expect.stringMatching(line) as string),
  )
})

const refused = (out: string, why: RegExp): Promise<void> => {
  const error = { code: 'usage', details: { reason: expect.stringMatching(why) as string } }
  return expect(checkOut(out, [inDir('gone.jpg'), video])).rejects.toMatchObject(error)
}

describe('--out', () => {
  it.each(['new.mp4', 'older.mp4'])('may be %s', async (name) => {
    writeFileSync(inDir('older.mp4'), 'an older video')
    await expect(checkOut(inDir(name), [inDir('gone.jpg'), video])).resolves.toBeUndefined()
  })

  it.each<[string, () => string]>([
    ['the input', () => video],
    ['the input, spelled otherwise', () => inDir('sub', '..', 'v.mp4.part')],
    ['the input through a linked folder', () => inDir('linked', 'v.mp4.part')],
    ['a link to the input', () => inDir('link.mp4')],
    ['the same file by another name', () => inDir('hard.mp4')],
    ['a name whose download would write over the input', () => inDir('v.mp4')],
  ])('is refused: %s', async (_what, out) => {
    mkdirSync(inDir('sub'))
    symlinkSync(inDir(), inDir('linked'))
    symlinkSync(video, inDir('link.mp4'))
    linkSync(video, inDir('hard.mp4'))
    await refused(out(), /overwrite/)
  })

  it.runIf(process.platform === 'linux')('is refused in a folder that only says it can be written to', async () => {
    await refused('/proc/out.mp4', /can write to/)
  })

  it.each<[string, () => string, RegExp]>([
    ['a folder', () => inDir(), /is a folder/],
    ['a pipe', () => inDir('pipe'), /isn’t a regular file/],
    ['a device', () => '/dev/null', /isn’t a regular file|isn’t a folder/],
    ['in a file', () => join(video, 'out.mp4'), /isn’t a folder that Mien can write to/],
    ['in a folder that is not there', () => inDir('nowhere', 'out.mp4'), /isn’t a folder that Mien can write to/],
    ['a name that is too long', () => inDir(`${'ü'.repeat(122)}.mp4`), /longer than 246 bytes/],
  ])('is refused: %s', async (_what, out, why) => {
    spawnSync('mkfifo', [inDir('pipe')])
    await refused(out(), why)
  })
})
