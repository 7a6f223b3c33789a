/** @file What passes in front of a face: a microphone, a hand, glasses. Each covers the frame and marks the mask. */
import { inverse, place, ramp, read } from './picture.mjs'

/** @typedef {import('./record.mjs').Canvas} Canvas @typedef {import('./picture.mjs').Similarity} Similarity */

/**
 * Lays colours over a box of the frame.
 * @param {Canvas} canvas @param {[number, number, number, number]} box left, top, right, bottom
 * @param {(x: number, y: number, out: Float64Array) => number} shade fills RGB in, returns how much it covers, 0…1
 */
function cover({ frame, mask }, [left, top, right, bottom], shade) {
  const { width, height, data } = frame
  const out = new Float64Array(3)
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, bottom); y += 1) {
    for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, right); x += 1) {
      const alpha = shade(x, y, out)
      if (alpha <= 0.002) continue
      const at = y * width + x
      for (let c = 0; c < 3; c += 1) {
        data[at * 3 + c] = (data[at * 3 + c] ?? 0) * (1 - alpha) + (out[c] ?? 0) * alpha + 0.5
      }
      mask[at] = Math.max(mask[at] ?? 0, Math.round(alpha * 255))
    }
  }
}

/**
 * A microphone in a hand's height: a grille and a handle, with light from the left.
 * @param {Canvas} canvas @param {number} x of the grille's middle @param {number} y @param {number} radius of the grille
 * @param {number} degrees which way the handle goes, 90 is straight down
 */
export function microphone(canvas, x, y, radius, degrees) {
  const [dx, dy] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  const { width, height } = canvas.frame
  cover(canvas, [0, 0, width, height], (px, py, out) => {
    const along = ((px - x) * dx + (py - y) * dy) / radius
    const across = (-(px - x) * dy + (py - y) * dx) / radius
    const ball = 1 - Math.hypot(along, across)
    const wide = 0.82 - 0.035 * Math.max(0, along - 0.8)
    const handle = along > 0.75 ? wide - Math.abs(across) : -1
    const edge = Math.max(ball, handle) * radius
    if (edge < -1) return 0
    if (handle > ball && along > 0.75) {
      const ring = along < 1.15
      const turn = across / wide
      const light =
        (0.35 + 0.65 * Math.sqrt(Math.max(0, 1 - turn * turn))) * (1 + 0.8 * ramp(0.35, 0.15, Math.abs(turn - 0.3)))
      const base = ring ? 120 : 34
      out[0] = base * light
      out[1] = base * light
      out[2] = (base + 4) * light
    } else {
      // A mesh of wires: two sets of lines over a ball.
      const z = Math.sqrt(Math.max(0.02, 1 - along * along - across * across))
      const wires = Math.abs(Math.sin((across / (0.4 + z)) * 16)) * Math.abs(Math.sin((along / (0.4 + z)) * 16))
      const light = 0.25 + 0.75 * Math.max(0, z * 0.7 + across * 0.5)
      for (let c = 0; c < 3; c += 1) out[c] = (45 + 150 * (1 - wires) ** 2) * light + 10
    }
    return Math.min(1, Math.max(0, edge + 0.5))
  })
}

/**
 * Glasses: dark frames that sit on a face.
 * @param {Canvas} canvas @param {Similarity} face from the face's own units (eyes at ±0.5, 0; down is positive) to the frame
 * @param {number} [reflection] how much white the glass throws back
 */
export function glasses(canvas, face, reflection = 0) {
  const back = inverse(face)
  const unit = Math.hypot(face.a, face.b)
  const [cx, cy] = place(face, 0, 0)
  const rim = 0.035
  cover(canvas, [cx - unit * 1.4, cy - unit, cx + unit * 1.4, cy + unit], (px, py, out) => {
    const x = back.a * px - back.b * py + back.x
    const y = back.b * px + back.a * py + back.y - 0.03
    // A rounded box round each eye, from the middle of the bridge outwards.
    const side = Math.abs(x) - 0.52
    const [qx, qy] = [Math.abs(side) - 0.2, Math.abs(y) - 0.1]
    const lens = Math.hypot(Math.max(qx, 0), Math.max(qy, 0)) + Math.min(Math.max(qx, qy), 0) - 0.2
    const ring = rim - Math.abs(lens)
    const bridge = Math.abs(x) < 0.13 ? rim * 0.9 - Math.abs(y + 0.06 - 0.05 * Math.cos(x * 12)) : -1
    const temple = side > 0.38 && Math.abs(x) < 1.12 ? rim - Math.abs(y + 0.08) : -1
    const edge = Math.max(ring, bridge, temple) * unit
    const sheen = 0.5 + 0.5 * ramp(0.01, -0.02, lens + y * 0.1)
    out[0] = 38 * sheen
    out[1] = 26 * sheen
    out[2] = 22 * sheen
    const covered = Math.min(1, Math.max(0, edge + 0.5))
    if (covered > 0 || lens > 0 || reflection === 0) return covered
    const shine = reflection * ramp(0.16, 0.02, Math.abs(x - y * 0.6 - Math.sign(x) * 0.5))
    out[0] = out[1] = out[2] = 235
    return shine
  })
}

/** Outline of Mona Lisa's right hand, in quarters of the painting's pixels from (170, 840). */
const outline = [
  [98, 200, 110, 150, 140, 105, 190, 75, 260, 66, 340, 68, 400, 88, 450, 108, 520, 132, 590, 155, 640, 172, 680, 200],
  [710, 230, 760, 265, 820, 305, 880, 345, 920, 380, 950, 420, 1000, 460, 1045, 510, 1083, 550, 1088, 576, 1068, 584],
  [1035, 566, 990, 532, 945, 498, 890, 472, 840, 450, 790, 426, 752, 406, 742, 414, 762, 442, 812, 490, 862, 540],
  [912, 592, 957, 647, 1005, 697, 1030, 732, 1026, 758, 1005, 761, 952, 724, 897, 688, 852, 653, 802, 608, 742, 562],
  [700, 528, 655, 500, 640, 510, 684, 566, 742, 613, 792, 660, 840, 702, 876, 730, 866, 750, 820, 750, 770, 726],
  [712, 700, 664, 668, 618, 627, 590, 612, 600, 640, 630, 680, 655, 712, 650, 730, 600, 710, 540, 686, 480, 646],
  [420, 598, 372, 556, 322, 506, 292, 456, 272, 400, 240, 388, 180, 370, 142, 346, 108, 300, 97, 250],
].flat()

/** Distance to the outline, inside positive. @param {number} x @param {number} y */
function inHand(x, y) {
  let nearest = Infinity
  let inside = false
  for (let at = 0; at < outline.length; at += 2) {
    const [x0 = 0, y0 = 0] = [outline[at], outline[at + 1]]
    const [x1 = 0, y1 = 0] = [outline[(at + 2) % outline.length], outline[(at + 3) % outline.length]]
    const [ex, ey] = [x1 - x0, y1 - y0]
    const t = Math.min(1, Math.max(0, ((x - x0) * ex + (y - y0) * ey) / (ex * ex + ey * ey)))
    nearest = Math.min(nearest, Math.hypot(x - x0 - ex * t, y - y0 - ey * t))
    if (y0 > y !== y1 > y && x < ((y - y0) / ey) * ex + x0) inside = !inside
  }
  return inside ? nearest : -nearest
}

/** The distance of every half unit of the hand, once. */
const shape = (() => {
  const [width, height] = [550, 400]
  const values = new Float32Array(width * height)
  for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) values[y * width + x] = inHand(x * 2, y * 2)
  return { values, width, height }
})()

/**
 * Mona Lisa's hand with a sleeve, in the light of a studio.
 * @param {Canvas} canvas @param {import('./picture.mjs').Texture} painting enlarged twice
 * @param {Similarity} where from the outline's units to the frame
 */
export function hand(canvas, painting, where) {
  const back = inverse(where)
  const unit = Math.hypot(where.a, where.b)
  const { width, height } = canvas.frame
  const [level] = painting
  if (!level) throw new Error('no painting')
  cover(canvas, [0, 0, width, height], (px, py, out) => {
    const x = back.a * px - back.b * py + back.x
    const y = back.b * px + back.a * py + back.y
    const [sx, sy] = [Math.round(x / 2), Math.round(y / 2)]
    const known = sx >= 0 && sy >= 0 && sx < shape.width && sy < shape.height
    const edge = known ? (shape.values[sy * shape.width + sx] ?? 0) : -100
    // The sleeve goes on behind the wrist.
    const across = (y - 215 - (x - 150) * 0.1) / (172 - Math.min(0, x) * 0.03)
    const sleeve = Math.min(130 + 22 * Math.cos(across * 2.2) - x, (1 - Math.abs(across)) * 172)
    if (sleeve > 0 || sleeve > edge) {
      const fold = 0.72 + 0.2 * Math.sin(x * 0.035 + across * 2.4) + 0.12 * Math.sin(x * 0.09 - across * 5)
      const light = fold * (0.45 + 0.55 * Math.sqrt(Math.max(0, 1 - across * across)))
      out[0] = 52 * light
      out[1] = 74 * light
      out[2] = 122 * light
      return Math.min(1, Math.max(0, sleeve * unit + 0.5))
    }
    if (edge * unit < -1) return 0
    read(level, 0.5, 170 + x / 4, 840 + y / 4, out)
    // The varnish is yellow and the picture dark: only its light is taken, on skin.
    const luma = 0.35 * (out[0] ?? 0) + 0.55 * (out[1] ?? 0) + 0.1 * (out[2] ?? 0)
    const light = Math.min(1, 0.3 + 1.05 * (luma / 255) ** 0.8) * (0.8 + 0.2 * ramp(0, 40, edge))
    out[0] = 250 * light ** 0.8
    out[1] = 196 * light
    out[2] = 164 * light ** 1.15
    return Math.min(1, Math.max(0, edge * unit + 0.5))
  })
}
