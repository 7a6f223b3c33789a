/**
 * @file Shuts the astronaut's eyes: the skin between brow and lashes is drawn down over the eye, and the lashes with it,
 * down to the lower lid. Coordinates were read off the enlarged portrait.
 */

/** @typedef {[number, number]} Point */

/** In fifths of the enlarged portrait's pixels, from (530, 240). @type {(...numbers: number[]) => Point[]} */
const read = (...numbers) =>
  numbers.flatMap((x, at) =>
    at % 2 === 0 ? [/** @type {Point} */ ([530 + x / 5, 240 + (numbers[at + 1] ?? 0) / 5])] : [],
  )

const eyes = [
  {
    upper: read(245, 318, 272, 298, 300, 284, 350, 265, 400, 258, 450, 265, 500, 290, 530, 320, 552, 352),
    lower: read(245, 318, 272, 332, 300, 347, 350, 368, 400, 377, 450, 373, 500, 367, 530, 363, 552, 352),
    brow: 240 + 178 / 5,
  },
  {
    upper: read(903, 380, 930, 345, 965, 318, 1000, 302, 1050, 292, 1100, 293, 1150, 305, 1200, 330, 1238, 360),
    lower: read(903, 380, 930, 390, 965, 398, 1000, 404, 1050, 408, 1100, 404, 1150, 394, 1200, 378, 1238, 360),
    brow: 240 + 218 / 5,
  },
]

/** Where eyes are at all. */
const [top, bottom] = [Math.min(...eyes.map(({ brow }) => brow)), 240 + 420 / 5]

/** How thick the lashes are; they keep their shape. */
const lashes = 7

/** @param {Point[]} points @param {number} x */
function along(points, x) {
  for (let at = 1; at < points.length; at += 1) {
    const [[x0, y0], [x1, y1]] = [points[at - 1] ?? [0, 0], points[at] ?? [0, 0]]
    if (x <= x1) return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)
  }
  return points.at(-1)?.[1] ?? 0
}

/**
 * A warp of the portrait's texture, for `drawTexture`.
 * @param {number} shut 0 as it is, 1 shut @returns {(at: Float64Array) => void}
 */
export function lidsShut(shut) {
  return (at) => {
    const [x = 0, y = 0] = at
    if (y < top || y > bottom) return
    for (const { upper, lower, brow } of eyes) {
      if (x <= (upper[0]?.[0] ?? 0) || x >= (upper.at(-1)?.[0] ?? 0) || y < brow) continue
      const up = along(upper, x)
      const edge = up + (along(lower, x) - up) * shut
      if (y >= edge) continue
      // At the corners there is less room for lashes to keep their shape in.
      const stiff = Math.min(lashes, (up - brow) / 2)
      at[1] = y > edge - stiff ? up - edge + y : brow + ((y - brow) * (up - stiff - brow)) / (edge - stiff - brow)
    }
  }
}

/** How shut the lids are in each frame: one blink of three frames, then a slower one, and so on. @param {number} index */
export function blinking(index) {
  const fast = [0.55, 1, 0.5]
  const slow = [0.3, 0.8, 1, 1, 0.6, 0.25]
  const [start, blink] = index % 40 < 20 ? [8, fast] : [28, slow]
  return blink[(index % 40) - start] ?? 0
}
