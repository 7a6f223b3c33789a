import { describe, expect, it } from 'vitest'
import type { EngineProgress } from '../../../src/shared/engine/engine.ts'
import { yawOf } from '../../../src/renderer/engine/face/landmarks.ts'
import { hardest } from '../../../src/renderer/engine/jobs/swap/first-frames.ts'
import { Preview, type Still } from '../../../src/renderer/engine/jobs/frames/stills.ts'
import { Progress } from '../../../src/renderer/engine/jobs/job-context.ts'

/** A face's outline, turned by degrees, with its mouth open by a share of its height. */
function faceOf({ width = 100, yaw = 0, mouth = 0 } = {}): { points: Float32Array } {
  const points = new Float32Array(478 * 3)
  const turn = (yaw * Math.PI) / 180
  points.set([0, -0.6 * width, 0], 10 * 3)
  points.set([0, 0.6 * width, 0], 152 * 3)
  points.set([(-width / 2) * Math.cos(turn), 0, (-width / 2) * Math.sin(turn)], 234 * 3)
  points.set([(width / 2) * Math.cos(turn), 0, (width / 2) * Math.sin(turn)], 454 * 3)
  points.set([-0.1, 0, 0], 33 * 3)
  points.set([0.1, 0, 0], 263 * 3)
  points.set([0, 0.6 * width * mouth, 0], 13 * 3)
  points.set([0, -0.6 * width * mouth, 0], 14 * 3)
  return { points }
}

describe('the moment of the first look', () => {
  const [ahead, turned, speaking] = [faceOf({}), faceOf({ yaw: 30 }), faceOf({ yaw: 8, mouth: 0.2 })]
  it.each([
    ['the most turned', [ahead, turned], turned],
    ['a wide open mouth', [ahead, speaking], speaking],
    ['none in which the swap fades', [ahead, faceOf({ yaw: 45 })], ahead],
    ['no face that is too small to be judged', [ahead, faceOf({ yaw: 30, width: 40 })], ahead],
    ['the least turned where all are turned away', [faceOf({ yaw: 60 }), faceOf({ yaw: -50 })], -50],
  ])('is %s', (_what, frames, expected) => {
    const found = hardest(frames)
    if (typeof expected === 'number') expect(yawOf(found?.points ?? new Float32Array())).toBeCloseTo(expected, 3)
    else expect(found).toBe(expected)
  })

  it('is none without a face', () => expect(hardest([])).toBeNull())
})

it('the first look is waited for: no other still is due before it', async () => {
  const preview = new Preview('media://job/none')
  expect(preview.due).toBe(true)
  const { promise, resolve } = Promise.withResolvers<Still | null>()
  preview.show(promise)
  expect(preview.due).toBe(false)
  resolve(null)
  await preview.settle()
  expect(preview.due).toBe(true)
  expect(preview.frame).toBeNull()
})

it('the first look is told as soon as it is there, however short ago something else was told', () => {
  const told: EngineProgress[] = []
  const progress = new Progress((state) => told.push(state))
  progress.update({ stage: 'swapping' })
  progress.update({ framesDone: 1 })
  expect(told).toHaveLength(1)
  progress.update({ previewFrame: 40 })
  progress.update({ previewFrame: 40, framesDone: 2 })
  expect(told.map(({ previewFrame }) => previewFrame)).toEqual([null, 40])
})
