/**
 * @file Adds the footage's grain to the drawn face if it has less, and the pores and fine lines of the video's skin if the face
 * is larger in the video than in its picture. Without them the face looks like plastic or wax.
 */
import type { Canvas } from '../common/canvas.ts'
import { kernels, Room } from '../kernels/kernels.ts'
import { skinFlag } from '../raster/mesh-weights.ts'
import type { DrawnPlanes, FaceCrop } from './swap-method.ts'

/** Minimum visible grain, in 16ths of a level: the median of how much pixels stand out of the mean of their surroundings. */
const min = 4
/** Grain is measured on every third row of the mask. */
const looked = 3
/** Values that are counted, 0…255. */
const values = 256

/**
 * Detail of one size.
 * `from`, `to`: face widths in pixels between which it fades in. On smaller faces, it is facial features.
 * `max`: deviations are clamped to this multiple of the median; larger ones are edges.
 * `shift`: 1 if it is seen in luma at full size, twice as wide and high as the mask, 0 if at half size.
 */
interface Size {
  from: number
  to: number
  max: number
  shift: 0 | 1
  kernel: 'add_grain' | 'add_coarse_grain'
}
const fine: Size = { from: 40, to: 90, max: 3, shift: 1, kernel: 'add_grain' }
/** Twice as large. */
const coarse: Size = { from: 100, to: 180, max: 2, shift: 0, kernel: 'add_coarse_grain' }

/** How much pixels of skin stand out of their surroundings, in 16ths of a level; medians. */
export interface Grain {
  own: number
  target: number
}

/** The grain of the drawn face and of the frame. @param gain factor by which the drawn luma is multiplied later */
export function grainOf({ box, under }: FaceCrop, { y, mask }: DrawnPlanes, gain: number): Grain {
  const room = new Room()
  return measured(room, [room.copy(mask), room.copy(y), room.copy(under.y)], box, fine, gain)
}

/** @param places addresses of the mask and of the lumas of the drawn face and of the frame @param box of the crop */
function measured(
  room: Room,
  places: readonly [number, number, number],
  { width, height }: Canvas,
  { shift }: Size,
  gain: number,
): Grain {
  const found = room.copy(new Int32Array(2 * values))
  kernels.count_grain(...places, width >> 1, height >> 1, shift, looked, skinFlag, found)
  const counts = new Int32Array(room.bytes(found, 8 * values).slice().buffer)
  return { own: medianOf(counts.subarray(0, values)) * gain, target: medianOf(counts.subarray(values)) }
}

/**
 * Adds the target's grain and pores to the drawn luma, in place. Footage without only costs the measurement.
 * @param gain factor by which the drawn luma, including the grain, is multiplied later
 */
export function addGrain({ box, under, faceWidth }: FaceCrop, { y, mask }: DrawnPlanes, gain: number): void {
  if (faceWidth <= fine.from) return
  const room = new Room()
  const [lit, drawn, frame] = [room.copy(mask), room.copy(y), room.copy(under.y)] as const
  const [width, height] = [box.width >> 1, box.height >> 1]
  const add = (size: Size, planes: readonly [number, number]): boolean => {
    const grain = measured(room, [lit, ...planes], box, size, gain)
    const share = missing(grain, size, faceWidth) / gain
    if (share > 0)
      kernels[size.kernel](lit, drawn, planes[1], width, height, Math.round(grain.target * size.max), share)
    return share > 0
  }
  const halved = (plane: number): number => {
    const to = room.take(width * height)
    kernels.halve(plane, to, width, height)
    return to
  }
  // Coarse detail first: it has some fine detail, too.
  const isCoarser = faceWidth > coarse.from && add(coarse, [halved(drawn), halved(frame)])
  if (add(fine, [drawn, frame]) || isCoarser) y.set(room.bytes(drawn, y.length))
}

/**
 * The share of the target's grain that the drawn face lacks. Independent grains add up by their squares. It fades in above the
 * minimum, or the grain would flicker on and off.
 */
function missing({ own, target }: Grain, { from, to }: Size, faceWidth: number): number {
  if (target <= min || own >= target) return 0
  const large = Math.min(1, (faceWidth - from) / (to - from))
  return Math.sqrt(1 - (own / target) ** 2) * Math.min(1, (target - min) / min) * large
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
