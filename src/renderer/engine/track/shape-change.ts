/** @file Decides whether a face changed so much between two analysed frames that those between need analysis too. */
import { pointX, pointY, regionOfPoints, yawOf, type Points } from '../face/landmarks.ts'
import { turnBetween } from '../face/region.ts'
import type { Affine } from '../common/affine.ts'
import { lightAround, unseen } from '../face/skin-pattern.ts'
import type { Planes } from '../media/pixels/planes.ts'

/** Degrees of yaw per frame. */
const maxTurn = 0.2

const distance = (points: Points, a: number, b: number): number =>
  Math.hypot(pointX(points, a) - pointX(points, b), pointY(points, a) - pointY(points, b))

/** Ratio of height to width of an eye's opening: about 0.3 open, below 0.1 closed. */
export function eyeOpenness(points: Points, side: 'right' | 'left'): number {
  const [outer, inner, top, bottom] = side === 'right' ? [33, 133, 159, 145] : [263, 362, 386, 374]
  return distance(points, top, bottom) / (distance(points, outer, inner) || 1)
}

/** Height of the mouth's opening, in face heights. */
export function mouthOpenness(points: Points): number {
  return distance(points, 13, 14) / (distance(points, 10, 152) || 1)
}

/** True if two sets of landmarks are too far apart to be the same face in one shot a few frames later. */
export function isJump(a: Points, b: Points): boolean {
  const from = regionOfPoints(a)
  const to = regionOfPoints(b)
  const moved = Math.hypot(from.x - to.x, from.y - to.y) / to.size
  return (
    moved > 0.3 || Math.abs(Math.log(from.size / to.size)) > 0.25 || Math.abs(turnBetween(from.angle, to.angle)) > 0.6
  )
}

/** True if eyelids or lips moved. */
function featuresMoved(a: Points, b: Points): boolean {
  return (
    Math.abs(eyeOpenness(a, 'right') - eyeOpenness(b, 'right')) > 0.05 ||
    Math.abs(eyeOpenness(a, 'left') - eyeOpenness(b, 'left')) > 0.05 ||
    Math.abs(mouthOpenness(a) - mouthOpenness(b)) > 0.02
  )
}

/**
 * True if the head hardly turns, so that linear interpolation is accurate.
 * @param frames number of frames from a to b
 */
export const facesOneWay = (a: Points, b: Points, frames: number): boolean =>
  Math.abs(yawOf(a) - yawOf(b)) < maxTurn * frames

/** True if linear interpolation between the two may miss a blink, a word or a quick movement. */
export function needsBetween(a: Points, b: Points): boolean {
  const from = regionOfPoints(a)
  const to = regionOfPoints(b)
  return (
    featuresMoved(a, b) ||
    Math.abs(yawOf(a) - yawOf(b)) > 5 ||
    Math.hypot(from.x - to.x, from.y - to.y) / to.size > 0.04 ||
    Math.abs(Math.log(from.size / to.size)) > 0.04 ||
    Math.abs(turnBetween(from.angle, to.angle)) > 0.06
  )
}

// Whether eyes and mouth of a skipped frame match an interpolation between analysed frames. A blink or a short word changes
// the luma of a few spots, which is far cheaper to read than to run the landmark model.

/** Landmarks: irises, middles of the eyelids, inner lips. */
const spots = [468, 159, 145, 158, 153, 473, 386, 374, 385, 380, 13, 14, 82, 87, 312, 317] as const

/** Relative deviation from the expected luma above which the features moved. */
const happened = 0.14
/** Lower bound of the expected luma: in darker areas noise is a large share of it. */
const darkest = 40

/**
 * Mean luma at each spot, 0…255, or `unseen`.
 * @param points landmarks in upright pixels
 * @param view maps upright to coded pixels
 */
export function featureLight(frame: Planes, points: Points, { a, b, c, d, e, f }: Affine): Float32Array {
  const coded = new Float32Array(spots.length * 2)
  spots.forEach((point, at) => {
    const [x, y] = [pointX(points, point), pointY(points, point)]
    coded[at * 2] = a * x + b * y + c
    coded[at * 2 + 1] = d * x + e * y + f
  })
  const eyes = Math.hypot(pointX(points, 33) - pointX(points, 263), pointY(points, 33) - pointY(points, 263))
  return lightAround(frame, coded, Math.max(1, Math.round((eyes * Math.hypot(a, d)) / 50)))
}

/**
 * True if a frame's luma is close to the linear interpolation between two other frames.
 * @param share position between the two, 0…1
 */
export function isBetween(before: Float32Array, now: Float32Array, after: Float32Array, share: number): boolean {
  return now.every((value, at) => {
    const [from, to] = [before[at] ?? unseen, after[at] ?? unseen]
    if (value === unseen || from === unseen || to === unseen) return true
    const expected = from + (to - from) * share
    return Math.abs(value - expected) < happened * Math.max(darkest, expected)
  })
}
