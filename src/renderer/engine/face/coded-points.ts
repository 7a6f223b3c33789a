import type { Affine } from './affine.ts'
import type { Points } from './landmarks.ts'
import { meshPoints } from './topology.ts'

/** x, y of the mesh's points in coded pixels, from upright ones. */
export function codedPoints(points: Points, { a, b, c, d, e, f }: Affine): Float32Array {
  const coded = new Float32Array(meshPoints * 2)
  for (let point = 0; point < meshPoints; point += 1) {
    const x = points[point * 3] ?? 0
    const y = points[point * 3 + 1] ?? 0
    coded[point * 2] = a * x + b * y + c
    coded[point * 2 + 1] = d * x + e * y + f
  }
  return coded
}
