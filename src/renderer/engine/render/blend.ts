/** @file Lays the corrected source over the frame, in place: luma at full size, chroma at half. */
import type { ChromaFields, LumaFields } from './color-transfer.ts'
import { FieldRows, type Grid } from './grid.ts'

/**
 * Blends the corrected source over the target's luma, in place: `target += (source · gain + offset − target) · weight`,
 * with gain and offset read from fields over the grid, interpolated between the centres of its cells.
 * @param weight 0…255, at half the size in both directions, as the grid is
 * @param opacity 0…1
 */
export function blendLuma(
  grid: Grid,
  { gain, offset }: LumaFields,
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
  // Sixteenths of 255 become parts of 4096.
  const scale = Math.round((opacity * 4096 * 4096) / 4080)
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
        out[line + column] = was + (((corrected - was) * (shares[column] ?? 0) + 2048) >> 12)
        g += stepG
        o += stepO
      }
    }
  }
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
