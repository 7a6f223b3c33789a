/** @file Fields: one value per point of the face mesh. */
import { meshPoints, skinTriangles } from './topology.ts'

/** Smooths a field: each value becomes the mean of the means of its point's triangles. */
export function spread(values: Float32Array): Float32Array<ArrayBuffer> {
  const sum = new Float32Array(meshPoints)
  const count = new Float32Array(meshPoints)
  for (let triangle = 0; triangle < skinTriangles.length; triangle += 3) {
    const corners = skinTriangles.subarray(triangle, triangle + 3)
    const mean = corners.reduce((total, point) => total + (values[point] ?? 0), 0) / 3
    for (const point of corners) {
      sum[point] = (sum[point] ?? 0) + mean
      count[point] = (count[point] ?? 0) + 1
    }
  }
  return sum.map((value, point) => value / Math.max(1, count[point] ?? 0))
}
