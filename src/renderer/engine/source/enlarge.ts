/** @file Upsamples small square fields to picture size. */

/**
 * Upsamples one channel of a `side` × `side` field bilinearly. It uses plain loops, because a function call per pixel
 * takes ten times as long until it is optimised.
 * @returns `width` × `height` values
 */
export function enlarge(
  field: Float32Array,
  side: number,
  { width, height }: { width: number; height: number },
  channels = 1,
  channel = 0,
): Float32Array {
  const out = new Float32Array(width * height)
  const lefts = new Int32Array(width)
  const shares = new Float32Array(width)
  for (let column = 0; column < width; column += 1) {
    const x = placeOf(column, width, side)
    lefts[column] = Math.min(side - 2, Math.floor(x))
    shares[column] = x - (lefts[column] ?? 0)
  }
  const line = new Float32Array(side)
  for (let row = 0; row < height; row += 1) {
    const y = placeOf(row, height, side)
    const top = Math.min(side - 2, Math.floor(y))
    const down = y - top
    for (let at = 0; at < side; at += 1) {
      const upper = field[(top * side + at) * channels + channel] ?? 0
      const lower = field[((top + 1) * side + at) * channels + channel] ?? 0
      line[at] = upper + (lower - upper) * down
    }
    for (let column = 0; column < width; column += 1) {
      const at = lefts[column] ?? 0
      const left = line[at] ?? 0
      out[row * width + column] = left + ((line[at + 1] ?? 0) - left) * (shares[column] ?? 0)
    }
  }
  return out
}

/** Position of a pixel's centre in the field, where values have integer positions; clamped to the field. */
const placeOf = (pixel: number, length: number, side: number): number =>
  Math.min(side - 1, Math.max(0, ((pixel + 0.5) * side) / length - 0.5))
