/** @file Removes grain, cracks and compression noise from the source without blurring edges. */
import type { SourceCut } from './source-face.ts'

/** Contrast in 8-bit levels below which detail counts as grain. */
const grain = 11
/** Share of the grain to remove. */
const strength = 0.8

/**
 * Self-guided filter (He, Sun, Tang, "Guided Image Filtering", 2010), mixed with the original, in place.
 * @param radius in pixels
 */
export function softenGrain(cut: SourceCut, radius: number): void {
  const { rgba, width, height } = cut
  const size = width * height
  const channel = new Float32Array(size)
  const square = new Float32Array(size)
  for (let c = 0; c < 3; c += 1) {
    for (let pixel = 0; pixel < size; pixel += 1) {
      const value = rgba[pixel * 4 + c] ?? 0
      channel[pixel] = value
      square[pixel] = value * value
    }
    const mean = boxMean(channel, width, height, radius)
    const meanSquare = boxMean(square, width, height, radius)
    for (let pixel = 0; pixel < size; pixel += 1) {
      const m = mean[pixel] ?? 0
      const variance = Math.max(0, (meanSquare[pixel] ?? 0) - m * m)
      const slope = variance / (variance + grain * grain)
      square[pixel] = slope
      channel[pixel] = m * (1 - slope)
    }
    const slope = boxMean(square, width, height, radius)
    const offset = boxMean(channel, width, height, radius)
    for (let pixel = 0; pixel < size; pixel += 1) {
      const was = rgba[pixel * 4 + c] ?? 0
      rgba[pixel * 4 + c] = was + ((slope[pixel] ?? 0) * was + (offset[pixel] ?? 0) - was) * strength
    }
  }
}

/** Mean over a square of `2 · radius + 1` pixels, clipped at the border. */
function boxMean(field: Float32Array, width: number, height: number, radius: number): Float32Array {
  const rows = new Float32Array(field.length)
  for (let row = 0; row < height; row += 1) meanLine(field, rows, row * width, width, radius)
  // Process all columns at once, row by row, for sequential memory access.
  const out = new Float32Array(field.length)
  const sums = new Float64Array(width)
  let n = 0
  const add = (row: number, sign: 1 | -1): void => {
    if (row < 0 || row >= height) return
    n += sign
    for (let column = 0; column < width; column += 1)
      sums[column] = (sums[column] ?? 0) + sign * (rows[row * width + column] ?? 0)
  }
  for (let row = 0; row < radius; row += 1) add(row, 1)
  for (let row = 0; row < height; row += 1) {
    add(row + radius, 1)
    add(row - radius - 1, -1)
    for (let column = 0; column < width; column += 1) out[row * width + column] = (sums[column] ?? 0) / n
  }
  return out
}

function meanLine(from: Float32Array, to: Float32Array, start: number, count: number, radius: number): void {
  let sum = 0
  let n = 0
  for (let index = 0; index < Math.min(radius, count); index += 1, n += 1) sum += from[start + index] ?? 0
  for (let index = 0; index < count; index += 1) {
    if (index + radius < count) {
      sum += from[start + index + radius] ?? 0
      n += 1
    }
    if (index - radius - 1 >= 0) {
      sum -= from[start + index - radius - 1] ?? 0
      n -= 1
    }
    to[start + index] = sum / n
  }
}
