/**
 * @file Gives the target the width of the source's nose and its surroundings, which expressions hardly change.
 * Everything else (eyes, lips, outline) keeps its position in the video.
 */
import { innerMouth, leftBrow, leftEye, meshPoints, outerLips, rightBrow, rightEye, ringOf } from '../face/topology.ts'
import { spread } from '../face/mesh-fields.ts'

/** Maximum shift of a point, in face widths. */
const maxShift = 0.03

const nosePoints = [
  1, 2, 4, 5, 6, 19, 44, 45, 48, 49, 51, 59, 64, 75, 79, 94, 97, 98, 102, 115, 122, 125, 129, 131, 134, 141, 166, 168,
  174, 188, 193, 195, 196, 197, 198, 203, 209, 217, 218, 219, 220, 235, 236, 237, 238, 239, 240, 241, 242, 245, 250,
  274, 275, 278, 279, 281, 289, 290, 294, 305, 309, 326, 327, 328, 331, 344, 351, 354, 358, 360, 363, 370, 392, 399,
  412, 419, 420, 429, 437, 438, 439, 440, 455, 456, 457, 458, 459, 460, 461, 462,
]

/** For each mesh point, how far it moves towards the source's position, 0…1. */
const shares = ((): Float32Array => {
  const fixed = new Set<number>([...leftEye, ...rightEye, ...outerLips, ...innerMouth, ...leftBrow, ...rightBrow])
  let share = new Float32Array(meshPoints)
  for (const point of nosePoints) share[point] = 1
  for (let pass = 0; pass < 3; pass += 1) {
    share = spread(share).map((value, point) => (fixed.has(point) || ringOf[point] === 0 ? 0 : value))
  }
  return share
})()

/** Applies a source's nose shape to target landmarks. */
export class SourceShape {
  /** Homogeneous coordinates: x, y, z, 1 for each point. */
  readonly #source: Float64Array
  /** Pseudo-inverse that fits an affine map to one target coordinate, 4 per point; null for a flat face. */
  readonly #fit: Float64Array | null

  /** @param source x, y, z of the source's landmarks */
  constructor(source: Float32Array) {
    this.#source = new Float64Array(meshPoints * 4)
    for (let point = 0; point < meshPoints; point += 1) {
      for (let axis = 0; axis < 3; axis += 1) this.#source[point * 4 + axis] = source[point * 3 + axis] ?? 0
      this.#source[point * 4 + 3] = 1
    }
    this.#fit = minSquares(this.#source)
  }

  /**
   * The target's landmarks with the source's nose width. The source's 3D points are mapped to the frame by a
   * least-squares affine fit, so that pose and size follow the target. Only the residual along the line of the eyes is
   * applied, because a vertical shift would look like a different pose.
   * @param target x, y of the mesh's points in the frame
   * @returns a new array of the same layout
   */
  on(target: Float32Array): Float32Array {
    const at = (point: number): number => target[point] ?? 0
    const [alongX, alongY] = [at(263 * 2) - at(33 * 2), at(263 * 2 + 1) - at(33 * 2 + 1)]
    const eyes = Math.hypot(alongX, alongY)
    const max = Math.hypot(at(454 * 2) - at(234 * 2), at(454 * 2 + 1) - at(234 * 2 + 1)) * maxShift
    const shaped = Float32Array.from(target)
    if (!this.#fit || eyes < 1) return shaped
    const [ux, uy] = [alongX / eyes, alongY / eyes]
    const [mapX, mapY] = [this.#mapTo(target, 0), this.#mapTo(target, 1)]
    for (let point = 0; point < meshPoints; point += 1) {
      const share = shares[point] ?? 0
      if (share === 0) continue
      const across =
        (this.#place(point, mapX) - at(point * 2)) * ux + (this.#place(point, mapY) - at(point * 2 + 1)) * uy
      const shift = Math.max(-max, Math.min(max, across)) * share
      shaped[point * 2] = at(point * 2) + shift * ux
      shaped[point * 2 + 1] = at(point * 2 + 1) + shift * uy
    }
    return shaped
  }

  /** The affine map's four coefficients for one target coordinate. */
  #mapTo(target: Float32Array, axis: 0 | 1): Float64Array {
    const map = new Float64Array(4)
    for (let point = 0; point < meshPoints; point += 1) {
      const value = target[point * 2 + axis] ?? 0
      for (let part = 0; part < 4; part += 1)
        map[part] = (map[part] ?? 0) + (this.#fit?.[point * 4 + part] ?? 0) * value
    }
    return map
  }

  #place(point: number, map: Float64Array): number {
    let place = 0
    for (let part = 0; part < 4; part += 1) place += (this.#source[point * 4 + part] ?? 0) * (map[part] ?? 0)
    return place
  }
}

/** `points · (pointsᵀ · points)⁻¹` for rows of 4; null if all points lie in a plane. */
function minSquares(points: Float64Array): Float64Array | null {
  // Gauss–Jordan elimination: the left half is inverted into the right half.
  const rows = Array.from({ length: 4 }, (_, row) => {
    const both = new Float64Array(8)
    for (let at = 0; at < points.length; at += 4) {
      for (let column = 0; column < 4; column += 1)
        both[column] = (both[column] ?? 0) + (points[at + row] ?? 0) * (points[at + column] ?? 0)
    }
    both[4 + row] = 1
    return both
  })
  for (const [pivot, row] of rows.entries()) {
    const by = row[pivot] ?? 0
    if (Math.abs(by) < 1e-6) return null
    for (let column = 0; column < 8; column += 1) row[column] = (row[column] ?? 0) / by
    for (const other of rows) {
      const factor = other[pivot] ?? 0
      if (other === row) continue
      for (let column = 0; column < 8; column += 1) other[column] = (other[column] ?? 0) - factor * (row[column] ?? 0)
    }
  }
  const fit = new Float64Array(points.length)
  for (let at = 0; at < points.length; at += 1) {
    for (let part = 0; part < 4; part += 1)
      fit[at] = (fit[at] ?? 0) + (points[(at & ~3) + part] ?? 0) * (rows[part]?.[4 + (at & 3)] ?? 0)
  }
  return fit
}
