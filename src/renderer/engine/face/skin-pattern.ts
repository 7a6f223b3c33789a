/**
 * @file A face's light and dark at the points of its mesh: cheap to take, in part another when something comes before the
 * face, and altogether another for another face. (Turned by 35°, a face keeps nine tenths of it; two faces share less
 * than half.)
 */
import type { Planes } from '../media/planes.ts'
import { innerMouth, leftBrow, leftEye, meshPoints, outerLips, rightBrow, rightEye, ringOf } from './topology.ts'

const moving = new Set<number>([...leftEye, ...rightEye, ...leftBrow, ...rightBrow, ...outerLips, ...innerMouth])

/** The points that are looked at: skin, off the outline, and off what moves by itself. */
const spots = Array.from({ length: meshPoints }, (_, point) => point).filter(
  (point) => !moving.has(point) && ringOf[point] !== 0,
)

/** Difference from what is expected, as a share of it, from which a spot counts as another. */
const differs = 0.14

/** Stands for a spot outside the picture. */
export const unseen = -1

/**
 * Mean luma around each spot, 0…255, or `unseen` outside the picture.
 * @param spots x, y of each in the frame's pixels
 * @param radius of the square around it, in pixels
 */
export function lightAround({ y, width, height }: Planes, spots: Float32Array, radius: number): Float32Array {
  const light = new Float32Array(spots.length / 2)
  for (let at = 0; at < light.length; at += 1) {
    const column = Math.round((spots[at * 2] ?? 0) - 0.5)
    const row = Math.round((spots[at * 2 + 1] ?? 0) - 0.5)
    if (column < radius || row < radius || column >= width - radius || row >= height - radius) {
      light[at] = unseen
      continue
    }
    let sum = 0
    for (let down = row - radius; down <= row + radius; down += 1) {
      for (let pixel = down * width + column - radius, end = pixel + 2 * radius; pixel <= end; pixel += 1)
        sum += y[pixel] ?? 0
    }
    light[at] = sum / (2 * radius + 1) ** 2
  }
  return light
}

/**
 * Light and dark at the spots of the skin.
 * @param points x, y of the mesh's points in coded pixels
 */
export function skinPattern(frame: Planes, points: Float32Array): Float32Array {
  const at = (point: number): [number, number] => [points[point * 2] ?? 0, points[point * 2 + 1] ?? 0]
  const [right, left] = [at(234), at(454)]
  const radius = Math.max(1, Math.round(Math.hypot(left[0] - right[0], left[1] - right[1]) / 90))
  return lightAround(frame, Float32Array.from(spots.flatMap(at)), radius)
}

/** How many of the spots seen in both are not as they were, more or less light on the whole face aside. */
export function changedSpots(then: Float32Array, now: Float32Array): { changed: number; compared: number } {
  // Least squares: now ≈ gain · then + offset.
  let [compared, sumThen, sumNow, dot, square] = [0, 0, 0, 0, 0]
  const seen = (at: number): boolean => then[at] !== unseen && now[at] !== unseen
  for (let at = 0; at < then.length; at += 1) {
    if (!seen(at)) continue
    const [a, b] = [then[at] ?? 0, now[at] ?? 0]
    compared += 1
    sumThen += a
    sumNow += b
    dot += a * b
    square += a * a
  }
  const count = Math.max(1, compared)
  const gain = (dot - (sumThen * sumNow) / count) / Math.max(1, square - (sumThen * sumThen) / count)
  const bounded = Math.min(1.6, Math.max(0.6, gain))
  const offset = (sumNow - bounded * sumThen) / count
  let changed = 0
  for (let at = 0; at < then.length; at += 1) {
    const expected = bounded * (then[at] ?? 0) + offset
    if (seen(at) && Math.abs((now[at] ?? 0) - expected) > differs * Math.max(32, expected)) changed += 1
  }
  return { changed, compared }
}

/** The older pattern brought `rate` (0…1) of the way to the newer one. */
export function towards(older: Float32Array, newer: Float32Array, rate: number): Float32Array {
  return older.map((value, at) => {
    const now = newer[at] ?? unseen
    return value === unseen ? now : now === unseen ? value : value + (now - value) * rate
  })
}
