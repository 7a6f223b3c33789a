/** @file The track of one face over the frames: filled in between looks, and how much of the swap shows. */
import { yawOf, type Points } from '../face/landmarks.ts'
import { smoothstep } from '../common/smoothstep.ts'

/** One frame of a track; `shot` changes when the face was lost or jumped, and nothing is mixed across it. */
export interface TrackFrame {
  points: Points | null
  shot: number
  /** The picture is another one than before: what came before says nothing about it. */
  cut: boolean
}

export type FrameAt = (index: number) => TrackFrame | null

/** Frames over which a swap comes and goes. */
export const fadeReach = 4

/** A track's frame and which one it is. */
export type Look = TrackFrame & { index: number }

/**
 * The points at `index` from the two looks before it and the two after: cubic if all four are of one shot (the Hermite
 * curve whose slope at a look is that of the parabola through it and its neighbours), else on the line between two.
 */
export function between(
  [far, before, after, beyond]: readonly (Look | null | undefined)[],
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
 * How much of the swap shows on a frame: less at large yaws, and over a few frames less and less towards one of the same
 * scene on which there is no face. At a cut it comes and goes at once, as the picture does.
 * @param points smoothed
 */
export function opacityAt(at: FrameAt, index: number, points: Points): number {
  const missing = (step: 1 | -1): number => {
    for (let away = 1; away <= fadeReach; away += 1) {
      const frame = at(index + step * away)
      const later = step === 1 ? frame : at(index - away + 1)
      if (!frame || later?.cut) break
      if (!frame.points) return away
    }
    return fadeReach + 1
  }
  const steps = Math.min(missing(1), missing(-1)) / (fadeReach + 1)
  // Evenly: of all ways, the one whose largest step is smallest.
  return opacityAtYaw(yawOf(points)) * steps
}

/** Degrees from which a swap fades. */
export const fadingYaw = 38

/** How much of the swap shows at a yaw in degrees: it fades out before the far side of the face is out of sight. */
export function opacityAtYaw(yaw: number): number {
  return 1 - smoothstep(fadingYaw, 56, Math.abs(yaw))
}
