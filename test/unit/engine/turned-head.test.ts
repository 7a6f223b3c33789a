import { expect, it } from 'vitest'
import { skinTriangles } from '../../../src/renderer/engine/face/topology.ts'
import {
  meshWithOpenings,
  pointWeights,
  triangleFlags,
  withOpenings,
} from '../../../src/renderer/engine/raster/mesh-weights.ts'
import { rasterise } from '../../../src/renderer/engine/raster/raster.ts'
import { smoothSilhouettes } from '../../../src/renderer/engine/raster/silhouettes.ts'
import { points, size as smallSize } from './flat-face.ts'

const scale = 4
const size = smallSize * scale
const canvas = { left: 0, top: 0, width: size, height: size }
/** x, y of the mesh's points, seen from the front. */
const flat = withOpenings(points.map((value) => value * scale))
const tip = [flat[8] ?? 0, flat[9] ?? 0] as const
const fromTip = (x: number, y: number): number => Math.hypot(x - tip[0], y - tip[1])
const noseRadius = 48

/** The flat face as a bowl with a nose, turned about the vertical axis by an angle in degrees. */
function turned(degrees: number): Float32Array {
  const angle = (degrees * Math.PI) / 180
  return flat.map((value, at) => {
    if (at % 2 === 1) return value
    const [x, y] = [value - size / 2, (flat[at + 1] ?? 0) - size / 2]
    const bowl = 160 * (1 - (x * x + y * y) / 160_000)
    const nose = 140 * Math.exp(-((fromTip(value, flat[at + 1] ?? 0) / 36) ** 2))
    return size / 2 + x * Math.cos(angle) - (bowl + nose) * Math.sin(angle)
  })
}

/** The face drawn with a white nose and black cheeks. */
function drawn(to: Float32Array): Uint8Array {
  const texture = { data: new Uint8Array(size * size), width: size, height: size }
  for (let pixel = 0; pixel < texture.data.length; pixel += 1)
    texture.data[pixel] = fromTip(pixel % size, Math.floor(pixel / size)) < noseRadius ? 255 : 0
  const out = new Uint8Array(size * size)
  const mesh = { triangles: meshWithOpenings, to, from: flat, weights: pointWeights, flags: triangleFlags }
  rasterise(mesh, canvas, texture, out, null)
  return out
}

/** The values amid the triangles of the nose that face the camera and are larger than ten pixels. */
function noseIn(out: Uint8Array, to: Float32Array): number[] {
  const values: number[] = []
  for (let triangle = 0; triangle < skinTriangles.length; triangle += 3) {
    const corners = [...skinTriangles.subarray(triangle, triangle + 3)]
    const isNose = corners.every((point) => fromTip(flat[point * 2] ?? 0, flat[point * 2 + 1] ?? 0) < noseRadius - 8)
    const [ax = 0, ay = 0, bx = 0, by = 0, cx = 0, cy = 0] = corners.flatMap((point) => [
      ...to.subarray(point * 2, point * 2 + 2),
    ])
    const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    if (isNose && area > 20)
      values.push(out[Math.floor((ay + by + cy) / 3) * size + Math.floor((ax + bx + cx) / 3)] ?? 0)
  }
  return values
}

it.each([50, -50])('a turned head by %i degrees has its nose before the cheek', (degrees) => {
  const to = turned(degrees)
  const values = noseIn(drawn(to), to)
  expect(values.length).toBeGreaterThan(10)
  expect(Math.min(...values)).toBe(255)
})

it('a turned head has a smooth edge where it hides a part of itself', () => {
  const to = turned(50)
  const [before, after] = [drawn(to), drawn(to)]
  smoothSilhouettes(to, canvas, [after])
  const changed = [...after.keys()].filter((pixel) => after[pixel] !== before[pixel])
  expect(changed.length).toBeGreaterThan(10)
  const isStep = (pixel: number): boolean =>
    [1, -1, size, -size].some((by) => Math.abs((before[pixel] ?? 0) - (before[pixel + by] ?? 0)) > 100)
  expect(changed.filter(isStep).length).toBeGreaterThan(changed.length * 0.9)
})

it('a turned head that looks at the camera stays as it is drawn', () => {
  const to = turned(0)
  const [before, after] = [drawn(to), drawn(to)]
  smoothSilhouettes(to, canvas, [after])
  expect(after).toEqual(before)
})
