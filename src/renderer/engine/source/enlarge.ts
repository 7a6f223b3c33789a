/** @file Upsamples small square fields to picture size. */
import { kernels, Room } from '../kernels/kernels.ts'

/**
 * Upsamples one channel of a `side` × `side` field by straight lines between the centres of its pixels; beyond the outer ones it
 * is flat.
 * @returns `width` × `height` values
 */
export function enlarge(
  field: Float32Array,
  side: number,
  { width, height }: { width: number; height: number },
  channels = 1,
  channel = 0,
): Float32Array {
  const room = new Room()
  const [from, to] = [room.copy(field), room.take(width * height * 4)]
  kernels.enlarge(from, side, channels, channel, to, width, height)
  return new Float32Array(room.bytes(to, width * height * 4).slice().buffer)
}
