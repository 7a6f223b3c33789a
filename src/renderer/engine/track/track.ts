/** @file The track of one face: interpolation between analysed frames, and the opacity of the swap. */
import { yawOf, type Points } from '../face/landmarks.ts'
import { smoothstep } from '../common/smoothstep.ts'

/** One frame of a track. `shot` changes when the face is lost or jumps; frames of different shots are never mixed. */
export interface TrackFrame {
  points: Points | null
  shot: number
  /** True if a cut in the video starts a new picture here. */
  cut: boolean
}

export type FrameAt = (index: number) => TrackFrame | null

/** Frames over which a swap fades in and out. */
export const fadeReach = 4

/** An analysed frame of a track with its index. */
export type Sample = TrackFrame & { index: number }

/**
 * Interpolates the landmarks at `index` from two analysed frames before it and two after. If all four are of one shot,
 * it uses the cubic Hermite curve whose slope at a frame is that of the parabola through it and its neighbours.
 * Otherwise it is linear; null if the two nearest have no face or are of different shots.
 */
export function between(
  [far, before, after, beyond]: readonly (Sample | null | undefined)[],
  index: number,
): Points | null {
  if (!before?.points || !after?.points || before.shot !== after.shot) return null
  const gap = after.index - before.index
  const t = (index - before.index) / gap
  const first = far?.shot === before.shot ? far.points : null
  const last = beyond?.shot === before.shot ? beyond.points : null
  const curved = first !== null && last !== null
  const lead = before.index - (far?.index ?? 0)
  const tail = (beyond?.index ?? 0) - after.index
  const points = new Float32Array(before.points.length)
  for (let i = 0; i < points.length; i += 1) {
    const a = before.points[i] ?? 0
    const b = after.points[i] ?? 0
    points[i] = a + (b - a) * t
    if (!curved) continue
    const slope = (b - a) / gap
    const into = (slope * lead + ((a - (first[i] ?? 0)) / lead) * gap) / (lead + gap)
    const out = (slope * tail + (((last[i] ?? 0) - b) / tail) * gap) / (tail + gap)
    points[i] = (points[i] ?? 0) + gap * t * (1 - t) * ((into - slope) * (1 - t) - (out - slope) * t)
  }
  return points
}

/**
 * Opacity of the swap on a frame, 0…1. It falls at large yaws and over the `fadeReach` frames next to a frame without a
 * face. There is no fade across a cut.
 * @param points smoothed landmarks
 */
export const opacityAt = (at: FrameAt, index: number, points: Points): number =>
  opacityAtYaw(yawOf(points)) * fadeAt(at, index)

/** Opacity without the yaw's. */
export function fadeAt(at: FrameAt, index: number): number {
  const missing = (step: 1 | -1): number => {
    for (let away = 1; away <= fadeReach; away += 1) {
      const frame = at(index + step * away)
      const later = step === 1 ? frame : at(index - away + 1)
      if (!frame || later?.cut) break
      if (!frame.points) return away
    }
    return fadeReach + 1
  }
  // Linear, because that keeps the largest step between frames smallest.
  return Math.min(missing(1), missing(-1)) / (fadeReach + 1)
}

/** Yaw in degrees at which a swap begins to fade. */
export const fadingYaw = 38

/** Opacity, 0…1, at a yaw in degrees. The swap is gone before the far side of the face is hidden. */
export function opacityAtYaw(yaw: number): number {
  return 1 - smoothstep(fadingYaw, 56, Math.abs(yaw))
}
