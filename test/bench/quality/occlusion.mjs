/**
 * @file Whether what is in front of a face stays in front. Two shares: of the pixels of what is in front, where a swap would
 * have painted, those that it altered visibly; and of the clear pixels of the face beside it, those that it left out.
 */
import { luma } from './numbers.mjs'

/** @typedef {import('./judges.mjs').Picture} Picture */

/** A visible change, in levels, as the mean of 3 × 3 pixels: an encoder leaves 2 or 3. */
const visible = 12
/**
 * A clear pixel was left out when the 7 × 7 pixels about it changed by less than this share of what the swap without the
 * thing changes there. Each pixel's change counts, not their mean's: where features of two swaps lie apart, the mean's
 * change passes through zero (a fifth of what was counted beside the hand).
 */
const leftOut = 1 / 3
const leftReach = 3
/** Pixels at the very edge belong to both sides, and encoders smear them: so many within, so many without. */
const rim = { within: 2, without: 4 }

/**
 * @param {Picture} before @param {Picture} after @param {Picture} mask @param {import('./frame-pairs.mjs').Place} place
 * @param {readonly Picture[]} bare the same frame without what is in front, and its swap; none when there is no such clip
 */
export function measureOcclusion(before, after, mask, { x, y, eyes }, [bareBefore, bareAfter]) {
  const reach = eyes * 1.5
  const box = {
    left: Math.max(2, Math.round(x - reach)),
    top: Math.max(2, Math.round(y - reach)),
    right: Math.min(before.width - 2, Math.round(x + reach)),
    bottom: Math.min(before.height - 2, Math.round(y + reach)),
  }
  const counts = { covered: 0, altered: 0, clear: 0, left: 0 }
  const near = Math.round(eyes * 0.3)
  const touched = new Cover(mask, 8)
  const full = new Cover(mask, 250)
  for (let v = box.top; v < box.bottom; v += 1) {
    for (let u = box.left; u < box.right; u += 1) {
      const painted = bareBefore && bareAfter ? apart(bareBefore, bareAfter, u, v) : Infinity
      if (painted < visible || (painted === Infinity && Math.hypot(u - x, (v - y) / 1.3) > eyes)) continue
      if (full.share(u, v, rim.within) === 1) {
        counts.covered += 1
        if (apart(before, after, u, v) > visible) counts.altered += 1
      } else if (bareBefore && bareAfter && touched.share(u, v, rim.without) === 0 && touched.share(u, v, near) > 0) {
        counts.clear += 1
        if (changed(before, after, u, v) < changed(bareBefore, bareAfter, u, v) * leftOut) counts.left += 1
      }
    }
  }
  return counts
}

/** How far two pictures differ round a pixel, in levels of light. @param {Picture} a @param {Picture} b @param {number} x @param {number} y */
function apart(a, b, x, y) {
  let sum = 0
  for (let v = y - 1; v <= y + 1; v += 1) for (let u = x - 1; u <= x + 1; u += 1) sum += luma(a, u, v) - luma(b, u, v)
  return Math.abs(sum) / 9
}

/** Mean change of the pixels round one, in levels of light. @param {Picture} a @param {Picture} b @param {number} x @param {number} y */
function changed(a, b, x, y) {
  const [left, right] = [Math.max(0, x - leftReach), Math.min(a.width - 1, x + leftReach)]
  const [top, bottom] = [Math.max(0, y - leftReach), Math.min(a.height - 1, y + leftReach)]
  let sum = 0
  for (let v = top; v <= bottom; v += 1) {
    for (let u = left; u <= right; u += 1) sum += Math.abs(luma(a, u, v) - luma(b, u, v))
  }
  return sum / ((right - left + 1) * (bottom - top + 1))
}

/** How much of a square's pixels a mask covers, by sums over everything above and left. */
class Cover {
  #sums
  #width
  #height

  /** @param {Picture} mask @param {number} min value that counts as covered */
  constructor({ data, width, height }, min) {
    this.#width = width
    this.#height = height
    this.#sums = new Int32Array((width + 1) * (height + 1))
    for (let y = 0; y < height; y += 1) {
      let row = 0
      for (let x = 0; x < width; x += 1) {
        if ((data[(y * width + x) * 3] ?? 0) >= min) row += 1
        this.#sums[(y + 1) * (width + 1) + x + 1] = (this.#sums[y * (width + 1) + x + 1] ?? 0) + row
      }
    }
  }

  /** @param {number} x @param {number} y @param {number} reach */
  share(x, y, reach) {
    const [left, right] = [Math.max(0, x - reach), Math.min(this.#width, x + reach + 1)]
    const [top, bottom] = [Math.max(0, y - reach), Math.min(this.#height, y + reach + 1)]
    const at = (/** @type {number} */ u, /** @type {number} */ v) => this.#sums[v * (this.#width + 1) + u] ?? 0
    return (at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top)) / ((right - left) * (bottom - top))
  }
}
