/**
 * @file Whether a swapped face could have been filmed: figures of one output frame beside the source picture and the
 * input frame, so that a person with smooth skin or faint brows is not at fault. All three are first brought to one
 * size, eyes level and 32 pixels apart; lengths here are in eye distances, light is in parts of the face's mean.
 */
import { blur, shapesOf } from './face-regions.mjs'
import { crop, turnOf } from './judges.mjs'
import { centre, deviation, eyeDistance, mean, median, quantile } from './numbers.mjs'

/** @typedef {import('./judges.mjs').Picture} Picture @typedef {import('./judges.mjs').Point} Point */
/** @typedef {{ light: Float32Array, red: Float32Array, points: Point[], shapes: ReturnType<typeof shapesOf> }} Face */
/** @typedef {{ relief: number, smear: number, halo: number, brows: number }} Naturalness */

export const side = 128
/** Pixels between the eyes. */
export const unit = 32

/**
 * What each figure must be, for one pair (the median over its frames). Developed on eight people (twelve pairs) and
 * checked on nine others; RESULTS.md has both. Relief separates swaps of version 5 from real faces; the others notice
 * what is painted on by hand.
 */
export const naturalGates = {
  /**
   * Relief of the middle of the face (cheeks and nose): the deviation of what is between 0.06 and 0.18 eye distances in
   * size, over that of the source or the input, whichever is flatter. A doll's face is flat. Least of real people: 0.87; of version 5: at most 0.85.
   */
  relief: { min: 0.86 },
  /**
   * Red beside the nose that neither source nor input has there, 95 % quantile: skin of two colours. Most of real people:
   * 0.061, a face lit hard from one side.
   */
  smear: { max: 0.065 },
  /**
   * Light beside nose and brows that neither has, 95 % quantile. A real picture in a third light has 0.2, so this judges
   * swaps only: a swap has the light of source and input.
   */
  halo: { max: 0.08 },
  /**
   * How dark the fainter brow is beside its surroundings, over the faintest of source and input; 1 where those have none
   * (below 0.1). Half of it is a brow that is gone or broken in two.
   */
  brows: { min: 0.5 },
}

/** @param {Naturalness} found */
export const failuresOf = (found) =>
  /** @type {(keyof Naturalness)[]} */ (Object.keys(naturalGates)).filter((name) => {
    const { min = -Infinity, max = Infinity } = /** @type {{ min?: number, max?: number }} */ (naturalGates[name])
    return found[name] < min || found[name] > max
  })

/** A face at the size that it is judged at. @param {Picture} picture @param {readonly Point[]} points iBUG's 68 @returns {Face} */
export function faceOf(picture, points) {
  const eyes = eyeDistance(points)
  const turn = turnOf(points)
  const [c, s] = [Math.cos(turn), Math.sin(turn)]
  const [eyesX, eyesY] = centre([centre(points.slice(36, 42)), centre(points.slice(42, 48))])
  const [x, y] = [eyesX - s * 0.4 * eyes, eyesY + c * 0.4 * eyes]
  const pixels = crop(picture, { x, y, size: (eyes * side) / unit, turn }, side)
  const scale = unit / eyes
  const placed = points.map(
    ([px, py]) =>
      /** @type {Point} */ ([
        ((px - x) * c + (py - y) * s) * scale + side / 2,
        ((py - y) * c - (px - x) * s) * scale + side / 2,
      ]),
  )
  const light = new Float32Array(side * side)
  const red = new Float32Array(side * side)
  for (let at = 0; at < light.length; at += 1) {
    const [r = 0, g = 0, b = 0] = pixels.subarray(at * 3, at * 3 + 3)
    light[at] = 0.3 * r + 0.59 * g + 0.11 * b
    red[at] = r - (light[at] ?? 0)
  }
  const shapes = shapesOf(placed, side, unit)
  const usual = Math.max(10, mean(within(light, shapes.middle)))
  return { light: light.map((value) => value / usual), red: red.map((value) => value / usual), points: placed, shapes }
}

/** @param {Face} output @param {Face} source @param {Face} input @returns {Naturalness} */
export function naturalnessOf(output, source, input) {
  const { besideNose, besideBrows } = output.shapes
  const planes = [output, moved(source, output.points), moved(input, output.points)].map(({ light, red }) => ({
    light: between(light, 0.06, 0.46),
    red: between(red, 0.06, 0.46),
  }))
  /** @param {'light' | 'red'} plane @param {readonly number[]} where */
  const excess = (plane, where) => {
    const [is, ...others] = planes.map((one) => one[plane])
    const off = where.map((at) => Math.max(0, (is?.[at] ?? 0) - Math.max(0, ...others.map((other) => other[at] ?? 0))))
    return quantile(off, 0.95)
  }
  const relief = (/** @type {Face} */ { light, shapes }) => deviation(within(between(light, 0.06, 0.18), shapes.middle))
  const faintest = Math.min(...browsOf(source), ...browsOf(input))
  return {
    relief: relief(output) / Math.min(relief(source), relief(input)),
    smear: excess('red', besideNose),
    halo: Math.max(excess('light', besideNose), excess('light', besideBrows)),
    brows: faintest < 0.1 ? 1 : Math.min(...browsOf(output)) / faintest,
  }
}

/** The median of each figure. @param {readonly Naturalness[]} frames */
export const medianOf = (frames) =>
  /** @type {Naturalness} */ (
    Object.fromEntries(
      /** @type {(keyof Naturalness)[]} */ (Object.keys(naturalGates)).map((name) => [
        name,
        Number(median(frames.map((frame) => frame[name])).toFixed(3)),
      ]),
    )
  )

/** What is between two sizes, in eye distances: a difference of two blurs. @param {Float32Array} plane @param {number} fine @param {number} coarse */
function between(plane, fine, coarse) {
  const [sharp, soft] = [blur(plane, side, fine * unit), blur(plane, side, coarse * unit)]
  return sharp.map((value, at) => value - (soft[at] ?? 0))
}

/** @param {Float32Array} plane @param {readonly number[]} where */
const within = (plane, where) => where.map((at) => plane[at] ?? 0)

/** Both brows: how dark they are beside their surroundings (logarithm), mean of nine places. @param {Face} face */
function browsOf({ light, points }) {
  const dark = between(
    light.map((value) => -Math.log(Math.max(0.05, value))),
    0.03,
    0.2,
  )
  return [points.slice(17, 22), points.slice(22, 27)].map((brow) => {
    const places = Array.from({ length: 9 }, (_, n) => 0.3 + n * 0.425)
    return mean(
      places.map((place) => {
        const [a, b] = [brow[Math.floor(place)], brow[Math.floor(place) + 1]]
        if (!a || !b) return 0
        const [dx, dy] = [b[0] - a[0], b[1] - a[1]]
        const length = Math.hypot(dx, dy)
        // Points of the brows are off by as much as this.
        const across = Array.from({ length: 16 }, (_, n) => (n * 0.02 - 0.15) * unit)
        return Math.max(
          ...across.map((off) => {
            const x = a[0] + dx * (place % 1) - (dy / length) * off
            const y = a[1] + dy * (place % 1) + (dx / length) * off
            return dark[Math.floor(y) * side + Math.floor(x)] ?? 0
          }),
        )
      }),
    )
  })
}

/** A face drawn so that its points lie at others: for each pixel an affine map, to which near points count most. @param {Face} face @param {readonly Point[]} to */
function moved({ light, red, points }, to) {
  const planes = { light: new Float32Array(side * side), red: new Float32Array(side * side) }
  for (let at = 0; at < side * side; at += 1) {
    const [x, y] = affineAt(points, to, (at % side) + 0.5, Math.floor(at / side) + 0.5)
    const [u, v] = [x, y].map((value) => Math.max(0, Math.min(side - 1.001, value - 0.5)))
    if (u === undefined || v === undefined) continue
    const from = Math.floor(v) * side + Math.floor(u)
    const [fx, fy] = [u % 1, v % 1]
    for (const [plane, values] of /** @type {const} */ ([
      [planes.light, light],
      [planes.red, red],
    ])) {
      const above = (values[from] ?? 0) * (1 - fx) + (values[from + 1] ?? 0) * fx
      const below = (values[from + side] ?? 0) * (1 - fx) + (values[from + side + 1] ?? 0) * fx
      plane[at] = above * (1 - fy) + below * fy
    }
  }
  return planes
}

/** Where a place goes when points go back from `to` (moving least squares). @param {readonly Point[]} points @param {readonly Point[]} to @param {number} x @param {number} y @returns {Point} */
function affineAt(points, to, x, y) {
  const weights = to.map(([px, py]) => 1 / ((px - x) ** 2 + (py - y) ** 2 + 4))
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  let [tx, ty, px, py] = [0, 0, 0, 0]
  for (let n = 0; n < weights.length; n += 1) {
    const share = (weights[n] ?? 0) / all
    tx += (to[n]?.[0] ?? 0) * share
    ty += (to[n]?.[1] ?? 0) * share
    px += (points[n]?.[0] ?? 0) * share
    py += (points[n]?.[1] ?? 0) * share
  }
  let [aa, ab, bb, ua, ub, va, vb] = [0, 0, 0, 0, 0, 0, 0]
  for (let n = 0; n < weights.length; n += 1) {
    const weight = weights[n] ?? 0
    const [a, b] = [(to[n]?.[0] ?? 0) - tx, (to[n]?.[1] ?? 0) - ty]
    const [u, v] = [(points[n]?.[0] ?? 0) - px, (points[n]?.[1] ?? 0) - py]
    aa += weight * a * a
    ab += weight * a * b
    bb += weight * b * b
    ua += weight * u * a
    ub += weight * u * b
    va += weight * v * a
    vb += weight * v * b
  }
  const det = aa * bb - ab * ab
  const [a, b] = [(x - tx) / det, (y - ty) / det]
  return [
    px + a * (ua * bb - ub * ab) + b * (ub * aa - ua * ab),
    py + a * (va * bb - vb * ab) + b * (vb * aa - va * ab),
  ]
}
