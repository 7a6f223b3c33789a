/**
 * @file Gives the source's face the light and the skin tone of the target, at low frequency only: means of both over a
 * coarse grid, blurred, and the source's detail moved from one to the other; chroma follows luma.
 */
import { blurField } from './blur.ts'
import type { Grid } from './grid.ts'

/** Local means of two planes where `weight`'s lowest bit is set. */
export interface Means {
  source: Float32Array
  target: Float32Array
}

/** Pixels that count, by cell and blurred: what sums are divided by. */
export interface CellCounts {
  blurred: Float32Array
  all: number
}

export function countCells(grid: Grid, width: number, height: number, weight: Uint8Array, sigma: number): CellCounts {
  const blurred = new Float32Array(grid.columns * grid.rows)
  let all = 0
  for (let row = 0; row < height; row += 1) {
    const cells = ((row / grid.cell) | 0) * grid.columns
    for (let column = 0; column < width; column += 1) {
      if (((weight[row * width + column] ?? 0) & 1) === 0) continue
      const cell = cells + ((column / grid.cell) | 0)
      blurred[cell] = (blurred[cell] ?? 0) + 1
      all += 1
    }
  }
  blurField(blurred, grid.columns, grid.rows, sigma)
  return { blurred, all }
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
  counts: CellCounts,
  sigma: number,
): Means {
  const { columns, rows, cell } = grid
  const sourceSum = new Float32Array(columns * rows)
  const targetSum = new Float32Array(columns * rows)
  let allSource = 0
  let allTarget = 0
  for (let row = 0; row < height; row += 1) {
    const cells = ((row / cell) | 0) * columns
    const line = origin + row * stride
    for (let column = 0, index = cells; column < width; index += 1) {
      const end = Math.min(width, column + cell)
      let s = 0
      let t = 0
      for (; column < end; column += 1) {
        const pixel = row * width + column
        if (((weight[pixel] ?? 0) & 1) === 0) continue
        s += source[pixel] ?? 0
        t += target[line + column] ?? 0
      }
      sourceSum[index] = (sourceSum[index] ?? 0) + s
      targetSum[index] = (targetSum[index] ?? 0) + t
      allSource += s
      allTarget += t
    }
  }
  blurField(sourceSum, columns, rows, sigma)
  blurField(targetSum, columns, rows, sigma)
  // A little of the whole face's mean everywhere keeps empty regions defined.
  const share = 1e-4
  for (let index = 0; index < sourceSum.length; index += 1) {
    const n = (counts.blurred[index] ?? 0) + share * counts.all + 1e-6
    sourceSum[index] = ((sourceSum[index] ?? 0) + share * allSource) / n
    targetSum[index] = ((targetSum[index] ?? 0) + share * allTarget) / n
  }
  return { source: sourceSum, target: targetSum }
}

/** What to do to the source's luma, over the grid: `source · gain + offset`. */
export interface LumaFields {
  gain: Float32Array
  offset: Float32Array
}

/**
 * Luma: detail about the source's local mean, moved to the target's. Detail shrinks in proportion where the target is
 * darker, as light does, and does not grow where it is brighter: shadows of the source would read as dirt.
 */
export function lumaFields({ source, target }: Means): LumaFields {
  const gain = new Float32Array(source.length)
  const offset = new Float32Array(source.length)
  for (let index = 0; index < source.length; index += 1) {
    const from = Math.max(8, (source[index] ?? 0) - 16)
    const to = Math.max(8, (target[index] ?? 0) - 16)
    const bounded = Math.min(1, Math.max(0.35, to / from))
    gain[index] = bounded
    offset[index] = (target[index] ?? 0) - (source[index] ?? 0) * bounded
  }
  return { gain, offset }
}

/**
 * Chroma in proportion to luma, `c ≈ share · (Y − 16)`: the target's share for the final luma, plus how far the source's
 * chroma is from its own share. So a shadow keeps the hue of the skin instead of turning grey or blue.
 */
export interface ChromaFields {
  /** Target's chroma (about zero) per luma. */
  target: Float32Array
  /** Source's chroma per luma, times `detail`. */
  source: Float32Array
  /** How much of the source's own chroma detail is kept: none for a grey target. */
  detail: number
}

export function chromaFields(luma: Means, chroma: Means): ChromaFields {
  const target = new Float32Array(luma.source.length)
  const source = new Float32Array(luma.source.length)
  let fromSum = 0
  let toSum = 0
  for (let index = 0; index < target.length; index += 1) {
    const from = (chroma.source[index] ?? 128) - 128
    const to = (chroma.target[index] ?? 128) - 128
    target[index] = to / Math.max(12, (luma.target[index] ?? 0) - 16)
    source[index] = from / Math.max(12, (luma.source[index] ?? 0) - 16)
    fromSum += Math.abs(from)
    toSum += Math.abs(to)
  }
  const detail = Math.min(1, toSum / Math.max(1, fromSum))
  for (let index = 0; index < source.length; index += 1) source[index] = (source[index] ?? 0) * detail
  return { target, source, detail }
}
