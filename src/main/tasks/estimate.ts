/** @file What a swap is likely to take, learned from finished ones. Pure. */
import type { Timing } from './task-store.ts'

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

/** Milliseconds a swap of `video` will take; null when nothing was learned yet. */
export function estimateMs(timings: readonly Timing[], video: { videoMs: number; pixels: number }): number | null {
  const rates = timings.filter((timing) => timing.videoMs > 0).map((timing) => timing.tookMs / workMs(timing))
  const rate = median(rates)
  return rate === null ? null : Math.round(rate * workMs(video))
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

/**
 * Share done by the clock alone, for a service that tells no progress. Reaches 0.95 at the estimate's
 * end and stays below 1 however long it takes, so that it never says "done" by itself.
 */
export function estimatedShare(elapsedMs: number, estimateOfAllMs: number): number {
  if (estimateOfAllMs <= 0) return 0
  const share = (0.95 * elapsedMs) / estimateOfAllMs
  return share <= 0.95 ? Math.max(0, share) : 1 - 0.05 * Math.exp(-(share - 0.95) / 0.05)
}
