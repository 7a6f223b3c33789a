/** @file Checks of ranges. Without zod, for the studio's first bundle. */
import type { Range, VideoPart } from './people.ts'

/**
 * Why a range can't be used: a part ends before it begins (or is empty), parts overlap or aren't in order, or a part
 * begins after the end of the video. Null: it can be used. A part may end after the end of the video.
 * @param durationMs null: unknown
 */
export function rangeProblem({ parts }: Range, durationMs: number | null): 'order' | 'overlap' | 'outside' | null {
  if (parts.some(({ fromMs, toMs }) => fromMs >= toMs)) return 'order'
  if (parts.some(({ fromMs }, index) => fromMs < (parts[index - 1]?.toMs ?? 0))) return 'overlap'
  return durationMs !== null && parts.some(({ fromMs }) => fromMs >= durationMs) ? 'outside' : null
}

/** How long all the clips together are seen in what is swapped, in ms. */
export const seenMs = (range: Range | null, clips: readonly VideoPart[]): number =>
  (range?.parts ?? [{ fromMs: 0, toMs: Infinity }])
    .flatMap((part) => clips.map((clip) => Math.min(part.toMs, clip.toMs) - Math.max(part.fromMs, clip.fromMs)))
    .reduce((sum, ms) => sum + Math.max(0, ms), 0)

/** Duration of what is swapped of a video, in ms. */
export const rangedMs = (range: Range | null, durationMs: number): number =>
  range === null
    ? durationMs
    : range.parts.reduce((sum, { fromMs, toMs }) => sum + Math.max(0, Math.min(toMs, durationMs) - fromMs), 0)
