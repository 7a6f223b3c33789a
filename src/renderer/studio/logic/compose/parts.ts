/** @file Rules for the parts of the composer's video: ascending, within the video, and apart or touching. Pure. */
import type { VideoPart } from '@shared/people/people.ts'

export type End = 'from' | 'to'
/** What is moved: an end of a part, or the part. */
export type Handle = End | 'whole'

type Parts = readonly VideoPart[]

/** Index of the part with a time in it; -1: none. */
export const partAt = (parts: Parts, ms: number): number =>
  parts.findIndex(({ fromMs, toMs }) => fromMs <= ms && ms < toMs)

/** What is in no part, ascending. */
export function gapsOf(parts: Parts, durationMs: number): VideoPart[] {
  const ends = [...parts.map(({ fromMs }) => fromMs), durationMs]
  return ends
    .map((toMs, index) => ({ fromMs: parts[index - 1]?.toMs ?? 0, toMs }))
    .filter(({ fromMs, toMs }) => fromMs < toMs)
}

/** How far a part can reach without overlapping the parts beside it. */
export const roomOf = (parts: Parts, index: number, durationMs: number): VideoPart => ({
  fromMs: parts[index - 1]?.toMs ?? 0,
  toMs: parts[index + 1]?.fromMs ?? durationMs,
})

/**
 * What a new start or end at a time applies to: the part there, or the chosen part if it can reach that far;
 * otherwise a new part, from or to the next part or the end of the video. Null: there is no room.
 * @param ms start of a frame
 */
export function partToMark(
  parts: Parts,
  chosen: number,
  end: End,
  ms: number,
  durationMs: number,
): number | VideoPart | null {
  const there = partAt(parts, ms)
  if (there >= 0) return there
  const room = roomOf(parts, chosen, durationMs)
  const own = parts[chosen]
  if (own && (end === 'from' ? room.fromMs <= ms && ms < own.fromMs : own.toMs <= ms && ms < room.toMs)) return chosen
  return gapsOf(parts, durationMs).find(({ fromMs, toMs }) => fromMs <= ms && ms < toMs) ?? null
}
