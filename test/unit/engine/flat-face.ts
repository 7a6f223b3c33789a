/** @file A face drawn flat, for tests of source preparation. */
import { spread } from '../../../src/renderer/engine/face/mesh-fields.ts'
import { faceOval, meshPoints } from '../../../src/renderer/engine/face/topology.ts'
import type { SourceCut } from '../../../src/renderer/engine/source/source-face.ts'

/** Width and height of the picture, and width of the face, in pixels. */
export const size = 256
export const faceWidth = 200

/** Its outline is a circle, every other point lies amid its neighbours. */
export const points = ((): Float32Array => {
  const axes = [Math.sin, (angle: number) => -Math.cos(angle)].map((of) => {
    const rim = new Map(
      faceOval.map((point, at) => [point as number, (of((at * 2 * Math.PI) / faceOval.length) * faceWidth) / 2]),
    )
    let values = Float32Array.from({ length: meshPoints }, (_, point) => rim.get(point) ?? 0)
    for (let turn = 0; turn < 400; turn += 1) {
      values = spread(values).map((value, point) => rim.get(point) ?? value)
    }
    return values
  })
  return Float32Array.from({ length: 478 * 3 }, (_, at) =>
    at % 3 === 2 ? 0 : size / 2 + (axes[at % 3]?.[Math.floor(at / 3)] ?? 0),
  )
})()

/** x, y of x, y, z points. */
export const flat = (points: Float32Array): Float32Array => points.filter((_, at) => at % 3 < 2)

/** The face with the colour at each pixel: a grey, or red, green, blue, and alpha, which is 255 if it isn't given. */
export const paint = (colour: (x: number, y: number) => number | readonly number[]): SourceCut => ({
  rgba: Uint8ClampedArray.from({ length: size * size * 4 }, (_, at) => {
    const pixel = at >> 2
    const made = colour(pixel % size, Math.floor(pixel / size))
    return (typeof made === 'number' ? [made, made, made] : made)[at & 3] ?? 255
  }),
  width: size,
  height: size,
  points,
  shape: points,
  eyes: [],
  views: [],
  folds: null,
})
