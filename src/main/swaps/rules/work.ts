/** @file How much of a video a swap works on, for estimates. Pure. */
import type { Range } from '@shared/people/people.ts'
import { rangedMs } from '@shared/people/range.ts'
import type { VideoMedia } from '@shared/tasks/task.ts'

/** What is swapped of a video; null when unknown. */
export const workOf = (
  { durationMs, width, height }: VideoMedia,
  range: Range | null,
): { videoMs: number; pixels: number } | null =>
  durationMs === null || width === null || height === null
    ? null
    : { videoMs: rangedMs(range, durationMs), pixels: width * height }
