/** @file Along the swap's edge, and beyond it. */
import { squareOf } from './judges.mjs'
import { luma } from './numbers.mjs'

/** @typedef {import('./judges.mjs').Picture} Picture @typedef {import('./frame-pairs.mjs').FramePair} FramePair */

/**
 * The swap's edge is where, coming from outside, the picture begins to differ. There the steepest step along the ray, in
 * both pictures.
 * @param {Picture} before @param {Picture} after @param {FramePair} pair
 */
export function measureEdge(before, after, pair) {
  const { width, height } = before
  const face = squareOf(pair.before, 1)
  const unit = face.size / 100
  const reach = face.size * 0.95
  // A little towards the brow.
  const [cx, cy] = [
    face.x + Math.sin(face.turn ?? 0) * face.size * 0.08,
    face.y - Math.cos(face.turn ?? 0) * face.size * 0.08,
  ]
  const inside = (/** @type {number} */ x, /** @type {number} */ y) =>
    x >= 2 && y >= 2 && x < width - 2 && y < height - 2
  const steps = { before: 0, after: 0, count: 0 }
  for (let ray = 0; ray < 180; ray += 1) {
    const [dx, dy] = [Math.cos((ray * Math.PI) / 90), Math.sin((ray * Math.PI) / 90)]
    const at = (/** @type {Picture} */ picture, /** @type {number} */ r) => {
      const [x, y] = [Math.round(cx + dx * r), Math.round(cy + dy * r)]
      return inside(x, y) ? luma(picture, x, y) : null
    }
    for (let r = reach; r > face.size * 0.25; r -= 1) {
      let off = 0
      for (let tap = 0; tap < 3; tap += 1) off += (at(after, r - tap) ?? 0) - (at(before, r - tap) ?? 0)
      if (Math.abs(off) < 18) continue
      const half = Math.max(2, Math.round(unit * 2))
      const steepest = (/** @type {Picture} */ picture) => {
        let max = 0
        for (let s = r - half - 2; s < r + half; s += 1) {
          const [a, b] = [at(picture, s), at(picture, s + 1)]
          if (a !== null && b !== null) max = Math.max(max, Math.abs(a - b))
        }
        return max
      }
      steps.before += steepest(before)
      steps.after += steepest(after)
      steps.count += 1
      break
    }
  }
  if (steps.count > 30) pair.seam = { before: steps.before / steps.count, after: steps.after / steps.count }
}

/**
 * How far the pictures differ where no face is.
 * @param {Picture} before @param {Picture} after @param {import('./frame-pairs.mjs').Place} place @param {FramePair} pair
 */
export function measureOutside(before, after, { x: cx, y: cy, eyes }, pair) {
  const { width, height } = before
  const reach = eyes * 2.2
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      if (Math.hypot(x - cx, y - cy) < reach) continue
      pair.outsideError += (luma(before, x, y) - luma(after, x, y)) ** 2
      pair.outsidePixels += 1
    }
  }
}
