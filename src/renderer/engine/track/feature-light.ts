/**
 * @file Checks whether eyes and mouth of a skipped frame match an interpolation between analysed frames. A blink or a
 * short word changes the luma of a few spots, which is far cheaper to read than to run the landmark model.
 */
import type { Affine } from '../common/affine.ts'
import { pointX, pointY, type Points } from '../face/landmarks.ts'
import { lightAround, unseen } from '../face/skin-pattern.ts'
import type { Planes } from '../media/pixels/planes.ts'

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
