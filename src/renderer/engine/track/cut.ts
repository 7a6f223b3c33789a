/** @file Detects cuts between shots by comparing thumbnails of consecutive frames. */
import type { Planes } from '../media/pixels/planes.ts'

const columns = 24
const rows = 14

/** A luma thumbnail of 24 × 14 values, 0…255. Each is the mean of 16 samples. */
export function thumbnailOf({ y, width, height }: Planes): Uint8Array {
  const thumbnail = new Uint8Array(columns * rows)
  const stepX = Math.max(1, width / columns / 4)
  const stepY = Math.max(1, height / rows / 4)
  for (let at = 0; at < thumbnail.length; at += 1) {
    const left = Math.floor(((at % columns) * width) / columns)
    const top = Math.floor((Math.floor(at / columns) * height) / rows)
    let sum = 0
    for (let spot = 0; spot < 16; spot += 1) {
      const column = Math.min(width - 1, Math.floor(left + ((spot % 4) + 0.5) * stepX))
      const row = Math.min(height - 1, Math.floor(top + (Math.floor(spot / 4) + 0.5) * stepY))
      sum += y[row * width + column] ?? 0
    }
    thumbnail[at] = sum >> 4
  }
  return thumbnail
}

/** Mean difference of two thumbnails, in luma levels. */
export const differenceOf = (before: Uint8Array, after: Uint8Array): number =>
  before.reduce((sum, value, at) => sum + Math.abs(value - (after[at] ?? 0)), 0) / before.length

/** Two frames are of different shots above this mean difference (luma levels) and below this correlation. */
const minDifference = 14
const maxAlike = 0.6

export function isCut(before: Uint8Array, after: Uint8Array): boolean {
  const count = before.length
  let [sumA, sumB, dot, squareA, squareB, difference] = [0, 0, 0, 0, 0, 0]
  for (let at = 0; at < count; at += 1) {
    const [a, b] = [before[at] ?? 0, after[at] ?? 0]
    sumA += a
    sumB += b
    dot += a * b
    squareA += a * a
    squareB += b * b
    difference += Math.abs(a - b)
  }
  if (difference / count < minDifference) return false
  const spread = Math.sqrt((squareA - (sumA * sumA) / count) * (squareB - (sumB * sumB) / count))
  return (dot - (sumA * sumB) / count) / Math.max(1, spread) < maxAlike
}
