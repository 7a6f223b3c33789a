/**
 * @file Gives the source's face the light and the skin tone of the target, at low frequency only: means of both over a
 * coarse grid, blurred, and the source's detail moved from one to the other; chroma follows luma.
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

/**
 * Blends the corrected source over the target's luma, in place: `target += (source · gain + offset − target) · weight`,
 * with gain and offset read from fields over the grid, interpolated between the centres of its cells.
 * @param weight 0…255, at half the size in both directions, as the grid is
 * @param opacity 0…1
 */
export function blendLuma(
  grid: Grid,
  { gain, offset }: { gain: Float32Array; offset: Float32Array },
  width: number,
  height: number,
  source: Uint8Array,
  target: Uint8Array,
  origin: number,
  stride: number,
  weight: Uint8Array,
  opacity: number,
): void {
  const rowsOf = new FieldRows(grid, grid.cell * 2, [gain, offset])
  const [gains, offsets] = rowsOf.lines
  if (!gains || !offsets) return
  const halfWidth = width >> 1
  const halfHeight = height >> 1
  // One row of the mask between two of its own, with a repeated pixel at either end.
  const mask = new Uint16Array(halfWidth + 2)
  const shares = new Uint16Array(width)
  const scale = Math.round(opacity * 4096)
  const out = new Uint8ClampedArray(target.buffer, target.byteOffset, target.length)
  for (let row = 0; row < height; row += 1) {
    const near = (row >> 1) * halfWidth
    const far = Math.min(halfHeight - 1, Math.max(0, (row >> 1) + (row & 1 ? 1 : -1))) * halfWidth
    let first = halfWidth
    let last = -1
    for (let column = 0; column < halfWidth; column += 1) {
      const value = 3 * (weight[near + column] ?? 0) + (weight[far + column] ?? 0)
      mask[column + 1] = value
      if (value === 0) continue
      if (column < first) first = column
      last = column
    }
    if (last < 0) continue
    // Half a pixel of the mask reaches into the next.
    first = Math.max(0, first - 1)
    last = Math.min(halfWidth - 1, last + 1)
    mask[0] = mask[1] ?? 0
    mask[halfWidth + 1] = mask[halfWidth] ?? 0
    // Shares of 4096, for each pixel of the row; 16 · 255 is all.
    for (let half = first + 1; half <= last + 1; half += 1) {
      const value = 3 * (mask[half] ?? 0)
      shares[half * 2 - 2] = ((value + (mask[half - 1] ?? 0)) * scale) >> 12
      shares[half * 2 - 1] = ((value + (mask[half + 1] ?? 0)) * scale) >> 12
    }
    rowsOf.at(row)
    const line = origin + row * stride
    const from = row * width
    const end = last * 2 + 2
    for (let column = first * 2; column < end;) {
      // Between the centres of two cells the fields are straight; 12 bits of fraction.
      const span = rowsOf.span(column)
      const stop = Math.min(end, span.end)
      const left = span.cell
      let g = Math.round(((gains[left] ?? 0) + ((gains[left + 1] ?? 0) - (gains[left] ?? 0)) * span.fraction) * 4096)
      let o = Math.round(
        ((offsets[left] ?? 0) + ((offsets[left + 1] ?? 0) - (offsets[left] ?? 0)) * span.fraction) * 4096,
      )
      const stepG = Math.round(((gains[left + 1] ?? 0) - (gains[left] ?? 0)) * span.step * 4096)
      const stepO = Math.round(((offsets[left + 1] ?? 0) - (offsets[left] ?? 0)) * span.step * 4096)
      for (; column < stop; column += 1) {
        const corrected = ((source[from + column] ?? 0) * g + o + 2048) >> 12
        const was = target[line + column] ?? 0
        out[line + column] = was + ((((corrected - was) * (shares[column] ?? 0) + 2040) / 4080) | 0)
        g += stepG
        o += stepO
      }
    }
  }
}

/** Reads fields over a grid along the rows of a picture, by straight lines between the centres of cells. */
class FieldRows {
  /** The fields at the current row, one value a column of cells and a repeated one at the end. */
  readonly lines: Float32Array[]
  readonly #grid: Grid
  readonly #cell: number
  readonly #fields: readonly Float32Array[]
  readonly #span = { cell: 0, fraction: 0, step: 0, end: 0 }

  /** @param cell in pixels of the picture that is read for */
  constructor(grid: Grid, cell: number, fields: readonly Float32Array[]) {
    this.#grid = grid
    this.#cell = cell
    this.#fields = fields
    this.lines = fields.map(() => new Float32Array(grid.columns + 1))
  }

  at(row: number): void {
    const { columns, rows } = this.#grid
    const y = Math.max(0, (row + 0.5) / this.#cell - 0.5)
    const upper = Math.min(rows - 1, y | 0)
    const lower = Math.min(rows - 1, upper + 1)
    const fraction = y - upper
    for (const [index, field] of this.#fields.entries()) {
      const line = this.lines[index]
      if (!line) continue
      for (let column = 0; column < columns; column += 1) {
        const a = field[upper * columns + column] ?? 0
        line[column] = a + ((field[lower * columns + column] ?? 0) - a) * fraction
      }
      line[columns] = line[columns - 1] ?? 0
    }
  }

  /** From a pixel on: which two cells it lies between, how far, the step a pixel makes, and where that ends. */
  span(column: number): { cell: number; fraction: number; step: number; end: number } {
    const x = (column + 0.5) / this.#cell - 0.5
    const span = this.#span
    if (x < 0) {
      span.cell = 0
      span.fraction = 0
      span.step = 0
      span.end = Math.max(column + 1, Math.ceil(this.#cell / 2 - 0.5))
    } else {
      const cell = Math.min(x | 0, this.#grid.columns - 1)
      span.cell = cell
      span.fraction = x - cell
      span.step = 1 / this.#cell
      span.end = Math.max(column + 1, Math.ceil((cell + 1.5) * this.#cell - 0.5))
    }
    return span
  }
}

/**
 * Luma: detail about the source's local mean, moved to the target's. Detail shrinks where the target is darker, as
 * light does, and grows only a little where it is brighter.
 */
export function lumaFields({ source, target }: Means): { gain: Float32Array; offset: Float32Array } {
  const gain = new Float32Array(source.length)
  const offset = new Float32Array(source.length)
  for (let index = 0; index < source.length; index += 1) {
    const from = Math.max(8, (source[index] ?? 0) - 16)
    const to = Math.max(8, (target[index] ?? 0) - 16)
    const bounded = Math.min(1.25, Math.max(0.35, (to / from) ** 0.6))
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

/**
 * Blends one corrected chroma plane over the target's, in place. All planes here have the size of chroma planes.
 * @param sourceLuma of the drawn source, `targetLuma` of the frame after its luma was blended
 */
export function blendChroma(
  grid: Grid,
  fields: ChromaFields,
  width: number,
  height: number,
  source: Uint8Array,
  sourceLuma: Uint8Array,
  targetLuma: Uint8Array,
  target: Uint8Array,
  origin: number,
  stride: number,
  weight: Uint8Array,
  opacity: number,
): void {
  const rowsOf = new FieldRows(grid, grid.cell, [fields.target, fields.source])
  const [targets, sources] = rowsOf.lines
  if (!targets || !sources) return
  const scale = opacity / 255
  const { detail } = fields
  const out = new Uint8ClampedArray(target.buffer, target.byteOffset, target.length)
  for (let row = 0; row < height; row += 1) {
    rowsOf.at(row)
    const line = origin + row * stride
    const from = row * width
    for (let column = 0; column < width;) {
      const span = rowsOf.span(column)
      const stop = Math.min(width, span.end)
      const left = span.cell
      const stepT = ((targets[left + 1] ?? 0) - (targets[left] ?? 0)) * span.step
      const stepS = ((sources[left + 1] ?? 0) - (sources[left] ?? 0)) * span.step
      let t = (targets[left] ?? 0) + ((targets[left + 1] ?? 0) - (targets[left] ?? 0)) * span.fraction
      let s = (sources[left] ?? 0) + ((sources[left + 1] ?? 0) - (sources[left] ?? 0)) * span.fraction
      for (; column < stop; column += 1, t += stepT, s += stepS) {
        const pixel = from + column
        const share = weight[pixel] ?? 0
        if (share === 0) continue
        const base = t * ((targetLuma[pixel] ?? 0) - 16)
        const bright = (sourceLuma[pixel] ?? 0) - 16
        // What is dark in the source has no hue of its own that could be trusted.
        const trust = bright > 96 ? 1 : bright < 0 ? 0 : bright / 96
        const corrected = base + (((source[pixel] ?? 128) - 128) * detail - s * bright) * trust
        // Detail may weaken the skin's hue but not turn it over.
        const least = base * 0.7
        const kept = base < 0 ? (corrected > least ? least : corrected) : corrected < least ? least : corrected
        const was = target[line + column] ?? 128
        out[line + column] = was + (kept + 128 - was) * share * scale
      }
    }
  }
}
