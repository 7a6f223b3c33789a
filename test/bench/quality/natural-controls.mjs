/** @file Faces that the figures of naturalness must notice: swaps that are spoiled in one way. */
import { blur, distanceTo } from './face-regions.mjs'
import { side, unit } from './naturalness.mjs'

/** @typedef {import('./naturalness.mjs').Face} Face @typedef {import('./judges.mjs').Point} Point */

/** How far each pixel is from a line, in eye distances. @param {readonly Point[]} line */
const farFrom = (line) => (/** @type {number} */ at) =>
  distanceTo(line, [(at % side) + 0.5, Math.floor(at / side) + 0.5]) / unit

/** A soft spot of 0.25 eye distances, `down` of them below a point. @param {Face} face @param {'light' | 'red'} plane @param {number} point @param {number} down @param {number} by */
function spotted(face, plane, point, down, by) {
  const [x, y] = face.points[point] ?? [0, 0]
  const far = farFrom([[x, y + down * unit]])
  return { ...face, [plane]: face[plane].map((value, at) => value + by * Math.exp(-((far(at) / 0.25) ** 2))) }
}

/** @param {Face} face */
function withoutBrow(face) {
  const far = farFrom(face.points.slice(22, 27))
  const soft = blur(face.light, side, 0.25 * unit)
  return {
    ...face,
    light: face.light.map((value, at) => (far(at) < 0.2 ? value * 0.15 + (soft[at] ?? 0) * 0.85 : value)),
  }
}

/** @type {{ off: string, expected: keyof import('./naturalness.mjs').Naturalness, spoil: (face: Face) => Face }[]} */
export const spoiledFaces = [
  { off: 'skin', expected: 'relief', spoil: (face) => ({ ...face, light: blur(face.light, side, 0.12 * unit) }) },
  { off: 'one colour of skin', expected: 'smear', spoil: (face) => spotted(face, 'red', 35, -0.1, 0.25) },
  { off: 'even light beside a brow', expected: 'halo', spoil: (face) => spotted(face, 'light', 24, -0.25, 0.4) },
  { off: 'a brow', expected: 'brows', spoil: withoutBrow },
]
