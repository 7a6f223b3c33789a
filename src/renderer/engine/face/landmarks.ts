/** @file The 478 landmarks of a face, and the outline, region and pose derived from them. All in upright pixels. */
import type { FaceOutline } from '@shared/engine/engine.ts'
import { regionToUpright, type Region } from './region.ts'
import { allPoints, faceOval, sketchPoints } from './topology.ts'
import type { Affine } from '../common/affine.ts'

export const landmarkSide = 256

/** x, y, z of each of the 478 landmarks. z grows away from the camera, in the same unit; its origin is arbitrary. */
export type Points = Float32Array

/** Converts the model's output (pixels of its 256² square) to upright pixels. */
export function pointsFromModel(raw: Float32Array, region: Region): Points {
  const map = regionToUpright(region)
  const points = new Float32Array(allPoints * 3)
  for (let at = 0; at < points.length; at += 3) {
    const x = (raw[at] ?? 0) / landmarkSide
    const y = (raw[at + 1] ?? 0) / landmarkSide
    points[at] = map.a * x + map.b * y + map.c
    points[at + 1] = map.d * x + map.e * y + map.f
    points[at + 2] = ((raw[at + 2] ?? 0) / landmarkSide) * region.size
  }
  return points
}

export const pointX = (points: Points, index: number): number => points[index * 3] ?? 0
export const pointY = (points: Points, index: number): number => points[index * 3 + 1] ?? 0
export const pointZ = (points: Points, index: number): number => points[index * 3 + 2] ?? 0

/** Bounding box of all landmarks, or of those in `only`. */
export function boundsOf(
  points: Points,
  only?: readonly number[],
): { x: number; y: number; width: number; height: number } {
  let left = Infinity
  let top = Infinity
  let right = -Infinity
  let bottom = -Infinity
  const count = only?.length ?? allPoints
  for (let index = 0; index < count; index += 1) {
    const point = only ? (only[index] ?? 0) : index
    const x = pointX(points, point)
    const y = pointY(points, point)
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  return { x: left, y: top, width: right - left, height: bottom - top }
}

/** The region in which to find the same face again: its bounds along its own axes, 1.5 times as large. */
export function regionOfPoints(points: Points): Region {
  const angle = Math.atan2(pointY(points, 263) - pointY(points, 33), pointX(points, 263) - pointX(points, 33))
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  let minU = Infinity
  let maxU = -Infinity
  let minV = Infinity
  let maxV = -Infinity
  for (let index = 0; index < allPoints; index += 1) {
    const x = pointX(points, index)
    const y = pointY(points, index)
    const u = x * cos + y * sin
    const v = y * cos - x * sin
    minU = Math.min(minU, u)
    maxU = Math.max(maxU, u)
    minV = Math.min(minV, v)
    maxV = Math.max(maxV, v)
  }
  const u = (minU + maxU) / 2
  const v = (minV + maxV) / 2
  return { x: u * cos - v * sin, y: u * sin + v * cos, size: Math.max(maxU - minU, maxV - minV) * 1.5, angle }
}

/** Yaw of the head in degrees, from the line between the ears; positive is to the person's left. */
export function yawOf(points: Points): number {
  const x = pointX(points, 454) - pointX(points, 234)
  const y = pointY(points, 454) - pointY(points, 234)
  const z = pointZ(points, 454) - pointZ(points, 234)
  return (Math.atan2(z, Math.hypot(x, y)) * 180) / Math.PI
}

const round = (value: number): number => Math.round(value * 10) / 10

/** The face's outline for the studio, rounded to 0.1 pixels. */
export function outlineOf(points: Points): FaceOutline {
  const at = (index: number): [number, number] => [round(pointX(points, index)), round(pointY(points, index))]
  const box = boundsOf(points, faceOval)
  return {
    box: { x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) },
    oval: faceOval.map(at),
    points: sketchPoints.map(at),
  }
}

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

/** Height to width of an opening, from corner to corner, summed over its pairs of points. @param size values per point */
export function opennessOf(loop: readonly number[], points: Float32Array, size: 2 | 3): number {
  const between = (a: number, b: number): number =>
    Math.hypot(...[0, 1].map((axis) => (points[a * size + axis] ?? 0) - (points[b * size + axis] ?? 0)))
  const corner = loop.length / 2
  let height = 0
  for (let at = 1; at < corner; at += 1) height += between(loop[at] ?? 0, loop[loop.length - at] ?? 0)
  return height / Math.max(1e-6, between(loop[0] ?? 0, loop[corner] ?? 0))
}
