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

/** Something that moves by itself: its points, and those of the face that it sits on. */
interface Detail {
  members: readonly number[]
  anchors: readonly number[]
}

/** Each is smoothed less than the face. */
const details: readonly Detail[] = [
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
  const raw = centre?.points
  if (!raw) return null
  if (!tuning.smooth) return raw
  const pointsAt = (offset: number): Points | null => {
    const frame = at(index + offset)
    return frame?.shot === centre.shot ? frame.points : null
  }
  // Only as far as both sides reach, so that the mean stays in the middle and does not lag at the ends of a shot.
  const near: Points[] = [raw]
  for (let reach = 1; reach <= smoothReach; reach += 1) {
    const [before, after] = [pointsAt(-reach), pointsAt(reach)]
    if (!before || !after) break
    near.unshift(before)
    near.push(after)
  }
  const calm = meanAround(near, faceSigma)
  const quick = meanAround(near, detailSigma)
  const height = faceHeight(calm)
  // A head that speeds up or turns back is flattened by the wide mean; there the narrow one is nearer the truth.
  const share = smoothstep(0.012, 0.04, shift(calm, raw) / height)
  placeBrows(calm, near)
  if (share > 0)
    for (let i = 0; i < calm.length; i += 1) calm[i] = (calm[i] ?? 0) * (1 - share) + (quick[i] ?? 0) * share
  for (const detail of details) placeDetail(calm, quick, raw, height, detail)
  return calm
}

/** The mean of an odd number of frames, the one in the middle weighing most (a Gaussian, `sigma` in frames). */
function meanAround(near: readonly Points[], sigma: number): Points {
  const reach = (near.length - 1) / 2
  const weights = near.map((_, at) => Math.exp(-((at - reach) ** 2) / (2 * sigma * sigma)))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const mean = new Float32Array(allPoints * 3)
  near.forEach((points, at) => {
    const weight = (weights[at] ?? 0) / sum
    for (let i = 0; i < mean.length; i += 1) mean[i] = (mean[i] ?? 0) + (points[i] ?? 0) * weight
  })
  return mean
}

/** Puts the brows where they are over a longer time, seen from the eyes. */
function placeBrows(calm: Points, near: readonly Points[]): void {
  const still = meanAround(near, browSigma)
  const eyes = meanOf(calm, browAnchors)
  const stillEyes = meanOf(still, browAnchors)
  for (const point of brows) {
    for (let axis = 0; axis < 3; axis += 1) {
      const i = point * 3 + axis
      calm[i] = (still[i] ?? 0) + (eyes[axis] ?? 0) - (stillEyes[axis] ?? 0)
    }
  }
}

/**
 * Puts a detail where the narrow mean has it, seen from its anchors. A blink is over in three frames: where lids or lips
 * move fast, they are where this very frame shows them.
 */
function placeDetail(calm: Points, quick: Points, raw: Points, height: number, { members, anchors }: Detail): void {
  const [calmAnchor, quickAnchor, rawAnchor] = [meanOf(calm, anchors), meanOf(quick, anchors), meanOf(raw, anchors)]
  const strays = (i: number): number =>
    (raw[i] ?? 0) - (quick[i] ?? 0) - ((rawAnchor[i % 3] ?? 0) - (quickAnchor[i % 3] ?? 0))
  let most = 0
  for (const point of members) most = Math.max(most, Math.hypot(strays(point * 3), strays(point * 3 + 1)))
  const own = smoothstep(0.008, 0.018, most / height)
  for (const point of members) {
    for (let i = point * 3; i < point * 3 + 3; i += 1)
      calm[i] = (quick[i] ?? 0) + (calmAnchor[i % 3] ?? 0) - (quickAnchor[i % 3] ?? 0) + strays(i) * own
  }
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
