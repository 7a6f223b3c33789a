/**
 * @file Whether eyes and mouth on a frame look as the frames around it say. A blink or a word that is over between two
 * looks of the landmark model shows in a dozen spots of the picture, which cost next to nothing.
 */
import type { Affine } from '../face/affine.ts'
import { pointX, pointY, type Points } from '../face/landmarks.ts'
import { lightAround, unseen } from '../face/skin-pattern.ts'
import type { Planes } from '../media/pixels/planes.ts'

/** Irises, the middles of the lids, and the lips around their opening. */
const spots = [468, 159, 145, 158, 153, 473, 386, 374, 385, 380, 13, 14, 82, 87, 312, 317] as const

/** Difference from what is expected, as a share of it, from which something happened. */
const happened = 0.14
/** Nothing is expected to be darker than this: there, noise is a large share. */
const darkest = 40

/** Mean luma at each spot, 0…255, or `unseen`. @param points in upright pixels @param view from those to the frame's */
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

/** True when a frame's features are about as a line between two others has them. @param share of the way, 0…1 */
export function isBetween(before: Float32Array, now: Float32Array, after: Float32Array, share: number): boolean {
  return now.every((value, at) => {
    const [from, to] = [before[at] ?? unseen, after[at] ?? unseen]
    if (value === unseen || from === unseen || to === unseen) return true
    const expected = from + (to - from) * share
    return Math.abs(value - expected) < happened * Math.max(darkest, expected)
  })
}
