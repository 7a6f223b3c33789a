/** @file The commands for models, each a process of its own. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { sample, shortClip } from '../fixtures/clip.ts'
import { jsonLines, type Ran } from '../fixtures/command.ts'
import { recogniser, swapper } from '../fixtures/swap-models.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { runWarm } from './warm.ts'

const dir = sharedDir()

const mien = (...args: string[]): Promise<Ran> => runWarm([...args, '--data-dir', join(dir, 'data')], { cwd: dir })

beforeAll(() => {
  writeFileSync(join(dir, 'inswapper_128.onnx'), swapper('inswapper', { paint: 'grey' }))
  writeFileSync(join(dir, 'uniface_256.onnx'), swapper('uniface', { paint: 'grey' }))
  writeFileSync(join(dir, 'w600k_r50.onnx'), recogniser())
  writeFileSync(join(dir, 'page.onnx'), '<!doctype html>')
})

it('adds, lists and removes models, and says what is missing', async () => {
  const added = await mien('model', 'add', 'inswapper_128.onnx', 'uniface_256.onnx')
  expect(added.code, added.stderr).toBe(0)
  expect(added.stdout).toContain('inswapper_128  inswapper 128 px')
  expect(added.stdout).toContain('not for commercial use')
  expect(added.stderr).toContain('inswapper_128 also needs a recogniser, for example arcface_w600k_r50.onnx.')
  expect(added.stderr).toContain('Mien doesn’t know the licence of uniface_256.')

  const [recognised] = jsonLines(await mien('model', 'add', 'w600k_r50.onnx', '--json'))
  expect(recognised).toMatchObject({ name: 'w600k_r50', role: 'recogniser', state: 'ready', missing: [] })

  const listed = await mien('model', 'list', '--json')
  expect(listed).toMatchObject({ code: 0, stderr: '' })
  expect(jsonLines(listed)).toMatchObject([
    { name: 'inswapper_128', family: 'inswapper', size: 128, missing: [], licence: { id: 'non-commercial' } },
    { name: 'uniface_256', family: 'uniface' },
    { name: 'w600k_r50', family: null },
  ])

  expect(jsonLines(await mien('model', 'remove', 'INSWAPPER_128', '--json'))).toEqual([
    { name: 'inswapper_128', removed: true },
  ])
  expect(jsonLines(await mien('model', 'list', '--json'))).toHaveLength(2)
  expect(await mien('model', 'remove', 'inswapper_128')).toMatchObject({ code: 2 })
})

it('checks a model, swaps with it, and says which model and licence a result has', async () => {
  writeFileSync(join(dir, 'blendswap_256.onnx'), swapper('blendswap', { paint: 'grey' }))
  writeFileSync(join(dir, 'hyperswap_1a_256.onnx'), swapper('hyperswap', { paint: 'identity' }))
  expect((await mien('model', 'add', 'blendswap_256.onnx', 'hyperswap_1a_256.onnx')).code).toBe(0)
  // A test machine has a software adapter, or none.
  const noChip = expect.stringMatching(/^(absent|software)$/) as string
  const number = expect.any(Number) as number
  expect(jsonLines(await mien('model', 'check', 'hyperswap_1a_256', '--json'))).toMatchObject([
    {
      name: 'hyperswap_1a_256',
      check: {
        wasm: { problem: null, loadMs: number, runMs: number },
        webnn: { problem: process.platform === 'linux' ? null : 'absent' },
        webgpu: { problem: noChip },
        memoryBytes: number,
      },
    },
  ])
  // A picture that is grey everywhere can't be right.
  expect(await mien('model', 'check', 'blendswap_256')).toMatchObject({ code: 5 })

  const short = await shortClip(join(dir, 'short.mp4'), 5)
  const run = (method: string, out: string): Promise<Ran> =>
    mien('swap', '--face', sample.face, '--video', short, '--out', out, '--method', method, '--json')
  const listed = await mien('model', 'list')
  expect(listed.stdout).toMatch(/hyperswap_1a_256 .* About (\d+ ms|[\d.]+ s) for each frame on the processor/)
  // Each frame by a run as long as the check measured.
  const done = await run('hyperswap_1a_256', 'out.mp4')
  expect(done.stderr).toMatch(/^About \d+ (s|min) on the processor$/m)
  expect(jsonLines(done)).toMatchObject([
    { status: 'completed', model: { name: 'hyperswap_1a_256', licence: { id: expect.any(String) as string } } },
  ])
  expect(existsSync(join(dir, 'out.mp4'))).toBe(true)

  await mien('model', 'remove', 'w600k_r50')
  const refused = await run('hyperswap_1a_256', 'none.mp4')
  expect(refused.code).toBe(3)
  expect(refused.stderr).toContain('It also needs a recogniser')
  expect(await run('nobody', 'none.mp4')).toMatchObject({ code: 2 })
  expect(existsSync(join(dir, 'none.mp4'))).toBe(false)
})
