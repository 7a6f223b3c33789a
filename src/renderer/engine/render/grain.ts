/** @file Gives the drawn face the grain of the footage where that has more of it: else it looks like plastic there. */
import { meanOfFour } from './color-transfer.ts'
import { skinFlag } from './mesh-weights.ts'
import type { FaceCrop, SwappedFace } from './way-to-swap.ts'

/** Grain below this, in levels that a pixel stands out by of the mean of its four, is not seen. */
const least = 1
/** What stands out further than this many times the grain is an edge. */
const most = 2.5
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
  const { width, height } = box
  const half = width >> 1
  const origin = box.top * frame.width + box.left
  let [own, wanted, count] = [0, 0, 0]
  for (let row = 0; row < height >> 1; row += looked) {
    for (let column = 0; column < half; column += 1) {
      if (((mask[row * half + column] ?? 0) & skinFlag) === 0) continue
      own += standsOut(y, row * 2 * width + column * 2, width) * gain
      wanted += standsOut(frame.y, origin + row * 2 * frame.width + column * 2, frame.width)
      count += 1
    }
  }
  const grain = wanted / Math.max(1, count)
  if (grain <= least || own >= wanted) return
  // Grains add up by their squares. Near the least it comes in gradually, or a film would flicker between with and without.
  const share = (Math.sqrt(1 - (own / wanted) ** 2) * Math.min(1, (grain - least) / least) * grainy) / gain
  const bound = grain * most
  const out = new Uint8ClampedArray(y.buffer, y.byteOffset, y.length)
  for (let row = 0; row < height >> 1; row += 1) {
    for (let column = 0; column < half; column += 1) {
      if (mask[row * half + column] === 0) continue
      const from = origin + row * 2 * frame.width + column * 2
      const to = row * 2 * width + column * 2
      const mean = meanOfFour(frame.y, from, frame.width)
      for (let corner = 0; corner < 4; corner += 1) {
        const [down, right] = [corner >> 1, corner & 1]
        const off = (frame.y[from + down * frame.width + right] ?? 0) - mean
        const at = to + down * width + right
        out[at] = (y[at] ?? 0) + (off > bound ? bound : off < -bound ? -bound : off) * share
      }
    }
  }
}

const standsOut = (luma: Uint8Array, at: number, stride: number): number =>
  Math.abs((luma[at] ?? 0) - meanOfFour(luma, at, stride))
