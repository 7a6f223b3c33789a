/** @file Regions: rotated squares of the upright picture that are cropped for the models. */
import { compose, type Affine } from '../common/affine.ts'

/** Side of the segmenter's input and output in pixels. Not in analyst.ts, whose models a render worker doesn't need. */
export const segmentSide = 128

/** A square in upright pixels with centre `x, y`, rotated clockwise by `angle` radians. */
export interface Region {
  x: number
  y: number
  size: number
  angle: number
}

/** Maps the unit square to upright pixels. */
export function regionToUpright({ x, y, size, angle }: Region): Affine {
  const cos = Math.cos(angle) * size
  const sin = Math.sin(angle) * size
  return { a: cos, b: -sin, c: x - (cos - sin) / 2, d: sin, e: cos, f: y - (sin + cos) / 2 }
}

/** Bounding box of a region in coded pixels. @param grow factor on its size */
export function regionBounds(
  region: Region,
  view: Affine,
  grow = 1,
): { left: number; top: number; right: number; bottom: number } {
  const map = compose(view, regionToUpright({ ...region, size: region.size * grow }))
  const xs = [map.c, map.a + map.c, map.b + map.c, map.a + map.b + map.c]
  const ys = [map.f, map.d + map.f, map.e + map.f, map.d + map.e + map.f]
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) }
}

/** Smallest rotation from `from` to `to`, in radians, −π…π. */
export function turnBetween(from: number, to: number): number {
  const turn = (to - from) % (2 * Math.PI)
  return turn > Math.PI ? turn - 2 * Math.PI : turn < -Math.PI ? turn + 2 * Math.PI : turn
}

/** True if the crop `used` was too far from the face's actual region `found` for its landmarks to be accurate. */
export function hasDrifted(used: Region, found: Region): boolean {
  const moved = Math.hypot(used.x - found.x, used.y - found.y) / found.size
  const scaled = Math.abs(Math.log(used.size / found.size))
  return moved > 0.06 || scaled > Math.log(1.1) || Math.abs(turnBetween(used.angle, found.angle)) > 0.1
}
