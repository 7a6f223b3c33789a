/** @file Gives the drawn face the grain of the footage where that has more of it: else it looks like plastic there. */
import { kernels, Room } from '../kernels/kernels.ts'
import { skinFlag } from '../raster/mesh-weights.ts'
import type { FaceCrop, SwappedFace } from './swap-method.ts'

/** Grain below this, in levels that a pixel stands out by of the mean of its four, is not seen. */
const min = 1
/** What stands out further than this many times the grain is an edge. */
const max = 2.5
/** Of so many rows of the mask, one is looked at to find out how much grain there is. */
const looked = 3

/** Widths of a face, in pixels, from which what stands out may be grain, and surely is: in smaller ones it is features. */
const smallest = 60
const large = 160

/**
 * Adds the target's grain to the drawn luma, in place. Footage without grain costs the looking only.
 * @param gain by which the drawn luma will be multiplied, grain and all
 */
export function addGrain({ frame, box, faceWidth }: FaceCrop, { y, mask }: SwappedFace, gain: number): void {
  const grainy = Math.min(1, (faceWidth - smallest) / (large - smallest))
  if (grainy <= 0) return
  const room = new Room()
  const half = [box.width >> 1, box.height >> 1] as const
  const places = [room.copy(mask), room.copy(y), room.cut(frame.y, frame.width, box)] as const
  const found = room.copy(new Int32Array(3))
  kernels.sum_grain(...places, ...half, looked, skinFlag, found)
  const [drawn = 0, wanted = 0, count = 0] = new Int32Array(room.bytes(found, 12).slice().buffer)
  const own = drawn * gain
  const grain = wanted / Math.max(1, count)
  if (grain <= min || own >= wanted) return
  // Grains add up by their squares. Near the least it comes in gradually, or a film would flicker between with and without.
  const share = (Math.sqrt(1 - (own / wanted) ** 2) * Math.min(1, (grain - min) / min) * grainy) / gain
  kernels.add_grain(...places, ...half, grain * max, share)
  y.set(room.bytes(places[1], y.length))
}
