/** @file What a swap is likely to take, learned from finished ones. Pure. */
import type { Measurement, Speed } from '@shared/machine.ts'
import type { Timing } from './store/task-store.ts'

const referencePixels = 1280 * 720

/**
 * Work in a video, in milliseconds of 720p. About a third of a frame's cost does not depend on its
 * size (landmarks), the rest grows with its pixels; measured with `npm run bench -- engine`.
 */
export function workMs(video: { videoMs: number; pixels: number }): number {
  return video.videoMs * (0.35 + (0.65 * video.pixels) / referencePixels)
}

const median = (values: readonly number[]): number | null => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}

/** The value below which a share `at` of the (sorted) values lies; between two of them by their distance. */
function percentile(sorted: readonly number[], at: number): number {
  const place = at * (sorted.length - 1)
  const low = sorted[Math.floor(place)] ?? 0
  const high = sorted[Math.ceil(place)] ?? low
  return low + (high - low) * (place - Math.floor(place))
}

const ratesOf = (timings: readonly Timing[]): number[] =>
  timings.filter((timing) => timing.videoMs > 0).map((timing) => timing.tookMs / workMs(timing))

/** Milliseconds a swap of `video` will take; null when nothing was learned yet. */
export function estimateMs(timings: readonly Timing[], video: { videoMs: number; pixels: number }): number | null {
  const rate = median(ratesOf(timings))
  return rate === null ? null : Math.round(rate * workMs(video))
}

/**
 * The same with its spread: between the 20th and the 80th percentile of what earlier swaps took, wider the fewer
 * there were, as a few say little about the rest. Milliseconds; null when nothing was learned yet.
 */
export function estimateSpread(
  timings: readonly Timing[],
  video: { videoMs: number; pixels: number },
): { ms: number; lowMs: number; highMs: number } | null {
  const rates = ratesOf(timings).sort((a, b) => a - b)
  if (rates.length === 0) return null
  const work = workMs(video)
  const doubt = 1 / rates.length
  return {
    ms: Math.round(percentile(rates, 0.5) * work),
    lowMs: Math.round(percentile(rates, 0.2) * work * (1 - 0.4 * doubt)),
    highMs: Math.round(percentile(rates, 0.8) * work * (1 + 0.8 * doubt)),
  }
}

/** Frames a second that were reached lately, at the size of 720p; null when nothing was learned yet. */
export function measuredFps(timings: readonly Timing[]): number | null {
  const rates = timings.flatMap((timing) =>
    timing.frames !== null && timing.tookMs > 0
      ? [(timing.frames * workMs(timing)) / timing.videoMs / timing.tookMs]
      : [],
  )
  const rate = median(rates)
  return rate === null ? null : Math.round(rate * 1000)
}

/** What was measured, in the form of a swap of one second that took as long as it would. */
export const timingOf = ({ fps }: Measurement): Timing => ({
  frames: 25,
  videoMs: 1000,
  pixels: referencePixels,
  tookMs: (25 * 1000) / fps,
})

/** Frames a second to be expected at usual sizes, from those at 720p. */
export const speedsOf = (fps: number): Speed[] =>
  [360, 720, 1080].map((height) => {
    const work = (lines: number): number => workMs({ videoMs: 1, pixels: (lines * lines * 16) / 9 })
    return { height, fps: (fps * work(720)) / work(height) }
  })
