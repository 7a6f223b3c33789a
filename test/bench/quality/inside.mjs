/** @file What a swap does within the face: how much it changes, its light, its colours, its grain. */
import { luma } from './numbers.mjs'

/** @typedef {import('./judges.mjs').Picture} Picture @typedef {import('./frame-pairs.mjs').Place} Place */

/** Half axes of a face, in eye distances. */
const [wide, high] = [1, 1.3]

/** Looks at faces. */
export class Inside {
  /**
   * @param {Picture} before @param {Picture} after @param {Place} place
   * @param {Picture} [mask] what is in front, and not looked at
   * @returns null when too little of the face is in the picture
   */
  face(before, after, { x: cx, y: cy, eyes, turn }, mask) {
    const { width, height } = before
    const reach = eyes * high
    const [c, s] = [Math.cos(turn), Math.sin(turn)]
    const step = Math.max(1, Math.round(eyes / 60))
    const sums = { change: 0, before: 0, after: 0, wrong: 0, roughBefore: 0, roughAfter: 0 }
    let [seen, all, bare] = [0, 0, 0]
    for (let y = Math.round(cy - reach); y <= cy + reach; y += step) {
      for (let x = Math.round(cx - reach); x <= cx + reach; x += step) {
        const [dx, dy] = [x - cx, y - cy]
        if (Math.hypot((dx * c + dy * s) / (eyes * wide), (dy * c - dx * s) / reach) > 1) continue
        all += 1
        if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) continue
        bare += 1
        if (mask && (mask.data[(y * width + x) * 3] ?? 0) > 8) continue
        seen += 1
        const [a, b] = [luma(before, x, y), luma(after, x, y)]
        sums.change += Math.abs(a - b)
        sums.before += a
        sums.after += b
        sums.roughBefore += rough(before, x, y)
        sums.roughAfter += rough(after, x, y)
        if (redness(before, x, y) > 12 && redness(after, x, y) < -6) sums.wrong += 1
      }
    }
    if (bare < all * 0.2 || seen < 30) return null
    return {
      change: sums.change / seen,
      before: sums.before / seen,
      after: sums.after / seen,
      wrong: sums.wrong / seen,
      rough: { before: sums.roughBefore / seen, after: sums.roughAfter / seen },
      /** How much of the face is in the picture and not covered. */
      visible: seen / all,
    }
  }
}

/** How far a pixel stands out of its neighbours. @param {Picture} picture @param {number} x @param {number} y */
const rough = (picture, x, y) =>
  Math.abs(
    luma(picture, x, y) -
      (luma(picture, x - 1, y) + luma(picture, x + 1, y) + luma(picture, x, y - 1) + luma(picture, x, y + 1)) / 4,
  )

/** Skin is red rather than blue, in any light that is not blue. @param {Picture} picture @param {number} x @param {number} y */
const redness = ({ data, width }, x, y) => {
  const at = (y * width + x) * 3
  return (data[at] ?? 0) - (data[at + 2] ?? 0)
}
