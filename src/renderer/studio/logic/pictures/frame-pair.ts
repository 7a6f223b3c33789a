/** @file Selects the frames of two videos that show the same moment. Times in seconds. */

/** The decoded frames of one video that are not dropped yet. */
export interface DecodedFrames {
  /** Timestamps, ascending. The first frame may be on screen. */
  readonly times: readonly number[]
  /** True when no frame follows these. */
  readonly ended: boolean
}

/** Tolerance, because containers round times differently. Half a frame at 240 frames a second. */
export const sameTime = 0.002
/** If video lags behind the sound by more than this, dropping frames isn't enough to catch up. */
const maxLag = 0.3

/** Indexes into the frames of both videos. `before` is null if there is no second video. */
export interface FramePair {
  readonly after: number
  readonly before: number | null
}

/**
 * The newest pair to show at a time: the last frame of `after` that has started and whose partner is decoded.
 * Null if neither picture may change yet.
 */
export function choosePair(after: DecodedFrames, before: DecodedFrames | null, time: number): FramePair | null {
  for (let index = lastBegun(after.times, time); index >= 0; index -= 1) {
    if (before === null) return { after: index, before: null }
    const partner = partnerAt(before, after.times[index] ?? 0)
    if (partner !== null) return { after: index, before: partner }
  }
  return null
}

/** Whether decoding lags so far behind that the sound has to wait. */
export const isLate = ({ times, ended }: DecodedFrames, time: number): boolean =>
  !ended && (times.at(-1) ?? -Infinity) < time - maxLag

/** Index of the frame on screen at a time; before the first frame starts, the first; -1 without frames. */
function lastBegun(times: readonly number[], time: number): number {
  const next = times.findIndex((each) => each > time + sameTime)
  return next === -1 ? times.length - 1 : Math.max(0, next - 1)
}

/** Like `lastBegun`, but null while a later frame that has also started may still be decoded. */
function partnerAt({ times, ended }: DecodedFrames, time: number): number | null {
  const index = lastBegun(times, time)
  const found = times[index]
  if (found === undefined) return null
  const isCertain = ended || index < times.length - 1 || found >= time - sameTime
  return isCertain ? index : null
}
