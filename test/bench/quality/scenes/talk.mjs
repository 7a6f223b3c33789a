/**
 * @file Opens the astronaut's mouth: what is below the upper teeth goes down with the jaw, and behind it is the dark of a
 * mouth, with a tongue. Coordinates were read off the enlarged portrait.
 */
import { inverse, ramp } from './picture.mjs'

/** Corners of the mouth, and the upper teeth's lower edge between them. */
const mouth = { left: 608, right: 730, corner: 424, middle: 669, sag: 24 }

/** Where the teeth end. @param {number} x */
const edgeAt = (x) => {
  const u = (x - mouth.middle) / ((mouth.right - mouth.left) / 2)
  return mouth.corner + mouth.sag * (1 - u * u)
}

/** How far the jaw has taken a place along. @param {number} x @param {number} drop */
const dropAt = (x, drop) => {
  const u = (x - mouth.middle) / ((mouth.right - mouth.left) / 2)
  return drop * Math.max(0, 1 - u * u) ** 0.7
}

/** A warp of the portrait's texture, for `drawTexture`. @param {number} drop of the jaw, in the portrait's pixels */
export function jawDropped(drop) {
  return (/** @type {Float64Array} */ at) => {
    const [x = 0, y = 0] = at
    if (y < mouth.corner - 4 || y > 640 || x < 520 || x > 820) return
    // The jaw is wider than the mouth; below the chin the neck takes it up.
    const wide = x > mouth.left && x < mouth.right ? dropAt(x, drop) : 0
    const jaw = drop * ramp(400, 470, y) * ramp(520, 600, x) * ramp(820, 740, x) * (1 - ramp(545, 640, y))
    const lip = y - edgeAt(x) < 0 ? 0 : wide
    at[1] = y - Math.max(jaw * ramp(0, 50, y - edgeAt(x) - wide), Math.min(lip, Math.max(0, y - edgeAt(x))))
  }
}

/**
 * Darkens what the open mouth shows.
 * @param {import('../judges.mjs').Picture} frame @param {import('./picture.mjs').Similarity} where @param {number} drop
 */
export function drawCavity(frame, where, drop) {
  const back = inverse(where)
  for (let y = 0; y < frame.height; y += 1) {
    for (let x = 0; x < frame.width; x += 1) {
      const tx = back.a * x - back.b * y + back.x
      if (tx <= mouth.left || tx >= mouth.right) continue
      const ty = back.b * x + back.a * y + back.y
      const [top, open] = [edgeAt(tx), dropAt(tx, drop)]
      const depth = (ty - top) / Math.max(1, open)
      const covered = ramp(0, 2.5, ty - top) * ramp(0, 2.5, top + open - ty)
      if (covered === 0) continue
      const tongue = ramp(0.55, 0.8, depth) * ramp(45, 30, Math.abs(tx - mouth.middle))
      const colour = [38 + 120 * tongue, 14 + 52 * tongue, 14 + 50 * tongue]
      const at = (y * frame.width + x) * 3
      for (let c = 0; c < 3; c += 1) {
        frame.data[at + c] = (frame.data[at + c] ?? 0) * (1 - covered) + (colour[c] ?? 0) * covered + 0.5
      }
    }
  }
}

/** How far the jaw is down in each frame, as if talking. @param {number} index */
export const talking = (index) => 34 * Math.max(0, Math.sin(index * 0.5) * (0.65 + 0.35 * Math.sin(index * 0.13)))
