/** @file Whether a face changed so much between two analysed frames that the one between must be analysed too. */
import { pointX, pointY, regionOfPoints, yawOf, type Points } from '../face/landmarks.ts'
import { turnBetween } from '../face/region.ts'

/** Degrees a frame. */
const maxTurn = 0.2

const distance = (points: Points, a: number, b: number): number =>
  Math.hypot(pointX(points, a) - pointX(points, b), pointY(points, a) - pointY(points, b))

/** Height to width of an eye's opening: about 0.3 open, below 0.1 closed. */
export function eyeOpenness(points: Points, side: 'right' | 'left'): number {
  const [outer, inner, top, bottom] = side === 'right' ? [33, 133, 159, 145] : [263, 362, 386, 374]
  return distance(points, top, bottom) / (distance(points, outer, inner) || 1)
}

/** Height of the mouth's opening to that of the face. */
export function mouthOpenness(points: Points): number {
  return distance(points, 13, 14) / (distance(points, 10, 152) || 1)
}

/** True for another shot or another face: the points cannot be the same face's two frames later. */
export function isJump(a: Points, b: Points): boolean {
  const from = regionOfPoints(a)
  const to = regionOfPoints(b)
  const moved = Math.hypot(from.x - to.x, from.y - to.y) / to.size
  return (
    moved > 0.3 || Math.abs(Math.log(from.size / to.size)) > 0.25 || Math.abs(turnBetween(from.angle, to.angle)) > 0.6
  )
}

/** True when lids or lips moved. */
export function featuresMoved(a: Points, b: Points): boolean {
  return (
    Math.abs(eyeOpenness(a, 'right') - eyeOpenness(b, 'right')) > 0.05 ||
    Math.abs(eyeOpenness(a, 'left') - eyeOpenness(b, 'left')) > 0.05 ||
    Math.abs(mouthOpenness(a) - mouthOpenness(b)) > 0.02
  )
}

/** True while the head hardly turns: how a face changes as it does is not told by a line. @param frames from a to b */
export const facesOneWay = (a: Points, b: Points, frames: number): boolean =>
  Math.abs(yawOf(a) - yawOf(b)) < maxTurn * frames

/** True when a straight line between the two would miss something: a blink, a word, a quick move. */
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
