/** @file Pictures in memory for the scenes that the benchmark makes itself: RGB, sampled between pixels. */
import { stillOf } from '../frames.mjs'

/** @typedef {import('../judges.mjs').Picture} Picture */
/** @typedef {{ a: number, b: number, x: number, y: number }} Similarity turns and scales by (a, b), then moves */

/** A picture and its halves, so that shrinking does not alias. @typedef {Picture[]} Texture */

/** @param {string} path @returns {Promise<Texture>} */
export async function textureOf(path) {
  const still = /** @type {Picture} */ (await stillOf(path))
  const levels = [still]
  for (let last = still; Math.min(last.width, last.height) > 64;) {
    last = halved(last)
    levels.push(last)
  }
  return levels
}

/** @param {Picture} picture @returns {Picture} */
function halved({ data, width, height }) {
  const [w, h] = [width >> 1, height >> 1]
  const out = new Uint8Array(w * h * 3)
  for (let y = 0; y < h; y += 1) {
    for (let x = 0; x < w; x += 1) {
      for (let c = 0; c < 3; c += 1) {
        const at = (y * 2 * width + x * 2) * 3 + c
        const sum =
          (data[at] ?? 0) + (data[at + 3] ?? 0) + (data[at + width * 3] ?? 0) + (data[at + width * 3 + 3] ?? 0)
        out[(y * w + x) * 3 + c] = (sum + 2) >> 2
      }
    }
  }
  return { data: out, width: w, height: h }
}

/** Where a point of the texture is in the frame. @param {Similarity} s @param {number} x @param {number} y @returns {[number, number]} */
export const place = (s, x, y) => [s.a * x - s.b * y + s.x, s.b * x + s.a * y + s.y]

/** The way back. @param {Similarity} s @returns {Similarity} */
export function inverse({ a, b, x, y }) {
  const d = a * a + b * b
  return { a: a / d, b: -b / d, x: -(a * x + b * y) / d, y: (b * x - a * y) / d }
}

/**
 * The similarity that puts a point of the texture to a place in the frame.
 * @param {[number, number]} from @param {[number, number]} to @param {number} scale @param {number} [degrees]
 * @returns {Similarity}
 */
export function moving(from, to, scale, degrees = 0) {
  const [a, b] = [scale * Math.cos((degrees * Math.PI) / 180), scale * Math.sin((degrees * Math.PI) / 180)]
  return { a, b, x: to[0] - a * from[0] + b * from[1], y: to[1] - b * from[0] - a * from[1] }
}

/**
 * Reads a texture at a place of its first level, into `out`. Beyond the edge the edge goes on.
 * @param {Picture} level @param {number} shrink of this level @param {number} x @param {number} y @param {Float64Array} out
 */
export function read(level, shrink, x, y, out) {
  const { data, width, height } = level
  const px = Math.min(width - 1.001, Math.max(0, (x + 0.5) / shrink - 0.5))
  const py = Math.min(height - 1.001, Math.max(0, (y + 0.5) / shrink - 0.5))
  const [ix, iy] = [px | 0, py | 0]
  const [fx, fy] = [px - ix, py - iy]
  const at = (iy * width + ix) * 3
  const low = at + width * 3
  for (let c = 0; c < 3; c += 1) {
    const top = (data[at + c] ?? 0) * (1 - fx) + (data[at + c + 3] ?? 0) * fx
    const bottom = (data[low + c] ?? 0) * (1 - fx) + (data[low + c + 3] ?? 0) * fx
    out[c] = top * (1 - fy) + bottom * fy
  }
}

/**
 * Draws a texture over a whole frame.
 * @param {Picture} frame @param {Texture} texture @param {Similarity} where
 * @param {(at: Float64Array) => void} [warp] changes the place in the texture that is read
 */
export function drawTexture(frame, texture, where, warp) {
  const back = inverse(where)
  const shrinks = Math.hypot(back.a, back.b)
  const index = Math.max(0, Math.min(texture.length - 1, Math.round(Math.log2(Math.max(1, shrinks)))))
  const level = /** @type {Picture} */ (texture[index])
  const at = new Float64Array(2)
  const value = new Float64Array(3)
  for (let y = 0, to = 0; y < frame.height; y += 1) {
    for (let x = 0; x < frame.width; x += 1, to += 3) {
      at[0] = back.a * x - back.b * y + back.x
      at[1] = back.b * x + back.a * y + back.y
      warp?.(at)
      read(level, 2 ** index, at[0] ?? 0, at[1] ?? 0, value)
      for (let c = 0; c < 3; c += 1) frame.data[to + c] = (value[c] ?? 0) + 0.5
    }
  }
}

/** 0 below a, 1 above b, smooth between. @param {number} a @param {number} b @param {number} x */
export function ramp(a, b, x) {
  const t = Math.min(1, Math.max(0, (x - a) / (b - a)))
  return t * t * (3 - 2 * t)
}
