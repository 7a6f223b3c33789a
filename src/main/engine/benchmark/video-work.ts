/** @file Amount of work in a video, by its length and size, and what of it is swapped. Pure. */
import type { Speed } from '@shared/engine/benchmark.ts'
import type { Range } from '@shared/people/people.ts'
import { rangedMs } from '@shared/people/range.ts'
import type { VideoMedia } from '@shared/tasks/task.ts'

/** Pixels of a frame of 720p. */
export const referencePixels = 1280 * 720

/**
 * Amount of work in a video, in milliseconds of 720p. About a third of a frame's cost (landmarks) does not depend on
 * its size; the rest grows with its pixels. Measured with `npm run bench -- engine`.
 */
export function workMs(video: { videoMs: number; pixels: number }): number {
  return video.videoMs * (0.35 + (0.65 * video.pixels) / referencePixels)
}

/** Expected frames a second at 360p, 720p and 1080p, from the rate at 720p. */
export const speedsOf = (fps: number): Speed[] =>
  [360, 720, 1080].map((height) => {
    const work = (lines: number): number => workMs({ videoMs: 1, pixels: (lines * lines * 16) / 9 })
    return { height, fps: (fps * work(720)) / work(height) }
  })

/** What is swapped of a video; null when unknown. */
export const workOf = (
  { durationMs, width, height }: VideoMedia,
  range: Range | null,
): { videoMs: number; pixels: number } | null =>
  durationMs === null || width === null || height === null
    ? null
    : { videoMs: rangedMs(range, durationMs), pixels: width * height }
