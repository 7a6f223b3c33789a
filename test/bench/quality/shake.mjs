/**
 * @file How much a face shakes: patches of it are followed from frame to frame by their pixels (Lucas and Kanade, 1981),
 * to a few hundredths of a pixel, which no landmark model reaches.
 */
import { distance } from './numbers.mjs'

/** @typedef {import('./judges.mjs').Picture} Picture @typedef {import('./judges.mjs').Point} Point */

/** Ends of the brows, bridge and wings of the nose, corners of the mouth: contrast, and no lids. */
const followed = [17, 19, 21, 22, 24, 26, 30, 31, 35, 48, 54]

/** A change of step that nobody sees: in eye distances a third of a pixel in a face that fills a 720p picture, or in pixels. */
const unseen = { eyes: 0.002, pixels: 0.15 }

/**
 * The least eigenvalue of a patch's gradients by which it can be followed (Shi and Tomasi, 1994). Where an encoder leaves
 * noise of 1.5 levels, a patch's place is then known to 0.07 pixels; the skin where a painted brow is missing has a fifth.
 */
const minTexture = 500

/** @param {Picture} picture @param {number} x @param {number} y */
function luma({ data, width, height }, x, y) {
  const cx = Math.min(width - 1.001, Math.max(0, x))
  const cy = Math.min(height - 1.001, Math.max(0, y))
  const at = (Math.floor(cy) * width + Math.floor(cx)) * 3
  const value = (/** @type {number} */ i) =>
    0.3 * (data[i] ?? 0) + 0.59 * (data[i + 1] ?? 0) + 0.11 * (data[i + 2] ?? 0)
  const top = value(at) * (1 - (cx % 1)) + value(at + 3) * (cx % 1)
  const low = value(at + width * 3) * (1 - (cx % 1)) + value(at + width * 3 + 3) * (cx % 1)
  return top * (1 - (cy % 1)) + low * (cy % 1)
}

/** Where a patch went, in pixels; null when it cannot be told. @returns {Point | null} */
function follow(
  /** @type {Picture} */ from,
  /** @type {Picture} */ to,
  /** @type {Point} */ [x, y],
  /** @type {Point} */ guess,
  half = 6,
  step = 1,
) {
  const samples = []
  let [xx, xy, yy] = [0, 0, 0]
  for (let v = -half; v <= half; v += 1) {
    for (let u = -half; u <= half; u += 1) {
      const [px, py] = [x + u * step, y + v * step]
      const gx = (luma(from, px + step, py) - luma(from, px - step, py)) / (2 * step)
      const gy = (luma(from, px, py + step) - luma(from, px, py - step)) / (2 * step)
      samples.push({ px, py, gx, gy, value: luma(from, px, py) })
      xx += gx * gx
      xy += gx * gy
      yy += gy * gy
    }
  }
  const determinant = xx * yy - xy * xy
  if ((xx + yy) / 2 - Math.hypot((xx - yy) / 2, xy) < minTexture) return null
  let [dx, dy] = guess
  for (let turn = 0; turn < 8; turn += 1) {
    let [bx, by] = [0, 0]
    for (const { px, py, gx, gy, value } of samples) {
      const off = value - luma(to, px + dx, py + dy)
      bx += gx * off
      by += gy * off
    }
    const [mx, my] = [(yy * bx - xy * by) / determinant, (xx * by - xy * bx) / determinant]
    dx += mx
    dy += my
    if (Math.hypot(mx, my) < 0.01) break
  }
  return Math.hypot(dx - guess[0], dy - guess[1]) > half * step ? null : [dx, dy]
}

/** Follows the same spots in a clip and in its swap; the shake is how much each spot's step changes. */
export class Shake {
  /** @type {{ before: Picture, after: Picture, points: readonly Point[] } | null} */
  #last = null
  /** @type {Map<number, { before: Point, after: Point }>} */
  #steps = new Map()
  #sums = { before: 0, after: 0, unseen: 0, count: 0 }

  /** @param {Picture} before @param {Picture} after @param {readonly Point[]} points of the input's face */
  add(before, after, points) {
    const last = this.#last
    /** @type {Map<number, { before: Point, after: Point }>} */
    const steps = new Map()
    if (last) {
      const eyes = distance(points[36] ?? [0, 0], points[45] ?? [0, 0])
      const step = Math.max(1, eyes / 100)
      for (const spot of followed) {
        const at = last.points[spot] ?? [0, 0]
        const now = points[spot] ?? [0, 0]
        /** @type {Point} */
        const guess = [now[0] - at[0], now[1] - at[1]]
        const moved = follow(last.before, before, at, guess, 6, step)
        const drawn = follow(last.after, after, at, guess, 6, step)
        if (!moved || !drawn) continue
        const known = this.#steps.get(spot)
        if (known) {
          this.#sums.before += Math.hypot(moved[0] - known.before[0], moved[1] - known.before[1]) / eyes
          this.#sums.after += Math.hypot(drawn[0] - known.after[0], drawn[1] - known.after[1]) / eyes
          this.#sums.unseen += Math.max(unseen.eyes, unseen.pixels / eyes)
          this.#sums.count += 1
        }
        steps.set(spot, { before: moved, after: drawn })
      }
    }
    this.#steps = steps
    this.#last = { before, after, points }
  }

  /** The next frame does not follow on the last. */
  forget() {
    this.#last = null
    this.#steps = new Map()
  }

  /** The swap's shake to the input's, or to what nobody sees when that is less. */
  get ratio() {
    const { before, after, unseen: min, count } = this.#sums
    return count === 0 ? 1 : after / Math.max(before, min)
  }
}
