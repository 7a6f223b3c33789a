/** @file Adds the footage's grain to the drawn face if it has less. Without it the face looks like plastic. */
import { kernels, Room } from '../kernels/kernels.ts'
import { skinFlag } from '../raster/mesh-weights.ts'
import type { FaceCrop, SwappedFace } from './swap-method.ts'

/** Minimum visible grain: mean absolute deviation of pixels from the mean of their surroundings, in 16ths of a level. */
const min = 16
/** Deviations are clamped to this multiple of the grain; larger ones are edges. */
const max = 2.5
/** Grain is measured on every third row of the mask. */
const looked = 3

/** Face widths in pixels between which grain fades in. On smaller faces, fine detail is facial features. */
const smallest = 60
const large = 160

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
  const found = room.copy(new Int32Array(3))
  kernels.sum_grain(...places, ...half, looked, skinFlag, found)
  const [drawn = 0, wanted = 0, count = 0] = new Int32Array(room.bytes(found, 12).slice().buffer)
  const own = drawn * gain
  const grain = wanted / Math.max(1, count)
  if (grain <= min || own >= wanted) return
  // Independent grains add up by their squares. Fade in above the minimum, or the grain would flicker on and off.
  const share = (Math.sqrt(1 - (own / wanted) ** 2) * Math.min(1, (grain - min) / min) * grainy) / gain
  kernels.add_grain(...places, ...half, Math.round(grain * max), share)
  y.set(room.bytes(places[1], y.length))
}
