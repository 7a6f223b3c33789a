/** @file Size and quality of results, by the real engine. */
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { clips, sample } from '../fixtures/clip.ts'
import { mediaFacts } from '../fixtures/media-facts.ts'
import { RealEngine } from './real-engine.ts'

const engine = new RealEngine()
afterAll(() => engine.end())

it('a result is never larger than its source', async () => {
  const second = { video: clips.twelveSeconds, range: { rest: 'drop', parts: [{ fromMs: 0, toMs: 1000 }] } }
  const usual = await engine.swap(second)
  const larger = await engine.swap({ ...second, options: { size: 1080, encoder: 'software' } })
  expect(await mediaFacts(larger.file)).toEqual(await mediaFacts(usual.file))
  expect(larger.result).toMatchObject({ width: 480, height: 270 })
})

it('a portrait on its side gets the size as shown, and the bytes of its quality', async () => {
  const small = await engine.swap({ video: clips.portrait, options: { size: 360, quality: 'small' } })
  const best = await engine.swap({ video: clips.portrait, options: { size: 360, quality: 'best' } })
  const size = { width: 202, height: 360 }
  expect(small.result).toMatchObject({ ...size, frames: 25, swappedFrames: 25 })
  expect(await mediaFacts(best.file)).toMatchObject(size)
  const [least = 0, most = 0] = [small.result?.sizeBytes, best.result?.sizeBytes]
  expect(least).toBeGreaterThan(0)
  expect(least).toBeLessThan(most * 0.7)
})

it('a scaled swap resumes, and a part of it is swapped again in its size', { tags: ['long'] }, async () => {
  const options = { size: 360, quality: 'small' } as const
  const range = { rest: 'keep', parts: [{ fromMs: 0, toMs: 9000 }] }
  const whole = await engine.swap({ video: clips.twelveSeconds, options, range })
  const cut = await engine.swapUntilSaved({ video: clips.twelveSeconds, options, range })
  const resumed = await engine.swap({ video: clips.twelveSeconds, options, range, dir: cut.dir })
  const before = await mediaFacts(whole.file)
  expect(before).toMatchObject({ width: 360, height: 202 })
  expect(cut.result).toBeUndefined()
  expect(resumed.result?.stages['keptFrames']).toBeGreaterThan(0)
  expect(await mediaFacts(resumed.file)).toEqual(before)

  const step = { kind: 're-render', video: clips.twelveSeconds, options, range, result: whole.file } as const
  const again = await engine.swap({ ...step, part: { fromMs: 10_000, toMs: 11_000 } })
  const after = await mediaFacts(join(again.dir, 'joined.mp4'))
  expect(after).toMatchObject({ width: 360, height: 202, frameTimes: before.frameTimes })
  expect(after.frames.slice(0, 99)).toEqual(before.frames.slice(0, 99))
  expect(after.frames[100]).not.toBe(before.frames[100])
})

it('a picture is scaled too', async () => {
  const { result } = await engine.swap({ video: sample.face, options: { size: 360 } })
  expect(Math.max(result?.width ?? 0, result?.height ?? 0)).toBe(360)
})
