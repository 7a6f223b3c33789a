/** @file Adds the footage's grain to the drawn face if it has less. Without it the face looks like plastic. */
import { kernels, Room } from '../kernels/kernels.ts'
import { skinFlag } from '../raster/mesh-weights.ts'
import type { FaceCrop, SwappedFace } from './swap-method.ts'

/** Minimum visible grain, in 16ths of a level: the median of how much pixels stand out of the mean of their surroundings. */
const min = 4
/** Deviations are clamped to this multiple of the grain; larger ones are edges. */
const max = 3
/** Grain is measured on every third row of the mask. */
const looked = 3
/** Values that are counted, 0…255. */
const values = 256

/** Face widths in pixels between which grain fades in. On smaller faces, fine detail is facial features. */
const smallest = 40
const large = 90

/**
 * Adds the target's grain to the drawn luma, in place. Footage without grain only costs the measurement.
 * @param gain factor by which the drawn luma, including the grain, is multiplied later
 */
export function addGrain({ box, under, faceWidth }: FaceCrop, { y, mask }: SwappedFace, gain: number): void {
  const grainy = Math.min(1, (faceWidth - smallest) / (large - smallest))
  if (grainy <= 0) return
  const room = new Room()
  const half = [box.width >> 1, box.height >> 1] as const
  const places = [room.copy(mask), room.copy(y), room.copy(under.y)] as const
  const found = room.copy(new Int32Array(2 * values))
  kernels.count_grain(...places, ...half, looked, skinFlag, found)
  const counts = new Int32Array(room.bytes(found, 8 * values).slice().buffer)
  const own = medianOf(counts.subarray(0, values)) * gain
  const grain = medianOf(counts.subarray(values))
  if (grain <= min || own >= grain) return
  // Independent grains add up by their squares. Fade in above the minimum, or the grain would flicker on and off.
  const share = (Math.sqrt(1 - (own / grain) ** 2) * Math.min(1, (grain - min) / min) * grainy) / gain
  kernels.add_grain(...places, ...half, Math.round(grain * max), share)
  y.set(room.bytes(places[1], y.length))
}

/**
 * The median, within a value in proportion; 0 without any. A mean would count the edges of brows and lids, of which a smooth
 * face has as many as others.
 * @param counts how often the values 0, 1, 2, … occur
 */
function medianOf(counts: Int32Array): number {
  let left = counts.reduce((sum, count) => sum + count, 0) / 2
  if (left === 0) return 0
  for (const [value, count] of counts.entries()) {
    if (count >= left) return Math.max(0, value + left / count - 0.5)
    left -= count
  }
  return counts.length
}
