import { describe, expect, it } from 'vitest'
import { embeddedProfileId } from '@shared/tasks/task.ts'
import { estimatedShare } from '@shared/tasks/estimated.ts'
import type { Measurement } from '@shared/engine/benchmark.ts'
import { speedsOf } from '../../../../src/main/engine/benchmark/video-work.ts'
import {
  DurationEstimator,
  estimateMs,
  measuredFps,
  modelEstimate,
  timingOf,
} from '../../../../src/main/swaps/estimate.ts'
import { timingOf as finishedTiming } from '../../../../src/main/swaps/results/result-facts.ts'
import { Timings } from '../../../../src/main/swaps/store/tables.ts'
import { clip, swap } from '../../../fixtures/fake-tasks.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../fixtures/temp-library.ts'

const hd = { videoMs: 6000, pixels: 1280 * 720 }
const timing = (tookMs: number, video = hd) => ({ ...video, tookMs, frames: (video.videoMs / 1000) * 25 })

describe('an estimate', () => {
  it('knows nothing before the first swap', () => {
    expect(estimateMs([], hd)).toBeNull()
    expect(measuredFps([])).toBeNull()
  })

  it('is the median of what was seen, so that one slow swap does not count', () => {
    expect(estimateMs([timing(3000), timing(3100), timing(90_000)], hd)).toBe(3100)
  })

  it('grows with length and, more slowly, with size', () => {
    const seen = [timing(3000)]
    expect(estimateMs(seen, { ...hd, videoMs: 12_000 })).toBe(6000)
    expect(estimateMs(seen, { ...hd, pixels: hd.pixels / 4 })).toBe(Math.round(3000 * (0.35 + 0.65 / 4)))
  })

  it('tells the speed as frames a second of 720p', () => expect(measuredFps([timing(3000)])).toBe(50))

  it.each([
    [0, 0],
    [5000, 0.475],
    [10_000, 0.95],
  ])('after %i ms of 10 s it shows %f', (elapsed, share) => {
    expect(estimatedShare(elapsed, 10_000)).toBeCloseTo(share, 5)
  })

  it('never reaches the end by itself, and never goes back', () => {
    let last = 0
    for (let elapsed = 0; elapsed < 200_000; elapsed += 500) {
      const share = estimatedShare(elapsed, 10_000)
      expect(share).toBeGreaterThanOrEqual(last)
      expect(share).toBeLessThanOrEqual(1)
      last = share
    }
    expect(estimatedShare(20_000, 10_000)).toBeLessThan(1)
  })
})

describe('an estimate after swaps that took longer', () => {
  const [minute, hour] = [60_000, 3_600_000]
  /** In minutes. @param took when each swap ended (in hours), and how long it took (in minutes), the oldest first */
  const estimated = (took: [hours: number, minutes: number][]): number => {
    const timings = new Timings(tempLibrary(tempDir()))
    for (const [at, minutes] of took) timings.add('remote', timing(minutes * minute), at * hour)
    return (new DurationEstimator(timings, () => null).estimate(clip(), 'remote')?.ms ?? NaN) / minute
  }
  const slow = Array.from({ length: 20 }, (): [number, number] => [0, 3])

  it('is that of the first swap a day later', () => expect(estimated([...slow, [25, 1]])).toBe(1))
  it('is as before after one that was faster on that day', () => expect(estimated([...slow, [1, 1]])).toBe(3))
  it('is as long as the last three', () => expect(estimated([...slow, [1, 1], [1, 1], [1, 1]])).toBe(1))
})

describe('an estimate of a swap by a model', () => {
  const estimate = (chip: number | null, processor: number | null, seenMs: number | null = null) =>
    modelEstimate(2000, { videoMs: 4000, fps: 25 }, { runMs: { chip, processor }, seenMs })

  it('adds a run for each frame, on what it runs on', () => {
    expect(estimate(null, 500)).toEqual({ ms: 52_000, model: { chip: null, processor: 52_000 } })
    expect(estimate(20, 500)).toEqual({ ms: 4000, model: { chip: 4000, processor: 52_000 } })
  })

  it('counts the frames on which the replaced faces are seen, each face by itself', () => {
    expect(estimate(null, 500, 1000)?.ms).toBe(14_500)
    expect(estimate(null, 500, 8000)?.ms).toBe(102_000)
  })

  it('is none where it can’t run', () => expect(estimate(null, null)).toBeNull())
})

it('learns nothing about the built-in method from a swap by a model', () => {
  const kept = { ...swap('1', 0), profileId: embeddedProfileId }
  expect(finishedTiming(kept)?.videoMs).toBe(kept.video.durationMs)
  const { result } = kept
  const model = { name: 'mine', licence: { id: 'unknown' as const, text: null } }
  expect(finishedTiming({ ...kept, result: result && { ...result, model } })).toBeNull()
})

describe('what was measured', () => {
  const measured: Measurement = {
    ...{ key: '', at: 1, cores: 2, encoder: 'software', fps: 50 },
    ...{ hardware: { fps: null, problem: 'absent' }, software: { fps: 100, problem: null } },
  }

  it('is expected of swaps like a swap that was made', () => {
    expect(measuredFps([timingOf(measured)])).toBe(50)
    expect(estimateMs([timingOf(measured)], hd)).toBe(3000)
  })

  it('is said of other sizes by the work in them', () => {
    const [small, usual, large] = speedsOf(50).map(({ fps }) => Math.round(fps * 10) / 10)
    expect([small, usual, large]).toEqual([97.6, 50, 27.6])
  })
})
