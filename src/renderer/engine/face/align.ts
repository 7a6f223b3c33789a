/** @file Lays landmarks over each other: affine maps of 3D points, by least squares. */
import { meshPoints } from './topology.ts'

/** Pseudo-inverse of some points, from which `fitTo` derives affine maps: 4 values per mesh point. */
export type AffineFit = Float64Array

/** @param points x, y, z of each landmark @returns null if all points lie in a plane */
export function affineFit(points: Float32Array): AffineFit | null {
  const whole = new Float64Array(meshPoints * 4)
  for (let at = 0; at < meshPoints * 3; at += 1) whole[Math.floor(at / 3) * 4 + (at % 3)] = points[at] ?? 0
  for (let point = 0; point < meshPoints; point += 1) whole[point * 4 + 3] = 1
  return minSquares(whole)
}

/**
 * The affine map from the fitted points to one coordinate of others.
 * @param size coordinates per point of `onto`
 * @returns factors of x, y and z, and an offset
 */
export function fitTo(fit: AffineFit, onto: Float32Array, axis: number, size: number): Float64Array {
  const map = new Float64Array(4)
  for (let point = 0; point < meshPoints; point += 1) {
    const value = onto[point * size + axis] ?? 0
    for (let part = 0; part < 4; part += 1) map[part] = (map[part] ?? 0) + (fit[point * 4 + part] ?? 0) * value
  }
  return map
}

/**
 * The affine image of `points` that is nearest to `onto`. Pose, size and the head's overall form become those of `onto`.
 * @returns x, y, z of the mesh's 468 points
 */
export function aligned(points: Float32Array, onto: Float32Array): Float32Array {
  const fit = affineFit(points)
  if (!fit) return points.slice(0, meshPoints * 3)
  const maps = [0, 1, 2].map((axis) => fitTo(fit, onto, axis, 3))
  return Float32Array.from({ length: meshPoints * 3 }, (_, at) => {
    const map = maps[at % 3]
    const point = at - (at % 3)
    let value = map?.[3] ?? 0
    for (let part = 0; part < 3; part += 1) value += (map?.[part] ?? 0) * (points[point + part] ?? 0)
    return value
  })
}

/** The median of several faces, point by point, laid over `onto`; null for none. */
export function medianFace(faces: readonly Float32Array[], onto: Float32Array): Float32Array | null {
  const all = faces.map((face) => aligned(face, onto))
  if (all.length === 0) return null
  return Float32Array.from({ length: meshPoints * 3 }, (_, at) => {
    const values = all.map((face) => face[at] ?? 0).sort((a, b) => a - b)
    const middle = values.length >> 1
    return values.length % 2 === 1 ? (values[middle] ?? 0) : ((values[middle - 1] ?? 0) + (values[middle] ?? 0)) / 2
  })
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
