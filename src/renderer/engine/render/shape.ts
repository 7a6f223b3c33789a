/**
 * @file Lets the source's own proportions through where expression does not reach: how wide the nose is, and what lies
 * around it. Everything else (eyes, lips, outline) keeps the place it has in the video.
 */
import { innerMouth, leftBrow, leftEye, meshPoints, outerLips, rightBrow, rightEye, ringOf } from '../face/topology.ts'
import { spread } from '../face/mesh-fields.ts'

/** Most that a point may move, in widths of the face. */
const mostShift = 0.03

const nosePoints = [
  1, 2, 4, 5, 6, 19, 44, 45, 48, 49, 51, 59, 64, 75, 79, 94, 97, 98, 102, 115, 122, 125, 129, 131, 134, 141, 166, 168,
  174, 188, 193, 195, 196, 197, 198, 203, 209, 217, 218, 219, 220, 235, 236, 237, 238, 239, 240, 241, 242, 245, 250,
  274, 275, 278, 279, 281, 289, 290, 294, 305, 309, 326, 327, 328, 331, 344, 351, 354, 358, 360, 363, 370, 392, 399,
  412, 419, 420, 429, 437, 438, 439, 440, 455, 456, 457, 458, 459, 460, 461, 462,
]

/** By mesh point, how much of the source's place it takes, 0…1. */
const shares = ((): Float32Array => {
  const fixed = new Set<number>([...leftEye, ...rightEye, ...outerLips, ...innerMouth, ...leftBrow, ...rightBrow])
  let share = new Float32Array(meshPoints)
  for (const point of nosePoints) share[point] = 1
  for (let pass = 0; pass < 3; pass += 1) {
    share = spread(share).map((value, point) => (fixed.has(point) || ringOf[point] === 0 ? 0 : value))
  }
  return share
})()

/**
 * The target's points with the nose as wide as the source's. The source's shape is laid over the target's by the affine
 * map from space to the picture that fits best (least squares), so pose and size follow the target; only what is left
 * along the line of the eyes is taken, because up and down would show as another pose.
 * @param source x, y, z of the source's points
 * @param target x, y of the mesh's points in the frame
 */
export function withSourceShape(source: Float32Array, target: Float32Array): Float32Array {
  const fit = fitAffine(source, target)
  const at = (point: number): number => target[point] ?? 0
  const [alongX, alongY] = [at(263 * 2) - at(33 * 2), at(263 * 2 + 1) - at(33 * 2 + 1)]
  const eyes = Math.hypot(alongX, alongY)
  const most = Math.hypot(at(454 * 2) - at(234 * 2), at(454 * 2 + 1) - at(234 * 2 + 1)) * mostShift
  const shaped = Float32Array.from(target)
  if (!fit || eyes < 1) return shaped
  const [ux, uy] = [alongX / eyes, alongY / eyes]
  for (let point = 0; point < meshPoints; point += 1) {
    const share = shares[point] ?? 0
    if (share === 0) continue
    const [x, y] = fit(source[point * 3] ?? 0, source[point * 3 + 1] ?? 0, source[point * 3 + 2] ?? 0)
    const across = (x - at(point * 2)) * ux + (y - at(point * 2 + 1)) * uy
    const shift = Math.max(-most, Math.min(most, across)) * share
    shaped[point * 2] = at(point * 2) + shift * ux
    shaped[point * 2 + 1] = at(point * 2 + 1) + shift * uy
  }
  return shaped
}

/** The affine map from space to the plane that takes `source` nearest to `target`; null when the points lie in a plane. */
function fitAffine(
  source: Float32Array,
  target: Float32Array,
): ((x: number, y: number, z: number) => [number, number]) | null {
  // Normal equations of both coordinates at once: four unknowns each, two right-hand sides.
  const rows = Array.from({ length: 4 }, () => new Float64Array(6))
  for (let point = 0; point < meshPoints; point += 1) {
    const values = [source[point * 3] ?? 0, source[point * 3 + 1] ?? 0, source[point * 3 + 2] ?? 0, 1]
    const sides = [...values, target[point * 2] ?? 0, target[point * 2 + 1] ?? 0]
    for (const [index, row] of rows.entries()) {
      const value = values[index] ?? 0
      for (let column = 0; column < 6; column += 1) row[column] = (row[column] ?? 0) + value * (sides[column] ?? 0)
    }
  }
  for (const [pivot, row] of rows.entries()) {
    const by = row[pivot] ?? 0
    if (Math.abs(by) < 1e-6) return null
    for (const other of rows) {
      if (other === row) continue
      const factor = (other[pivot] ?? 0) / by
      for (let column = pivot; column < 6; column += 1)
        other[column] = (other[column] ?? 0) - factor * (row[column] ?? 0)
    }
  }
  const of = (index: number, side: number): number => (rows[index]?.[4 + side] ?? 0) / (rows[index]?.[index] ?? 1)
  return (x, y, z) => [
    of(0, 0) * x + of(1, 0) * y + of(2, 0) * z + of(3, 0),
    of(0, 1) * x + of(1, 1) * y + of(2, 1) * z + of(3, 1),
  ]
}
