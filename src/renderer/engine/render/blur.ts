import { kernels, Room } from '../kernels/kernels.ts'

/**
 * Box blur of radius `radius`, twice, in place: close to a bell of 4·radius + 1 taps. Values beyond the border are
 * taken as zero.
 */
export function blurBytes(data: Uint8Array, width: number, height: number, radius: number): void {
  if (radius < 1) return
  const room = new Room()
  const at = room.copy(data)
  kernels.blur(at, room.take(data.length), width, height, radius)
  data.set(room.bytes(at, data.length))
}

/** Bell-shaped blur of a small float field, in place, by three box passes whose variances add up to `sigma`². */
export function blurField(field: Float32Array, width: number, height: number, sigma: number): void {
  // Variance of a box of radius r is ((2r + 1)² − 1) / 12.
  const radius = Math.max(1, Math.round((Math.sqrt(4 * sigma * sigma + 1) - 1) / 2))
  const room = new Room()
  const at = room.copy(field)
  kernels.blur_field(at, room.take(field.byteLength), width, height, radius)
  new Uint8Array(field.buffer, field.byteOffset, field.byteLength).set(room.bytes(at, field.byteLength))
}
