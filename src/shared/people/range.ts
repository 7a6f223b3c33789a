/** @file Checks of ranges. Without zod, for the studio's first bundle. */
import type { Range, VideoPart } from './people.ts'

/**
 * Why a range can't be used: a part ends before it begins (or is empty), parts overlap or aren't in order, or a part
 * begins after the end of the video. Null: it can be used. A part may end after the end of the video.
 * @param durationMs null: unknown
 */
export function rangeProblem({ parts }: Range, durationMs: number | null): 'order' | 'overlap' | 'outside' | null {
  // First, because a part without an end ends with the video.
  if (durationMs !== null && parts.some(({ fromMs }) => fromMs >= durationMs)) return 'outside'
  if (parts.some(({ fromMs, toMs }) => fromMs >= toMs)) return 'order'
  return parts.some(({ fromMs }, index) => fromMs < (parts[index - 1]?.toMs ?? 0)) ? 'overlap' : null
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

/** Reads "0:08.12", "8.12", "1:02:03" or "8,12". @returns milliseconds; null if it is no time */
export function readTime(text: string): number | null {
  const found = /^(?:(?:(\d{1,3}):)?(\d{1,4}):)?(\d{1,7})(?:[.,](\d{1,3}))?$/.exec(text.trim())
  if (!found) return null
  const [, hours, minutes, seconds = '', fraction = ''] = found
  // With minutes, seconds end at 59; with hours, minutes do.
  if ((minutes !== undefined && Number(seconds) > 59) || (hours !== undefined && Number(minutes) > 59)) return null
  const whole = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds)
  return whole * 1000 + Number(fraction.padEnd(3, '0'))
}
