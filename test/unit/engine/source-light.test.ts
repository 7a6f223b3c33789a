import { describe, expect, it } from 'vitest'
import { spread } from '../../../src/renderer/engine/face/mesh-fields.ts'
import { faceOval, leftEye, meshPoints, rightEye } from '../../../src/renderer/engine/face/topology.ts'
import { pointWeights } from '../../../src/renderer/engine/render/mesh-weights.ts'
import { evenSides } from '../../../src/renderer/engine/source/even-sides.ts'
import { softenShadows } from '../../../src/renderer/engine/source/soften-shadows.ts'
import type { SourceCut } from '../../../src/renderer/engine/source/source-face.ts'

const size = 256
const faceWidth = 200

/** A face drawn flat: its outline is a circle, every other point lies amid its neighbours. */
const points = ((): Float32Array => {
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

const paint = (colour: (x: number, y: number) => readonly number[]): SourceCut => ({
  rgba: Uint8ClampedArray.from({ length: size * size * 4 }, (_, at) => {
    const pixel = at >> 2
    return colour(pixel % size, Math.floor(pixel / size))[at & 3] ?? 255
  }),
  width: size,
  height: size,
  points,
})

const pixelAt = ({ rgba }: SourceCut, x: number, y: number): readonly number[] => [
  ...rgba.subarray((y * size + x) * 4, (y * size + x) * 4 + 3),
]

describe('light from one side', () => {
  it('is shared by both halves', () => {
    const cut = paint((x) => (x < size / 2 ? [100, 75, 65] : [180, 135, 117]))
    evenSides(cut, faceWidth)
    for (const off of [30, 45, 60]) {
      const [left = 0] = pixelAt(cut, size / 2 - 1 - off, 128)
      const [right = 0] = pixelAt(cut, size / 2 + off, 128)
      expect(Math.abs(left - right), `at ${off}`).toBeLessThan(12)
      expect(left).toBeGreaterThan(120)
    }
  })

  it('leaves a face as it is that is lit from the front, and what lies around any', () => {
    const even = paint((_, y) => [90 + y / 4, 80, 70])
    const before = even.rgba.slice()
    evenSides(even, faceWidth)
    expect(even.rgba.every((value, at) => Math.abs(value - (before[at] ?? 0)) < 5)).toBe(true)
    const lit = paint((x) => (x < size / 2 ? [100, 75, 65] : [180, 135, 117]))
    evenSides(lit, faceWidth)
    expect(pixelAt(lit, 4, 4)).toEqual([100, 75, 65])
  })
})

describe('a fold of the cheek', () => {
  const at = [205, 207, 214, 212].map((point) => [points[point * 3] ?? 0, points[point * 3 + 1] ?? 0] as const)
  const [x, y] = [0, 1].map((axis) => at.reduce((sum, place) => sum + (place[axis] ?? 0), 0) / 4) as [number, number]
  const cut = paint((column, row) => (Math.hypot(column - x, row - y) < 3 ? [150, 70, 30] : [200, 150, 130]))

  it('is softened, and takes the hue of the skin around', () => {
    softenShadows(cut, faceWidth)
    const [red = 0, , blue = 0] = pixelAt(cut, Math.round(x), Math.round(y))
    // It was 0.2; multiplied alone it would stay so.
    expect(red).toBeGreaterThan(160)
    expect(blue / red).toBeGreaterThan(0.33)
    expect(pixelAt(cut, 128, 60)).toEqual([200, 150, 130])
  })
})

describe('how much of the source shows', () => {
  it('is little at the edges of the lids, and nothing at the outline', () => {
    for (const point of [...leftEye, ...rightEye]) expect(pointWeights[point]).toBeLessThan(100)
    for (const point of faceOval) expect(pointWeights[point]).toBe(0)
    expect(pointWeights[5]).toBe(252)
  })
})
