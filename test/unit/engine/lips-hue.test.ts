import { expect, it } from 'vitest'
import { distanceTo } from '../../../src/renderer/engine/common/polygon.ts'
import { outerLips } from '../../../src/renderer/engine/face/topology.ts'
import { gridFor } from '../../../src/renderer/engine/raster/boxes.ts'
import { tintLips } from '../../../src/renderer/engine/render/lips-hue.ts'
import { drawnFace, faceCrop, frameOf } from './face-crop.ts'
import { faceWidth, flat, points, size } from './flat-face.ts'

const half = size / 2
const box = { left: 0, top: 0, width: size, height: size }
const grid = gridFor(half, half, 8)
const cells = grid.columns * grid.rows
const landmarks = flat(points)
const outline = outerLips.map((point): [number, number] => [points[point * 3] ?? 0, points[point * 3 + 1] ?? 0])
const isLip = (spot: number): boolean => distanceTo(outline, (spot % half) * 2 + 1, Math.floor(spot / half) * 2 + 1) < 4
/** Skin of luma 116 has a chroma of 12 above grey in both, and so do the source's lips. */
const hue = { target: new Float32Array(cells).fill(0.12), source: new Float32Array(cells).fill(0.12), detail: 1 }
const none = { target: new Float32Array(cells), source: new Float32Array(cells), detail: 1 }

function tinted(weight: number, red: number): Uint8Array {
  const frame = frameOf(size, size, 116, 128, 140)
  frame.v.forEach((value, spot) => (frame.v[spot] = isLip(spot) ? value + red : value))
  const drawn = drawnFace(size, size, 116, weight, 128, 140)
  tintLips(grid, faceCrop(frame, box, faceWidth), drawn, landmarks, landmarks, none, hue)
  expect(drawn.u.every((value) => value === 128)).toBe(true)
  return drawn.v
}

const middle = Math.floor((points[17 * 3 + 1] ?? 0) / 2 - 2) * half + Math.floor((points[17 * 3] ?? 0) / 2)
const cheek = Math.floor((points[50 * 3 + 1] ?? 0) / 2) * half + Math.floor((points[50 * 3] ?? 0) / 2)

it('drawn lips get most of the red of the lips in the video, and the skin around them none', () => {
  const v = tinted(252, 10)
  expect(v[middle]).toBeGreaterThan(144)
  expect(v[middle]).toBeLessThan(148)
  expect(v[cheek]).toBe(140)
})

it('drawn lips take no more than a bounded difference', () => {
  expect(tinted(252, 60)[middle]).toBeGreaterThan(150)
  expect(tinted(252, 60)[middle]).toBeLessThanOrEqual(160)
})

it.each([
  ['the lips of the video have their hue', 252, 0],
  ['they are covered or the video’s', 0, 10],
])('drawn lips stay as they are when %s', (_, weight, red) => {
  expect(tinted(weight, red).every((value) => value === 140)).toBe(true)
})
