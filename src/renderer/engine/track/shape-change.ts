/** @file Decides whether a face changed so much between two analysed frames that those between need analysis too. */
import { pointX, pointY, regionOfPoints, yawOf, type Points } from '../face/landmarks.ts'
import { turnBetween } from '../face/region.ts'

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
export function featuresMoved(a: Points, b: Points): boolean {
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
