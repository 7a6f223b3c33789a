/** @file Smooths a face's landmarks over the frames around each one (Savitzky–Golay), without lag. */
import type { Points } from '../face/landmarks.ts'
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
import { smoothstep } from '../common/smoothstep.ts'
import { ablation } from '../common/ablation.ts'
import type { FrameAt } from './track.ts'

/** Maximum number of frames used on either side. */
export const smoothReach = 8
/** Standard deviations of the Gaussian weights, in frames. */
const sigmas = { face: 3.5, detail: 2, brows: 3 }
/** Distance from the smoothed position, in face heights, over which a detail blends from smoothed to raw. */
const moves = { from: 0.01, to: 0.02 }

/** A part that moves relative to the face: its points, and the anchors it moves with. */
interface Detail {
  members: readonly number[]
  anchors: readonly number[]
}

/** Points on and around the lips, between their outer and inner edges. */
// prettier-ignore
const lips = [
  62, 76, 183, 184, 42, 74, 41, 73, 38, 72, 12, 11, 268, 302, 271, 303, 272, 304, 407, 408,
  306, 292, 325, 307, 319, 320, 403, 404, 316, 315, 15, 16, 86, 85, 179, 180, 89, 90, 96, 77,
]

/** Each is smoothed less than the rest of the face. */
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
    members: [...outerLips, ...innerMouth, ...lips],
    anchors: [168, 5],
  },
]

/** Brows move slowly. Quick movement of their points is a model error caused by moving eyelids. */
const brows: Detail = { members: [...rightBrow, ...leftBrow], anchors: [33, 133, 168, 362, 263] }

const pointsOf = (parts: readonly Detail[]): number[] =>
  parts.flatMap(({ members, anchors }) => [...members, ...anchors])
/** Indices of x, y and z of points, each once: the anchors of an eye are among its members. */
const valuesOf = (points: Iterable<number>): Uint16Array =>
  Uint16Array.from([...new Set(points)].flatMap((point) => [point * 3, point * 3 + 1, point * 3 + 2]))
const everyValue = valuesOf(Array(allPoints).keys())
const detailValues = valuesOf(pointsOf(details))
const browValues = valuesOf(pointsOf([brows]))

/** Landmarks at `index`, smoothed over frames of the same shot around it; null without a face. */
export function smoothed(at: FrameAt, index: number): Points | null {
  const centre = at(index)
  const raw = centre?.points
  if (!raw) return null
  if (!ablation.smooth) return raw
  const pointsAt = (offset: number): Points | null => {
    const frame = at(index + offset)
    return frame?.shot === centre.shot ? frame.points : null
  }
  // Use equally many frames on both sides, so that the result doesn't lag at the ends of a shot.
  const near: Points[] = [raw]
  for (let reach = 1; reach <= smoothReach; reach += 1) {
    const [before, after] = [pointsAt(-reach), pointsAt(reach)]
    if (!before || !after) break
    near.unshift(before)
    near.push(after)
  }
  const reach = (near.length - 1) / 2
  const calm = weighted(near, weights.face[reach], everyValue)
  const quick = weighted(near, weights.detail[reach], detailValues)
  const height = faceHeight(calm)
  placeBrows(calm, weighted(near, weights.brows[reach], browValues))
  for (const detail of details) placeDetail(calm, quick, raw, height, detail)
  return calm
}

/** Weight of the frame at `offset` from the middle, for a window of `reach` frames on either side. */
type Kernel = (offset: number, reach: number) => number

const bell =
  (sigma: number): Kernel =>
  (offset) =>
    Math.exp(-(offset ** 2) / (2 * sigma ** 2))

/**
 * Kernel for the middle value of a weighted least-squares parabola. Unlike a mean, it doesn't flatten the motion of a
 * head that turns back (Savitzky and Golay 1964; weights: Cleveland 1979).
 */
const parabola = (sigma: number): Kernel => {
  const near = bell(sigma)
  return (offset, reach) => {
    let [sum, squares, fourths] = [0, 0, 0]
    for (let at = -reach; at <= reach; at += 1) {
      const weight = near(at, reach)
      sum += weight
      squares += weight * at ** 2
      fourths += weight * at ** 4
    }
    return (near(offset, reach) * (fourths - squares * offset ** 2)) / (sum * fourths - squares ** 2 || 1)
  }
}

/** Normalised weights for each reach, 0 to `smoothReach`. */
const weightsOf = (kernel: Kernel): number[][] =>
  Array.from({ length: smoothReach + 1 }, (_, reach) => {
    if (reach === 0) return [1]
    const each = Array.from({ length: 2 * reach + 1 }, (__, at) => kernel(at - reach, reach))
    const sum = each.reduce((total, weight) => total + weight, 0)
    return each.map((weight) => weight / sum)
  })

const weights = {
  face: weightsOf(parabola(sigmas.face)),
  detail: weightsOf(parabola(sigmas.detail)),
  brows: weightsOf(bell(sigmas.brows)),
}

/** Weighted mean over the frames; values not in `wanted` are zero. */
function weighted(near: readonly Points[], shares: readonly number[] | undefined, wanted: Uint16Array): Points {
  const mean = new Float32Array(allPoints * 3)
  for (const [frame, points] of near.entries()) {
    const share = shares?.[frame] ?? 0
    for (let at = 0; at < wanted.length; at += 1) {
      const i = wanted[at] ?? 0
      mean[i] = (mean[i] ?? 0) + (points[i] ?? 0) * share
    }
  }
  return mean
}

/** Sets the brows to their long-term position relative to the eyes. */
function placeBrows(calm: Points, still: Points): void {
  const [eyes, stillEyes] = [meanOf(calm, brows.anchors), meanOf(still, brows.anchors)]
  for (const point of brows.members) {
    for (let i = point * 3; i < point * 3 + 3; i += 1)
      calm[i] = (still[i] ?? 0) + (eyes[i % 3] ?? 0) - (stillEyes[i % 3] ?? 0)
  }
}

/**
 * Sets a detail to its less smoothed position relative to its anchors. Where eyelids or lips move fast, their raw
 * position is used, because a blink lasts only about three frames.
 */
function placeDetail(calm: Points, quick: Points, raw: Points, height: number, { members, anchors }: Detail): void {
  const [calmAnchor, quickAnchor, rawAnchor] = [meanOf(calm, anchors), meanOf(quick, anchors), meanOf(raw, anchors)]
  const strays = (i: number): number =>
    (raw[i] ?? 0) - (quick[i] ?? 0) - ((rawAnchor[i % 3] ?? 0) - (quickAnchor[i % 3] ?? 0))
  let max = 0
  for (const point of members) max = Math.max(max, Math.hypot(strays(point * 3), strays(point * 3 + 1)))
  const own = smoothstep(moves.from, moves.to, max / height)
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

const faceHeight = (points: Points): number =>
  Math.hypot((points[152 * 3] ?? 0) - (points[10 * 3] ?? 0), (points[152 * 3 + 1] ?? 0) - (points[10 * 3 + 1] ?? 0)) ||
  1
