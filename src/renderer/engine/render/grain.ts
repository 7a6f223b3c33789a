/** @file Adds the footage's grain to the drawn face if it has less. Without it the face looks like plastic. */
import { kernels, Room } from '../kernels/kernels.ts'
import { skinFlag } from '../raster/mesh-weights.ts'
import type { DrawnPlanes, FaceCrop } from './swap-method.ts'

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

/** How much pixels of skin stand out of their surroundings, in 16ths of a level; medians. */
export interface Grain {
  own: number
  target: number
}

/** The grain of the drawn face and of the frame. @param gain factor by which the drawn luma is multiplied later */
export function grainOf({ box, under }: FaceCrop, { y, mask }: DrawnPlanes, gain: number): Grain {
  const room = new Room()
  const found = room.copy(new Int32Array(2 * values))
  const places = [room.copy(mask), room.copy(y), room.copy(under.y)] as const
  kernels.count_grain(...places, box.width >> 1, box.height >> 1, looked, skinFlag, found)
  const counts = new Int32Array(room.bytes(found, 8 * values).slice().buffer)
  return { own: medianOf(counts.subarray(0, values)) * gain, target: medianOf(counts.subarray(values)) }
}

/**
 * Adds the target's grain to the drawn luma, in place. Footage without grain only costs the measurement.
 * @param gain factor by which the drawn luma, including the grain, is multiplied later
 */
export function addGrain(crop: FaceCrop, drawn: DrawnPlanes, gain: number): void {
  const grainy = Math.min(1, (crop.faceWidth - smallest) / (large - smallest))
  if (grainy <= 0) return
  const { own, target } = grainOf(crop, drawn, gain)
  if (target <= min || own >= target) return
  // Independent grains add up by their squares. Fade in above the minimum, or the grain would flicker on and off.
  const share = (Math.sqrt(1 - (own / target) ** 2) * Math.min(1, (target - min) / min) * grainy) / gain
  const room = new Room()
  const places = [room.copy(drawn.mask), room.copy(drawn.y), room.copy(crop.under.y)] as const
  kernels.add_grain(...places, crop.box.width >> 1, crop.box.height >> 1, Math.round(target * max), share)
  drawn.y.set(room.bytes(places[1], drawn.y.length))
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
