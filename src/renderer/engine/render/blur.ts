import { kernels, Room } from './kernels.ts'

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
  const scratch = new Float32Array(field.length)
  for (let pass = 0; pass < 3; pass += 1) {
    for (let row = 0; row < height; row += 1) boxLine(field, scratch, row * width, 1, width, radius)
    for (let column = 0; column < width; column += 1) boxLine(scratch, field, column, width, height, radius)
  }
}

function boxLine(
  from: Float32Array,
  to: Float32Array,
  start: number,
  step: number,
  count: number,
  radius: number,
): void {
  let sum = 0
  for (let index = 0; index < Math.min(radius, count); index += 1) sum += from[start + index * step] ?? 0
  for (let index = 0; index < count; index += 1) {
    if (index + radius < count) sum += from[start + (index + radius) * step] ?? 0
    if (index - radius - 1 >= 0) sum -= from[start + (index - radius - 1) * step] ?? 0
    to[start + index * step] = sum / (2 * radius + 1)
  }
}
