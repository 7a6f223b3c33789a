import { kernels, Room } from '../kernels/kernels.ts'

/**
 * Applies a box blur of `radius` twice, in place. It approximates a Gaussian of 4 · radius + 1 taps. Values beyond the
 * border count as 0.
 */
export function blurBytes(data: Uint8Array, width: number, height: number, radius: number): void {
  if (radius < 1) return
  const room = new Room()
  const at = room.copy(data)
  kernels.blur(at, room.take(data.length), width, height, radius)
  data.set(room.bytes(at, data.length))
}

/**
 * Approximates a Gaussian blur of a small float field, in place, by three box passes whose variances add up to `sigma`². It
 * mixes the results of two integer radii, so that the light doesn't change in steps as a face comes nearer.
 * @param fields one field of `width` × `height` values, or several, one after the other
 */
export function blurField(fields: Float32Array, width: number, height: number, sigma: number): void {
  // Three boxes of radius r have a variance of r · (r + 1).
  const variance = Math.max(2, sigma * sigma)
  const radius = Math.floor((Math.sqrt(4 * variance + 1) - 1) / 2)
  const wider = (variance - radius * (radius + 1)) / (2 * (radius + 1))
  const size = width * height
  const room = new Room()
  const at = room.copy(fields)
  kernels.blur_fields(at, room.take(size * 8), width, height, fields.length / size, radius, wider)
  const { buffer, byteOffset } = room.bytes(at, fields.byteLength)
  fields.set(new Float32Array(buffer, byteOffset, fields.length))
}
