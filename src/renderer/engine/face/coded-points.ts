import type { Affine } from '../common/affine.ts'
import type { Points } from './landmarks.ts'
import { allPoints } from './topology.ts'

/** Maps upright landmarks to coded pixels. @returns x, y of the 478 landmarks */
export function codedPoints(points: Points, { a, b, c, d, e, f }: Affine): Float32Array {
  const coded = new Float32Array(allPoints * 2)
  for (let point = 0; point < allPoints; point += 1) {
    const x = points[point * 3] ?? 0
    const y = points[point * 3 + 1] ?? 0
    coded[point * 2] = a * x + b * y + c
    coded[point * 2 + 1] = d * x + e * y + f
  }
  return coded
}
