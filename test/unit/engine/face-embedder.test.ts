/** @file The recogniser's file in onnxruntime-node, on made-up pictures. */
import { readFileSync } from 'node:fs'
import * as runtime from 'onnxruntime-node'
import { expect, it } from 'vitest'
import type { Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import type { NeuralMethods } from '../../../src/renderer/engine/neural/neural-methods.ts'
import { createSession } from '../../../src/renderer/engine/neural/session.ts'
import { embedWith } from '../../../src/renderer/engine/people/face-embedder.ts'
import { faceTemplates } from '../../../src/shared/engine/models.ts'
import { frameOf } from './face-crop.ts'

const color = { matrix: 'bt709', full: true } as const
const session = await createSession(runtime, readFileSync('resources/models/sface_int8.onnx'), 'cpu')
const embed = embedWith({
  // The other methods aren't called.
  call: ((_: 'run', [, inputs, output]: Parameters<NeuralMethods['run']>) => session.run(inputs, output)) as never,
})

/** Maps a place in a square of 112 to the frame. */
type Place = (x: number, y: number) => [number, number]
const asItIs: Place = (x, y) => [x, y]

/** The landmarks from which the five points are made, where the recogniser wants them. */
function points(place: Place): Float32Array {
  const five = [[33, 160, 158, 133, 153, 144], [362, 385, 387, 263, 373, 380], [1, 4], [61], [291]]
  const landmarks = new Float32Array(478 * 2)
  five.forEach((group, at) => {
    const [x, y] = faceTemplates.arcface_112_v2[at] ?? [0, 0]
    for (const landmark of group) landmarks.set(place(x * 112, y * 112), landmark * 2)
  })
  return landmarks
}

/** Brightness 0…255 of a made-up face: darker eyes and mouth, and shades that tell faces apart. */
const shade =
  (kind: number) =>
  (x: number, y: number): number => {
    const bell = (cx: number, cy: number, size: number): number =>
      Math.exp(-((x - cx) ** 2 + (y - cy) ** 2) / size ** 2)
    const features = bell(38, 52, 7) + bell(74, 52, 7) + bell(56, 88, 12)
    return 170 - 90 * features + 30 * Math.sin(x / (9 + kind) + kind) * Math.cos(y / (14 - kind))
  }

/** @param back maps the frame to the square of 112 */
const grey = (size: number, of: (x: number, y: number) => number, back: Place): Planes =>
  frameOf(size, size, (x, y) => Math.round(of(...back(x + 0.5, y + 0.5))))

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)

it('the recogniser gets red, green and blue of 0…255, and answers with a vector of length 1', async () => {
  const planes = grey(112, shade(0), asItIs)
  const data = Float32Array.from([...planes.y, ...planes.y, ...planes.y])
  const raw = await session.run([{ name: 'data', type: 'float32', dims: [1, 3, 112, 112], data }], 'fc1')
  const found = await embed(planes, color, points(asItIs))
  expect(found.length).toBe(128)
  expect(cosine(found, found)).toBeCloseTo(1, 5)
  expect(cosine(found, raw) / Math.hypot(...raw)).toBeGreaterThan(0.9999)
})

it('the recogniser finds a face the same wherever it is, and another one different', async () => {
  const [cos, sin] = [3 * Math.cos(0.4), 3 * Math.sin(0.4)]
  const place: Place = (x, y) => [cos * x - sin * y + 180, sin * x + cos * y + 20]
  const back: Place = (x, y) => [(cos * (x - 180) + sin * (y - 20)) / 9, (cos * (y - 20) - sin * (x - 180)) / 9]
  const found = await embed(grey(112, shade(0), asItIs), color, points(asItIs))
  const moved = await embed(grey(520, shade(0), back), color, points(place))
  const other = await embed(grey(112, shade(5), asItIs), color, points(asItIs))
  expect(cosine(found, moved)).toBeGreaterThan(0.98)
  expect(cosine(found, other)).toBeLessThan(0.9)
})
