/** @file Which frames of two videos are shown together: always those of the same moment. Times in seconds. */

/** The frames of one video that are decoded and not dropped. */
export interface DecodedFrames {
  /** When each begins, ascending. The first may be the one that is shown. */
  readonly times: readonly number[]
  /** No frame comes after these. */
  readonly ended: boolean
}

/** Two containers round the same time differently. Half of a frame's length at 240 frames a second. */
export const sameTime = 0.002
/** A picture this far behind the sound does not catch up by dropping frames alone. */
const maxLag = 0.3

/** Indexes into the frames of both videos. `before` is null when there is no second video. */
export interface FramePair {
  readonly after: number
  readonly before: number | null
}

/**
 * The newest pair that can be shown at a time: the last frame of `after` that has begun and whose partner is decoded.
 * Null: neither picture may change yet.
 */
export function choosePair(after: DecodedFrames, before: DecodedFrames | null, time: number): FramePair | null {
  for (let index = lastBegun(after.times, time); index >= 0; index -= 1) {
    if (before === null) return { after: index, before: null }
    const partner = partnerAt(before, after.times[index] ?? 0)
    if (partner !== null) return { after: index, before: partner }
  }
  return null
}

/** Whether decoding is so late that the sound has to wait for it. */
export const isLate = ({ times, ended }: DecodedFrames, time: number): boolean =>
  !ended && (times.at(-1) ?? -Infinity) < time - maxLag

/** Index of the frame that is on the screen at a time, before the first one begins the first; -1: there is none. */
function lastBegun(times: readonly number[], time: number): number {
  const next = times.findIndex((each) => each > time + sameTime)
  return next === -1 ? times.length - 1 : Math.max(0, next - 1)
}

/** As `lastBegun`, but null while a later frame that has begun, too, may still be decoded. */
function partnerAt({ times, ended }: DecodedFrames, time: number): number | null {
  const index = lastBegun(times, time)
  const found = times[index]
  if (found === undefined) return null
  const isCertain = ended || index < times.length - 1 || found >= time - sameTime
  return isCertain ? index : null
}
