/**
 * @file Turns the astronaut's head. The portrait gets a depth (an egg for the head, a ridge for the nose, hollows for the
 * eyes), is turned as a surface about the neck, and drawn nearest last. What is beside the head is drawn along.
 */
import { drawTexture, inverse, place, read } from './picture.mjs'

/** @typedef {import('../judges.mjs').Picture} Picture @typedef {import('./picture.mjs').Similarity} Similarity */

/** In pixels of the enlarged portrait. */
const eyes = 127
/** Turned about an axis `pivot` in front of the ears. */
const head = { x: 676, y: 300, halfWidth: 232, halfHeight: 262, depth: 185, pivot: 80 }
const cell = 5

const bell = (/** @type {number} */ x, /** @type {number} */ wide) => Math.exp(-((x / wide) ** 2))

/** How far in front of the ears. @param {number} x @param {number} y */
function depthAt(x, y) {
  const [u, v] = [(x - head.x) / head.halfWidth, (y - head.y) / head.halfHeight]
  const r = Math.hypot(u, v)
  if (r >= 1) return 0
  const egg = head.depth * Math.sqrt(1 - r ** 2.6)
  const down = (y - 300) / 65
  // From between the eyes to the tip, then back quickly.
  const rise = down < 1 ? Math.max(0, 0.35 + 0.65 * down) : Math.max(0, 1 - (down - 1) * 2.2)
  const nose = y > 270 ? 0.36 * eyes * rise * bell(x - 670, 0.14 * eyes + 0.1 * eyes * Math.max(0, down) ** 2) : 0
  const hollows = 0.1 * eyes * (bell(x - 608, 34) + bell(x - 735, 34)) * bell(y - 300, 22)
  const lips = 0.07 * eyes * bell(x - 670, 50) * bell(y - 432, 34)
  const chin = 0.1 * eyes * bell(x - 668, 40) * bell(y - 505, 28)
  return egg + nose - hollows + lips + chin
}

/** @type {WeakMap<Picture, Picture[]>} */
const emptied = new WeakMap()

/** The portrait with what is left and right of the head in its place. @param {Picture} level */
function withoutHead(level) {
  const known = emptied.get(level)
  if (known) return known
  const picture = { ...level, data: level.data.slice() }
  const { data, width } = picture
  for (let y = 0; y < 470; y += 1) {
    const v = (y - head.y) / (head.halfHeight * 1.25)
    const half = Math.round(head.halfWidth * 1.2 * Math.sqrt(Math.max(0, 1 - v * v)))
    for (let x = head.x - half; x < head.x + half; x += 1) {
      const t = (x - head.x + half) / (2 * half)
      for (let c = 0; c < 3; c += 1) {
        const [a = 0, b = 0] = [-half, half].map((off) => level.data[(y * width + head.x + off) * 3 + c])
        data[(y * width + x) * 3 + c] = a * (1 - t) + b * t
      }
    }
  }
  emptied.set(level, [picture])
  return [picture]
}

/**
 * Draws the portrait with the head turned.
 * @param {Picture} frame @param {import('./picture.mjs').Texture} texture @param {Similarity} where
 * @param {number} yaw degrees; the nose goes right when positive @param {number} [pitch] down when positive
 */
export function drawTurned(frame, texture, where, yaw, pitch = 0) {
  const [level] = texture
  if (!level) return
  drawTexture(frame, withoutHead(level), where)
  const back = inverse(where)
  // Only what the frame shows, and a margin for what is turned into it.
  const corners = [
    [0, 0],
    [frame.width, 0],
    [0, frame.height],
    [frame.width, frame.height],
  ].map(([x = 0, y = 0]) => place(back, x, y))
  const from = [0, 1].map((axis) => Math.min(...corners.map((at) => at[axis] ?? 0)) - 2 * cell)
  const to = [0, 1].map((axis) => Math.max(...corners.map((at) => at[axis] ?? 0)) + 2 * cell)
  const columns = Math.ceil(((to[0] ?? 0) - (from[0] ?? 0)) / cell) + 1
  const rows = Math.ceil(((to[1] ?? 0) - (from[1] ?? 0)) / cell) + 1
  const [cy, sy] = [Math.cos((yaw * Math.PI) / 180), Math.sin((yaw * Math.PI) / 180)]
  const [cp, sp] = [Math.cos((pitch * Math.PI) / 180), Math.sin((pitch * Math.PI) / 180)]
  const points = new Float32Array(columns * rows * 5)
  for (let row = 0, at = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1, at += 5) {
      const [x, y] = [(from[0] ?? 0) + column * cell, (from[1] ?? 0) + row * cell]
      const z = depthAt(x, y) - head.pivot
      const [dx, dy] = [x - head.x, y - 430]
      const turned = { x: dx * cy + z * sy, z: z * cy - dx * sy }
      const tipped = { y: dy * cp + turned.z * sp, z: turned.z * cp - dy * sp }
      // Beyond the head, and down the neck, less and less is turned.
      const r = Math.hypot(dx / head.halfWidth, (y - head.y) / head.halfHeight)
      const neck = y > 470 ? Math.max(0, 1 - (y - 470) / 130) : 1
      const beside = r <= 1 ? 1 : Math.max(0, 1 - (r - 1) / 0.7)
      const share = beside * beside * (3 - 2 * beside) * neck * neck * (3 - 2 * neck)
      const [fx, fy] = place(where, x + (turned.x - dx) * share, y + (tipped.y - dy) * share)
      points.set([fx, fy, tipped.z * share + 2 * share, x, y], at)
    }
  }
  const depths = new Float32Array(frame.width * frame.height).fill(-Infinity)
  for (let row = 0; row + 1 < rows; row += 1) {
    for (let column = 0; column + 1 < columns; column += 1) {
      const a = (row * columns + column) * 5
      const b = a + columns * 5
      triangle(frame, level, depths, points, a, a + 5, b)
      triangle(frame, level, depths, points, a + 5, b + 5, b)
    }
  }
}

const value = new Float64Array(3)

/**
 * @param {Picture} frame @param {Picture} level @param {Float32Array} depths
 * @param {Float32Array} p x, y, depth, then x, y in the texture @param {number} a @param {number} b @param {number} c
 */
function triangle(frame, level, depths, p, a, b, c) {
  const at = (/** @type {number} */ index) => p[index] ?? 0
  const [ax, ay, bx, by, cx, cy] = [at(a), at(a + 1), at(b), at(b + 1), at(c), at(c + 1)]
  const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
  // Turned away.
  if (area <= 0) return
  const [left, right] = [Math.max(0, Math.ceil(Math.min(ax, bx, cx))), Math.min(frame.width - 1, Math.max(ax, bx, cx))]
  const [top, bottom] = [Math.max(0, Math.ceil(Math.min(ay, by, cy))), Math.min(frame.height - 1, Math.max(ay, by, cy))]
  for (let y = top; y <= bottom; y += 1) {
    for (let x = left; x <= right; x += 1) {
      const wb = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / area
      const wc = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / area
      const wa = 1 - wb - wc
      if (wa < -1e-4 || wb < -1e-4 || wc < -1e-4) continue
      const to = y * frame.width + x
      const z = at(a + 2) * wa + at(b + 2) * wb + at(c + 2) * wc
      if (z < (depths[to] ?? 0)) continue
      depths[to] = z
      read(
        level,
        1,
        at(a + 3) * wa + at(b + 3) * wb + at(c + 3) * wc,
        at(a + 4) * wa + at(b + 4) * wb + at(c + 4) * wc,
        value,
      )
      for (let n = 0; n < 3; n += 1) frame.data[to * 3 + n] = (value[n] ?? 0) + 0.5
    }
  }
}
