/** @file Size and quality of results, by the real engine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { outDir } from '../../scripts/build.mjs'
import { defaultOptions, type SwapOptions } from '../../src/shared/default-options.ts'
import type { SwapResult } from '../../src/shared/engine.ts'
import { buildEngineMain, EngineProcess } from '../bench/engine-process.mjs'
import { clips, sample } from '../fixtures/clip.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { electronPath } from './app.ts'

const folder = mkdtempSync(join(tmpdir(), 'mien-output-'))
let main: string
let engine: EngineProcess
let count = 0

interface Step {
  kind?: 'swap' | 're-render'
  video: string
  dir?: string
  options?: Partial<SwapOptions>
  range?: object
  part?: { fromMs: number; toMs: number }
  result?: string
  told?: boolean
}

async function run({ options, dir = join(folder, String((count += 1))), ...step }: Step) {
  const given = { kind: 'swap', face: sample.face, dir, options: { ...defaultOptions, ...options }, ...step }
  const outcome = (await engine.run(given)) as { result?: SwapResult; error?: { code: string } } | null
  return { dir, file: join(dir, 'output.mp4'), result: outcome?.result, error: outcome?.error?.code }
}

async function start(): Promise<void> {
  engine = new EngineProcess(main, outDir)
  await engine.next()
}

beforeAll(async () => {
  process.env['MIEN_ELECTRON'] = electronPath()
  main = await buildEngineMain(join(folder, 'main'))
  await start()
}, 600_000)
afterAll(async () => {
  await engine.end()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
})

it('a result is never larger than its source', async () => {
  const usual = await run({ video: clips.twelveSeconds })
  const larger = await run({ video: clips.twelveSeconds, options: { size: 1080, encoder: 'software' } })
  expect(await mediaFacts(larger.file)).toEqual(await mediaFacts(usual.file))
  expect(larger.result).toMatchObject({ width: 480, height: 270 })
})

it('a portrait on its side gets the size as shown, and the bytes of its quality', async () => {
  const small = await run({ video: clips.portrait, options: { size: 360, quality: 'small' } })
  const best = await run({ video: clips.portrait, options: { size: 360, quality: 'best' } })
  const full = await run({ video: clips.portrait })
  const size = { width: 202, height: 360 }
  expect(small.result).toMatchObject({ ...size, frames: 25, swappedFrames: 25 })
  expect(await mediaFacts(best.file)).toMatchObject(size)
  expect(await mediaFacts(full.file)).toMatchObject({ width: 404, height: 720 })
  const [least = 0, most = 0] = [small.result?.sizeBytes, best.result?.sizeBytes]
  expect(least).toBeGreaterThan(0)
  expect(least).toBeLessThan(most * 0.7)
})

it('a scaled swap resumes, and a part of it is swapped again in its size', async () => {
  const options = { size: 360, quality: 'small' } as const
  const range = { rest: 'keep', parts: [{ fromMs: 0, toMs: 9000 }] }
  const whole = await run({ video: clips.twelveSeconds, options, range })
  engine.onProgress = ({ savedMs }) => {
    if (savedMs > 0) engine.kill()
  }
  const cut = await run({ video: clips.twelveSeconds, options, range, told: true })
  await start()
  const resumed = await run({ video: clips.twelveSeconds, options, range, dir: cut.dir })
  const before = await mediaFacts(whole.file)
  expect(before).toMatchObject({ width: 360, height: 202 })
  expect(cut.result).toBeUndefined()
  expect(resumed.result?.stages['keptFrames']).toBeGreaterThan(0)
  expect(await mediaFacts(resumed.file)).toEqual(before)

  const step = { kind: 're-render', video: clips.twelveSeconds, options, range, result: whole.file } as const
  const again = await run({ ...step, part: { fromMs: 10_000, toMs: 11_000 } })
  expect(again.error).toBeUndefined()
  const after = await mediaFacts(join(again.dir, 'joined.mp4'))
  expect(after).toMatchObject({ width: 360, height: 202, frameTimes: before.frameTimes })
  expect(after.frames.slice(0, 99)).toEqual(before.frames.slice(0, 99))
  expect(after.frames[100]).not.toBe(before.frames[100])
})

it('a picture is scaled too', async () => {
  const { result } = await run({ video: sample.face, options: { size: 360 } })
  expect(Math.max(result?.width ?? 0, result?.height ?? 0)).toBe(360)
})
