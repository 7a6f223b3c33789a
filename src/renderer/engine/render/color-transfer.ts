/**
 * @file Gives the source's face the light and the skin tone of the target, at low frequency only: means of both over a
 * coarse grid, blurred, and the source's detail moved from one to the other; chroma follows luma.
 */
import { chromaOf } from '../media/planes.ts'
import { blurField } from './blur.ts'
import type { Grid } from './grid.ts'
import type { FaceCrop, SwappedFace } from './way-to-swap.ts'

/** Local means of two planes where the face's skin shows. */
export interface Means {
  source: Float32Array
  target: Float32Array
}

/**
 * Means of what was drawn and of the frame under it, where the mask's lowest bit is set.
 * @param grid over the crop at half size
 * @param sigma of the blur, in cells
 */
export function faceMeans(
  grid: Grid,
  { box, frame }: FaceCrop,
  drawn: SwappedFace,
  sigma: number,
): Record<'y' | 'u' | 'v', Means> {
  const { columns, rows, cell } = grid
  // Every other pixel of every other row says enough of a large cell.
  const step = cell >= 6 ? 2 : 1
  const left = box.left >> 1
  const top = box.top >> 1
  const chromaStride = chromaOf(frame.width)
  const cells = columns * rows
  const counts = new Float32Array(cells)
  const [fromY, toY, fromU, toU, fromV, toV] = Array.from({ length: 6 }, () => new Float32Array(cells)) as Six
  for (let row = 0; row < box.height >> 1; row += step) {
    const index = ((row / cell) | 0) * columns
    const at = row * (box.width >> 1)
    const lit = { mask: drawn.mask, at, end: at + (box.width >> 1), step, cell, index }
    const chroma = (top + row) * chromaStride + left
    sumLuma(lit, drawn.y, row * 2 * box.width, box.width, fromY)
    sumLuma(lit, frame.y, (box.top + row * 2) * frame.width + box.left, frame.width, toY)
    sumBytes(lit, drawn.u, at, fromU)
    sumBytes(lit, frame.u, chroma, toU)
    sumBytes(lit, drawn.v, at, fromV)
    sumBytes(lit, frame.v, chroma, toV)
    countLit(lit, counts)
  }
  const all = counts.reduce((sum, n) => sum + n, 0)
  blurField(counts, columns, rows, sigma)
  const mean = (sums: Float32Array): Float32Array => {
    const whole = sums.reduce((sum, value) => sum + value, 0)
    blurField(sums, columns, rows, sigma)
    // A little of the whole face's mean everywhere keeps empty regions defined.
    const share = 1e-4
    return sums.map((value, index) => (value + share * whole) / ((counts[index] ?? 0) + share * all + 1e-6))
  }
  return {
    y: { source: mean(fromY), target: mean(toY) },
    u: { source: mean(fromU), target: mean(toU) },
    v: { source: mean(fromV), target: mean(toV) },
  }
}

type Six = [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array, Float32Array]

/** A row of the mask: which of its pixels count, and the cell it begins in. */
interface LitRow {
  mask: Uint8Array
  at: number
  end: number
  step: number
  cell: number
  index: number
}

function countLit({ mask, at, end, step, cell, index }: LitRow, counts: Float32Array): void {
  for (let first = at; first < end; first += cell, index += 1) {
    const stop = Math.min(end, first + cell)
    let n = 0
    for (let pixel = first; pixel < stop; pixel += step) n += (mask[pixel] ?? 0) & 1
    counts[index] = (counts[index] ?? 0) + n
  }
}

function sumBytes(
  { mask, at, end, step, cell, index }: LitRow,
  plane: Uint8Array,
  from: number,
  sums: Float32Array,
): void {
  const shift = from - at
  for (let first = at; first < end; first += cell, index += 1) {
    const stop = Math.min(end, first + cell)
    let sum = 0
    for (let pixel = first; pixel < stop; pixel += step) {
      if ((mask[pixel] ?? 0) & 1) sum += plane[pixel + shift] ?? 0
    }
    sums[index] = (sums[index] ?? 0) + sum
  }
}

function sumLuma(
  { mask, at, end, step, cell, index }: LitRow,
  plane: Uint8Array,
  from: number,
  stride: number,
  sums: Float32Array,
): void {
  const shift = from - at * 2
  for (let first = at; first < end; first += cell, index += 1) {
    const stop = Math.min(end, first + cell)
    let sum = 0
    for (let pixel = first; pixel < stop; pixel += step) {
      if ((mask[pixel] ?? 0) & 1) sum += meanOfFour(plane, pixel * 2 + shift, stride)
    }
    sums[index] = (sums[index] ?? 0) + sum
  }
}

/** Of 2 × 2 bytes. */
export function meanOfFour(plane: Uint8Array, at: number, stride: number): number {
  const below = at + stride
  return ((plane[at] ?? 0) + (plane[at + 1] ?? 0) + (plane[below] ?? 0) + (plane[below + 1] ?? 0) + 2) >> 2
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
