/** @file A face's light and dark at the points of its mesh: cheap to take, and another when something comes before it. */
import type { Planes } from '../media/planes.ts'
import { innerMouth, leftBrow, leftEye, meshPoints, outerLips, rightBrow, rightEye, ringOf } from '../face/topology.ts'

const moving = new Set<number>([...leftEye, ...rightEye, ...leftBrow, ...rightBrow, ...outerLips, ...innerMouth])

/** The points that are looked at: skin, off the outline, and off what moves by itself. */
const spots = Array.from({ length: meshPoints }, (_, point) => point).filter(
  (point) => !moving.has(point) && ringOf[point] !== 0,
)

/** Difference from what is expected, as a share of it, from which a spot counts as another. */
const differs = 0.14

/**
 * Mean luma around each spot, 0…255.
 * @param points x, y of the mesh's points in coded pixels
 */
export function skinPattern({ y, width, height }: Planes, points: Float32Array): Float32Array {
  const across = Math.hypot(
    (points[454 * 2] ?? 0) - (points[234 * 2] ?? 0),
    (points[454 * 2 + 1] ?? 0) - (points[234 * 2 + 1] ?? 0),
  )
  const radius = Math.max(1, Math.round(across / 90))
  return Float32Array.from(spots, (point) => {
    const column = Math.min(width - 1 - radius, Math.max(radius, Math.round((points[point * 2] ?? 0) - 0.5)))
    const row = Math.min(height - 1 - radius, Math.max(radius, Math.round((points[point * 2 + 1] ?? 0) - 0.5)))
    let sum = 0
    for (let down = row - radius; down <= row + radius; down += 1) {
      for (let at = down * width + column - radius, end = at + 2 * radius; at <= end; at += 1) sum += y[at] ?? 0
    }
    return sum / (2 * radius + 1) ** 2
  })
}

/** How many spots of `now` are not as in `then`, more or less light on the whole face aside. */
export function changedSpots(then: Float32Array, now: Float32Array): number {
  // Least squares: now ≈ gain · then + offset.
  const count = then.length
  let [sumThen, sumNow, dot, square] = [0, 0, 0, 0]
  for (let at = 0; at < count; at += 1) {
    const [a, b] = [then[at] ?? 0, now[at] ?? 0]
    sumThen += a
    sumNow += b
    dot += a * b
    square += a * a
  }
  const gain = (dot - (sumThen * sumNow) / count) / Math.max(1, square - (sumThen * sumThen) / count)
  const bounded = Math.min(1.6, Math.max(0.6, gain))
  const offset = (sumNow - bounded * sumThen) / count
  let changed = 0
  for (let at = 0; at < count; at += 1) {
    const expected = bounded * (then[at] ?? 0) + offset
    if (Math.abs((now[at] ?? 0) - expected) > differs * Math.max(32, expected)) changed += 1
  }
  return changed
}
