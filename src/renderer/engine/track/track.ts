/** @file The points of one face over time: filled in between analysed frames, and smoothed without lag. */
import { yawOf, type Points } from '../face/landmarks.ts'
import { tuning } from '../tuning.ts'
import {
  allPoints,
  innerMouth,
  leftBrow,
  leftEye,
  leftIris,
  outerLips,
  rightBrow,
  rightEye,
  rightIris,
} from '../face/topology.ts'

/** One frame of a track; `shot` changes when the face was lost or jumped, and nothing is mixed across it. */
export interface TrackFrame {
  points: Points | null
  shot: number
  /** The picture is another one than before: what came before says nothing about it. */
  cut: boolean
}

export type FrameAt = (index: number) => TrackFrame | null

/** Frames that smoothing looks ahead and back. */
export const smoothReach = 4

/** In frames. */
const faceSigma = 1.8
const detailSigma = 1
/** Brows move slowly by themselves; what is quick about them is the model's, when lids move below. */
const browSigma = 3

/**
 * The frame at `index` from its analysed neighbours one and three frames away; cubic if all four are of one shot,
 * else the mean of the two (Catmull–Rom at the middle).
 */
export function between(at: FrameAt, index: number): Points | null {
  const before = at(index - 1)
  const after = at(index + 1)
  if (!before?.points || !after?.points || before.shot !== after.shot) return null
  const far = [at(index - 3), at(index + 3)]
  const [first, last] = far.map((frame) => (frame && frame.shot === before.shot ? frame.points : null))
  const points = new Float32Array(before.points.length)
  for (let i = 0; i < points.length; i += 1) {
    const a = before.points[i] ?? 0
    const b = after.points[i] ?? 0
    points[i] = first && last ? (9 * (a + b) - (first[i] ?? 0) - (last[i] ?? 0)) / 16 : (a + b) / 2
  }
  return points
}

/** Moving details, each smoothed less than the face it sits on: its points, and the corners that place it. */
const details: { members: readonly number[]; anchors: readonly number[] }[] = [
  {
    members: [...rightEye, ...rightIris, 247, 30, 29, 27, 28, 56, 190, 243, 112, 26, 22, 23, 24, 110, 25, 130],
    anchors: [33, 133],
  },
  {
    members: [...leftEye, ...leftIris, 467, 260, 259, 257, 258, 286, 414, 463, 341, 256, 252, 253, 254, 339, 255, 359],
    anchors: [263, 362],
  },
  {
    members: [
      ...outerLips,
      ...innerMouth,
      62,
      76,
      183,
      184,
      42,
      74,
      41,
      73,
      38,
      72,
      12,
      11,
      268,
      302,
      271,
      303,
      272,
      304,
      407,
      408,
      306,
      292,
      325,
      307,
      319,
      320,
      403,
      404,
      316,
      315,
      15,
      16,
      86,
      85,
      179,
      180,
      89,
      90,
      96,
      77,
    ],
    anchors: [168, 5],
  },
]

const brows = [...rightBrow, ...leftBrow]
const browAnchors = [33, 133, 168, 362, 263]

/** Points at `index`, smoothed over the frames of the same shot around it; null without a face. */
export function smoothed(at: FrameAt, index: number): Points | null {
  const centre = at(index)
  if (!centre?.points) return null
  if (!tuning.smooth) return centre.points
  const near: { points: Points; wide: number; narrow: number; slow: number }[] = []
  // Only as far as both sides reach, so that the mean stays in the middle and does not lag at the ends of a shot.
  let reach = 0
  const usable = (offset: number): Points | null => {
    const frame = at(index + offset)
    return frame && frame.shot === centre.shot ? frame.points : null
  }
  while (reach < smoothReach && usable(reach + 1) && usable(-reach - 1)) reach += 1
  let wideSum = 0
  let narrowSum = 0
  let slowSum = 0
  for (let offset = -reach; offset <= reach; offset += 1) {
    const points = usable(offset)
    if (!points) continue
    const wide = Math.exp((-offset * offset) / (2 * faceSigma * faceSigma))
    const narrow = Math.exp((-offset * offset) / (2 * detailSigma * detailSigma))
    const slow = Math.exp((-offset * offset) / (2 * browSigma * browSigma))
    near.push({ points, wide, narrow, slow })
    slowSum += slow
    wideSum += wide
    narrowSum += narrow
  }
  const calm = new Float32Array(allPoints * 3)
  const quick = new Float32Array(allPoints * 3)
  const still = new Float32Array(allPoints * 3)
  for (const { points, wide, narrow, slow } of near) {
    const w = wide / wideSum
    const n = narrow / narrowSum
    const s = slow / slowSum
    for (let i = 0; i < calm.length; i += 1) {
      const value = points[i] ?? 0
      calm[i] = (calm[i] ?? 0) + value * w
      quick[i] = (quick[i] ?? 0) + value * n
      still[i] = (still[i] ?? 0) + value * s
    }
  }
  // A head that speeds up or turns back is flattened by the wide mean; there the narrow one is nearer the truth.
  const share = smoothstep(0.012, 0.04, shift(calm, centre.points) / faceHeight(calm))
  const calmEyes = meanOf(calm, browAnchors)
  const stillEyes = meanOf(still, browAnchors)
  for (const point of brows) {
    for (let axis = 0; axis < 3; axis += 1) {
      const i = point * 3 + axis
      calm[i] = (calmEyes[axis] ?? 0) + (still[i] ?? 0) - (stillEyes[axis] ?? 0)
    }
  }
  for (const { members, anchors } of details) {
    const calmAnchor = meanOf(calm, anchors)
    const quickAnchor = meanOf(quick, anchors)
    const rawAnchor = meanOf(centre.points, anchors)
    // A blink is over in three frames: where lids or lips move fast, they are where this very frame shows them.
    let most = 0
    const own = (points: Points, anchor: readonly number[], i: number): number =>
      (points[i] ?? 0) - (anchor[i % 3] ?? 0)
    for (const point of members) {
      const [dx, dy] = [0, 1].map((axis) => {
        const i = point * 3 + axis
        return own(centre.points ?? quick, rawAnchor, i) - own(quick, quickAnchor, i)
      }) as [number, number]
      most = Math.max(most, Math.hypot(dx, dy))
    }
    const raw = smoothstep(0.008, 0.018, most / faceHeight(calm))
    for (const point of members) {
      for (let axis = 0; axis < 3; axis += 1) {
        const i = point * 3 + axis
        const smooth = own(quick, quickAnchor, i)
        calm[i] = (calmAnchor[axis] ?? 0) + smooth + (own(centre.points, rawAnchor, i) - smooth) * raw
      }
    }
  }
  if (share > 0)
    for (let i = 0; i < calm.length; i += 1) calm[i] = (calm[i] ?? 0) * (1 - share) + (quick[i] ?? 0) * share
  return calm
}

function meanOf(points: Points, members: readonly number[]): [number, number, number] {
  const mean: [number, number, number] = [0, 0, 0]
  for (const point of members) {
    for (let axis = 0; axis < 3; axis += 1)
      mean[axis] = (mean[axis] ?? 0) + (points[point * 3 + axis] ?? 0) / members.length
  }
  return mean
}

const steady = [10, 152, 234, 454, 1] as const

function shift(a: Points, b: Points): number {
  const from = meanOf(a, steady)
  const to = meanOf(b, steady)
  return Math.hypot(from[0] - to[0], from[1] - to[1])
}

const faceHeight = (points: Points): number =>
  Math.hypot((points[152 * 3] ?? 0) - (points[10 * 3] ?? 0), (points[152 * 3 + 1] ?? 0) - (points[10 * 3 + 1] ?? 0)) ||
  1

export function smoothstep(from: number, to: number, value: number): number {
  const t = Math.min(1, Math.max(0, (value - from) / (to - from)))
  return t * t * (3 - 2 * t)
}

/**
 * How much of the swap shows on a frame: less at large yaws, and over a few frames less and less towards one of the same
 * scene on which there is no face. At a cut it comes and goes at once, as the picture does.
 * @param points smoothed
 */
export function opacityAt(at: FrameAt, index: number, points: Points): number {
  const missing = (step: 1 | -1): number => {
    for (let away = 1; away <= smoothReach; away += 1) {
      const frame = at(index + step * away)
      const later = step === 1 ? frame : at(index - away + 1)
      if (!frame || later?.cut) break
      if (!frame.points) return away
    }
    return smoothReach + 1
  }
  const steps = Math.min(missing(1), missing(-1)) / (smoothReach + 1)
  return opacityAtYaw(yawOf(points)) * smoothstep(0, 1, steps)
}

/** How much of the swap shows at a yaw in degrees: it fades out before the far side of the face is out of sight. */
export function opacityAtYaw(yaw: number): number {
  return 1 - smoothstep(38, 56, Math.abs(yaw))
}
