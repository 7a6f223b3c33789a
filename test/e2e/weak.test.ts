/** @file Where a swap is weak, as the real engine says. */
import { afterAll, expect, it } from 'vitest'
import { clips } from '../fixtures/clip.ts'
import { RealEngine } from './real-engine.ts'

const engine = new RealEngine()
const video = clips.handAndTurn

afterAll(() => engine.end())

it('names a hand before the face, and a head that turns away', async () => {
  const { result } = await engine.swap({ video })
  const [covered, turned] = result?.weak ?? []
  expect(result?.weak).toMatchObject([{ kind: 'covered', face: 0 }, { kind: 'turned', face: 0 }]) // prettier-ignore
  // In the clip, the hand comes at 0.4 s and goes at 2.5 s, and the head is turned from 3.8 s to 5.2 s.
  expect(covered?.fromMs).toBeGreaterThan(300)
  expect(covered?.toMs).toBeLessThan(2720)
  expect(turned?.fromMs).toBeGreaterThan(3400)
  expect(turned?.toMs).toBeLessThan(5600)
  for (const { fromMs, toMs, frames } of result?.weak ?? []) expect(toMs - fromMs).toBe(frames * 80)
})

it('counts from the first frame of the result', async () => {
  const parts = [{ fromMs: 800, toMs: 1600 }, { fromMs: 4240, toMs: 4800 }] // prettier-ignore
  const { result } = await engine.swap({ video, range: { parts, rest: 'drop' } })
  expect(result?.weak).toMatchObject([
    { kind: 'covered', fromMs: 0, toMs: 800, frames: 10 },
    { kind: 'turned', toMs: result?.durationMs },
  ])
  // Parts of the video don't join.
  expect(result?.weak[1]?.fromMs).toBeGreaterThanOrEqual(800)
})

it('has nothing to say of a calm video', async () => {
  const range = { parts: [{ fromMs: 0, toMs: 1000 }], rest: 'drop' }
  expect((await engine.swap({ video: clips.twelveSeconds, range })).result?.weak).toEqual([])
})
