/**
 * @file Composes a frame of people before a wall: heads cut out of portraits, turned as cylinders, each before a plain
 * body; and says where their faces are and what of them can be seen.
 */
import { ramp, read } from '../quality/scenes/picture.mjs'

/** @typedef {import('../quality/judges.mjs').Picture} Picture */
/** @typedef {import('./portraits.mjs').Portrait} Portrait */
/**
 * A head in a frame. Lengths are pixels, angles degrees.
 * @typedef {object} Head
 * @property {string} portrait
 * @property {number} x centre of the face's region
 * @property {number} y
 * @property {number} size side of the region
 * @property {number} [roll] clockwise
 * @property {number} [yaw] to the right of the picture
 * @property {number} [pitch] down
 * @property {number} [gain] of the light
 * @property {number} [warm] more red and less blue when positive
 * @property {number} [side] how much brighter the right side is than the left, -1…1
 */

/** Half axes of the head, and its centre above the region's, in sizes of the region. */
const head = { wide: 0.47, high: 0.6, up: 0.06 }
/** The body, below. */
const body = { wide: 0.8, high: 0.9, down: 1.3 }
/** Half axes of the face, which has to be seen. */
const face = 0.33
const radians = (/** @type {number} */ degrees) => (degrees * Math.PI) / 180

/** How much of a place is covered by a head or its body, 0…1. @param {Head} at @param {number} x @param {number} y */
function cover({ x: cx, y: cy, size, roll = 0 }, x, y) {
  const [dx, dy] = [(x - cx) / size, (y - cy) / size]
  const [cos, sin] = [Math.cos(radians(roll)), Math.sin(radians(roll))]
  const [u, v] = [dx * cos + dy * sin, dy * cos - dx * sin]
  return {
    ...{ u, v },
    head: ramp(1, 0.96, Math.hypot(u / head.wide, (v + head.up) / head.high)),
    body: ramp(1, 0.97, Math.hypot(dx / body.wide, (dy - body.down) / body.high)),
  }
}

/** Where on the front of a cylinder a place is after it is turned, -1…1. @param {number} place @param {number} turn radians */
function unturned(place, turn) {
  const angle = Math.asin(Math.max(-1, Math.min(1, place))) - turn
  return Math.sin(Math.max(-Math.PI / 2, Math.min(Math.PI / 2, angle)))
}

const value = new Float64Array(3)

/** @param {Picture} frame @param {Portrait} portrait @param {Head} at */
export function drawHead(frame, { texture, region, shirt }, at) {
  const { x: cx, y: cy, size, yaw = 0, pitch = 0, gain = 1, warm = 0, side = 0 } = at
  const scale = region.size / size
  const index = Math.max(0, Math.min(texture.length - 1, Math.round(Math.log2(Math.max(1, scale)))))
  const level = texture[index]
  if (!level) return
  const { data, width, height } = frame
  const [cos, sin] = [Math.cos(radians(region.degrees)), Math.sin(radians(region.degrees))]
  const gains = [gain * (1 + warm), gain, gain * (1 - warm)]
  const [left, right] = [Math.max(0, Math.floor(cx - size)), Math.min(width, Math.ceil(cx + size))]
  const [top, bottom] = [Math.max(0, Math.floor(cy - size)), Math.min(height, Math.ceil(cy + 2.3 * size))]
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const covered = cover(at, x, y)
      const alpha = Math.max(covered.head, covered.body)
      if (alpha === 0) continue
      if (covered.head > 0) {
        const u = head.wide * unturned(covered.u / head.wide, radians(yaw))
        const v = head.high * unturned(covered.v / head.high, radians(pitch))
        const [sx, sy] = [(u * cos - v * sin) * region.size, (u * sin + v * cos) * region.size]
        read(level, 2 ** index, region.x + sx, region.y + sy, value)
      }
      const light = 1 + side * covered.u
      for (let c = 0; c < 3; c += 1) {
        const cloth = shirt[c] ?? 0
        const own = cloth + ((value[c] ?? 0) - cloth) * covered.head
        const lit = Math.min(255, own * light * (gains[c] ?? 1))
        const to = (y * width + x) * 3 + c
        data[to] = (data[to] ?? 0) * (1 - alpha) + lit * alpha + 0.5
      }
    }
  }
}

/** The region of a head's face, which moves as the head turns. @param {Head} at */
export function regionOf({ x, y, size, roll = 0, yaw = 0, pitch = 0 }) {
  const [u, v] = [0.8 * head.wide * Math.sin(radians(yaw)), 0.8 * head.high * Math.sin(radians(pitch))]
  const [cos, sin] = [Math.cos(radians(roll)), Math.sin(radians(roll))]
  return { x: x + (u * cos - v * sin) * size, y: y + (u * sin + v * cos) * size, size }
}

/** Hangs a picture of a head on a wall. @param {Picture} onto @param {Portrait} portrait @param {{ x: number, y: number, size: number }} at */
export function headOnWall(onto, portrait, { x, y, size }) {
  const [wide, high] = [Math.round(1.4 * size), Math.round(1.7 * size)]
  const picture = { data: new Uint8Array(wide * high * 3).fill(225), width: wide, height: high }
  drawHead(picture, portrait, { portrait: '', x: wide / 2, y: high / 2, size })
  const [left, top] = [Math.round(x - wide / 2), Math.round(y - high / 2)]
  for (let row = 0; row < high; row += 1)
    onto.data.set(picture.data.subarray(row * wide * 3, (row + 1) * wide * 3), ((row + top) * onto.width + left) * 3)
}

/** Share of a head's face that is in the frame and behind nobody. @param {Head} at @param {readonly Head[]} before @param {{ width: number, height: number }} frame */
export function visibleShare(at, before, { width, height }) {
  let [seen, all] = [0, 0]
  for (let v = -face; v <= face; v += face / 6) {
    for (let u = -face; u <= face; u += face / 6) {
      if (Math.hypot(u, v) > face) continue
      all += 1
      const [x, y] = [at.x + u * at.size, at.y + v * at.size]
      const isInside = x >= 0 && y >= 0 && x < width && y < height
      const isFree = before.every((other) => {
        const covered = cover(other, x, y)
        return covered.head < 0.5 && covered.body < 0.5
      })
      if (isInside && isFree) seen += 1
    }
  }
  return seen / all
}

/** A wall with shades and blurred things on it, larger than a frame, to be seen in part. @param {number} seed @param {number} width @param {number} height @returns {Picture} */
export function wall(seed, width, height) {
  let state = seed * 7919 + 17
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const hue = [0, 1, 2].map(() => 70 + 110 * random())
  const things = Array.from({ length: 14 }, () => ({
    ...{ x: random() * width, y: random() * height, wide: 30 + 160 * random(), high: 30 + 200 * random() },
    ...{ isRound: random() < 0.4, soft: 4 + 30 * random(), colour: [0, 1, 2].map(() => 40 + 180 * random()) },
  }))
  const data = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const shade = 1 - (0.35 * y) / height + 0.05 * Math.sin(x / 37 + seed) * Math.cos(y / 29 - seed)
      const at = (y * width + x) * 3
      for (let c = 0; c < 3; c += 1) data[at + c] = (hue[c] ?? 0) * shade
    }
  }
  for (const { x: cx, y: cy, wide, high, isRound, soft, colour } of things) {
    for (let y = Math.max(0, Math.floor(cy - high)); y < Math.min(height, cy + high); y += 1) {
      for (let x = Math.max(0, Math.floor(cx - wide)); x < Math.min(width, cx + wide); x += 1) {
        const [u, v] = [Math.abs(x - cx) / wide, Math.abs(y - cy) / high]
        const away = (1 - (isRound ? Math.hypot(u, v) : Math.max(u, v))) * Math.min(wide, high)
        const alpha = 0.8 * ramp(0, soft, away)
        for (let c = 0; c < 3; c += 1) {
          const at = (y * width + x) * 3 + c
          data[at] = (data[at] ?? 0) * (1 - alpha) + (colour[c] ?? 0) * alpha
        }
      }
    }
  }
  return { data, width, height }
}

/** Draws a part of a wall. @param {Picture} frame @param {Picture} from @param {number} left @param {number} top */
export function drawWall({ data, width, height }, from, left, top) {
  const x = Math.max(0, Math.min(from.width - width, Math.round(left)))
  const y = Math.max(0, Math.min(from.height - height, Math.round(top)))
  for (let row = 0; row < height; row += 1) {
    const start = ((row + y) * from.width + x) * 3
    data.set(from.data.subarray(start, start + width * 3), row * width * 3)
  }
}
