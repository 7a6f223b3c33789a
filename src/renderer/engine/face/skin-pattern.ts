/**
 * @file The skin pattern: a face's luma at the points of its mesh. It is cheap to measure. It changes partly when the
 * face is occluded and mostly for a different face. (A face turned by 35° keeps nine tenths of it; two faces share less
 * than half.)
 */
import type { Planes } from '../media/pixels/planes.ts'
import { innerMouth, leftBrow, leftEye, meshPoints, outerLips, rightBrow, rightEye, ringOf } from './topology.ts'

const moving = new Set<number>([...leftEye, ...rightEye, ...leftBrow, ...rightBrow, ...outerLips, ...innerMouth])

/** Landmarks of the pattern: skin, without the outline and without moving features. */
const spots = Array.from({ length: meshPoints }, (_, point) => point).filter(
  (point) => !moving.has(point) && ringOf[point] !== 0,
)

/** Relative deviation from the expected luma above which a spot counts as changed. */
const differs = 0.14

/** Value of a spot outside the picture. */
export const unseen = -1

/**
 * Mean luma around each spot, 0…255, or `unseen` outside the picture.
 * @param spots x, y of each in the frame's pixels
 * @param radius of the square around each, in pixels
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
 * Measures the skin pattern of a face: mean luma per spot.
 * @param points x, y of the mesh's points in coded pixels
 */
export function skinPattern(frame: Planes, points: Float32Array): Float32Array {
  const at = (point: number): [number, number] => [points[point * 2] ?? 0, points[point * 2 + 1] ?? 0]
  const [right, left] = [at(234), at(454)]
  const radius = Math.max(1, Math.round(Math.hypot(left[0] - right[0], left[1] - right[1]) / 90))
  return lightAround(frame, Float32Array.from(spots.flatMap(at)), radius)
}

/** Rounds of the search for unoccluded spots, and the share of spots kept. */
const clearing = { rounds: 2, share: 0.7 }

/**
 * Counts changed spots among those visible in both patterns. A change of light on the whole face is compensated.
 * @param behind true if part of the face may be occluded; the light is then fitted by least trimmed squares
 */
export function changedSpots(
  then: Float32Array,
  now: Float32Array,
  behind = false,
): { changed: number; compared: number } {
  const seen = [...then.keys()].filter((at) => then[at] !== unseen && now[at] !== unseen)
  const offAt = ({ gain, offset }: Light): Float32Array =>
    then.map((value, at) => {
      const expected = gain * value + offset
      return Math.abs((now[at] ?? 0) - expected) / Math.max(32, expected)
    })
  let off = offAt(lightOf(then, now, seen))
  for (let round = 0; behind && round < clearing.rounds; round += 1) {
    const clear = seen
      .toSorted((a, b) => (off[a] ?? 0) - (off[b] ?? 0))
      .slice(0, Math.ceil(seen.length * clearing.share))
    off = offAt(lightOf(then, now, clear))
  }
  return { changed: seen.filter((at) => (off[at] ?? 0) > differs).length, compared: seen.length }
}

interface Light {
  gain: number
  offset: number
}

/** Least-squares fit of the change of light on some spots: `now ≈ gain · then + offset`. */
function lightOf(then: Float32Array, now: Float32Array, spots: readonly number[]): Light {
  let [sumThen, sumNow, dot, square] = [0, 0, 0, 0]
  for (const at of spots) {
    const [a, b] = [then[at] ?? 0, now[at] ?? 0]
    sumThen += a
    sumNow += b
    dot += a * b
    square += a * a
  }
  const count = Math.max(1, spots.length)
  const slope = (dot - (sumThen * sumNow) / count) / Math.max(1, square - (sumThen * sumThen) / count)
  const gain = Math.min(1.6, Math.max(0.6, slope))
  return { gain, offset: (sumNow - gain * sumThen) / count }
}

/** Moves the older pattern towards the newer one by `rate`, 0…1. */
export function towards(older: Float32Array, newer: Float32Array, rate: number): Float32Array {
  return older.map((value, at) => {
    const now = newer[at] ?? unseen
    return value === unseen ? now : now === unseen ? value : value + (now - value) * rate
  })
}
