/**
 * @file Gives the source's face the light and the skin tone of the target, at low frequency only: means of both over a
 * coarse grid, blurred, and the difference added. In luma plainly; in chroma by scaling about the local mean, so that a
 * dark or grey pixel tends to grey and never past it.
 */
import { blurField } from './blur.ts'

export interface Grid {
  columns: number
  rows: number
  /** Pixels of a cell's side. */
  cell: number
}

export function gridFor(width: number, height: number, cell: number): Grid {
  return { cell, columns: Math.ceil(width / cell) + 1, rows: Math.ceil(height / cell) + 1 }
}

/** Local means of two planes where `weight`'s lowest bit is set. */
export interface Means {
  source: Float32Array
  target: Float32Array
}

/**
 * @param target the frame's plane, read from `origin` on with `stride` pixels a row
 * @param sigma of the blur, in cells
 */
export function localMeans(
  grid: Grid,
  width: number,
  height: number,
  source: Uint8Array,
  target: Uint8Array,
  origin: number,
  stride: number,
  weight: Uint8Array,
  sigma: number,
): Means {
  const { columns, rows, cell } = grid
  const count = new Float32Array(columns * rows)
  const sourceSum = new Float32Array(columns * rows)
  const targetSum = new Float32Array(columns * rows)
  for (let row = 0; row < height; row += 1) {
    const cells = ((row / cell) | 0) * columns
    for (let column = 0; column < width;) {
      const end = Math.min(width, (((column / cell) | 0) + 1) * cell)
      const cellIndex = cells + ((column / cell) | 0)
      let n = 0
      let s = 0
      let t = 0
      for (; column < end; column += 1) {
        const pixel = row * width + column
        if (((weight[pixel] ?? 0) & 1) === 0) continue
        n += 1
        s += source[pixel] ?? 0
        t += target[origin + row * stride + column] ?? 0
      }
      count[cellIndex] = (count[cellIndex] ?? 0) + n
      sourceSum[cellIndex] = (sourceSum[cellIndex] ?? 0) + s
      targetSum[cellIndex] = (targetSum[cellIndex] ?? 0) + t
    }
  }
  const total = [count, sourceSum, targetSum].map((field) => field.reduce((sum, value) => sum + value, 0))
  const [all = 0, allSource = 0, allTarget = 0] = total
  for (const field of [count, sourceSum, targetSum]) blurField(field, columns, rows, sigma)
  // A little of the whole face's mean everywhere keeps empty regions defined.
  const share = all > 0 ? 1e-4 : 0
  for (let index = 0; index < count.length; index += 1) {
    const n = (count[index] ?? 0) + share * all + 1e-6
    sourceSum[index] = ((sourceSum[index] ?? 0) + share * allSource) / n
    targetSum[index] = ((targetSum[index] ?? 0) + share * allTarget) / n
  }
  return { source: sourceSum, target: targetSum }
}

/**
 * Blends the corrected source over the target, in place: `target += (source · gain + offset − target) · weight`, with
 * gain and offset read from fields over the grid, interpolated between the centres of its cells.
 * @param weight 0…255
 * @param opacity 0…1
 */
export function blendPlane(
  grid: Grid,
  gain: Float32Array,
  offset: Float32Array,
  width: number,
  height: number,
  source: Uint8Array,
  target: Uint8Array,
  origin: number,
  stride: number,
  weight: Uint8Array,
  opacity: number,
): void {
  const { columns, rows, cell } = grid
  const gains = new Float32Array(columns + 1)
  const offsets = new Float32Array(columns + 1)
  const scale = opacity / 255
  for (let row = 0; row < height; row += 1) {
    const y = Math.max(0, (row + 0.5) / cell - 0.5)
    const upper = Math.min(rows - 1, y | 0)
    const lower = Math.min(rows - 1, upper + 1)
    const fy = y - upper
    for (let column = 0; column < columns; column += 1) {
      const a = upper * columns + column
      const b = lower * columns + column
      gains[column] = (gain[a] ?? 0) + ((gain[b] ?? 0) - (gain[a] ?? 0)) * fy
      offsets[column] = (offset[a] ?? 0) + ((offset[b] ?? 0) - (offset[a] ?? 0)) * fy
    }
    gains[columns] = gains[columns - 1] ?? 0
    offsets[columns] = offsets[columns - 1] ?? 0
    const line = origin + row * stride
    for (let column = 0; column < width; column += 1) {
      const pixel = row * width + column
      const share = weight[pixel] ?? 0
      if (share === 0) continue
      const x = (column + 0.5) / cell - 0.5
      const left = x < 0 ? 0 : x | 0
      const fx = x < 0 ? 0 : x - left
      const g0 = gains[left] ?? 0
      const o0 = offsets[left] ?? 0
      const g = g0 + ((gains[left + 1] ?? 0) - g0) * fx
      const o = o0 + ((offsets[left + 1] ?? 0) - o0) * fx
      const was = target[line + column] ?? 0
      const value = was + ((source[pixel] ?? 0) * g + o - was) * share * scale
      target[line + column] = value < 0 ? 0 : value > 255 ? 255 : value + 0.5
    }
  }
}

/** Luma: the difference of the means, in full. */
export function lumaFields({ source, target }: Means): { gain: Float32Array; offset: Float32Array } {
  const gain = new Float32Array(source.length).fill(1)
  const offset = target.map((value, index) => value - (source[index] ?? 0))
  return { gain, offset }
}

/** Chroma: about the means, by the ratio of their distances from grey, at most `limit`. */
export function chromaFields({ source, target }: Means, limit = 1.5): { gain: Float32Array; offset: Float32Array } {
  const gain = new Float32Array(source.length)
  const offset = new Float32Array(source.length)
  for (let index = 0; index < source.length; index += 1) {
    const from = (source[index] ?? 128) - 128
    const to = (target[index] ?? 128) - 128
    // Below two steps from grey the ratio says nothing.
    const ratio = Math.abs(from) < 2 ? Math.min(1, Math.abs(to) / 2) : to / from
    const bounded = ratio < 0 ? 0 : ratio > limit ? limit : ratio
    gain[index] = bounded
    offset[index] = (target[index] ?? 128) - (source[index] ?? 128) * bounded
  }
  return { gain, offset }
}
