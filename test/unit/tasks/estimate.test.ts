import { describe, expect, it } from 'vitest'
import { estimatedShare } from '@shared/estimated.ts'
import type { Measurement } from '@shared/benchmark.ts'
import { estimateMs, measuredFps, speedsOf, timingOf } from '../../../src/main/tasks/estimate.ts'

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

  it('tells the speed as frames a second of 720p', () => {
    expect(measuredFps([timing(3000)])).toBe(50)
  })

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
