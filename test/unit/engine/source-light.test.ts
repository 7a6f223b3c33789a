import { describe, expect, it } from 'vitest'
import { faceOval, innerMouth, leftBrow, outerLips, rightBrow } from '../../../src/renderer/engine/face/topology.ts'
import { pointWeights, usualLikeness, weightsFor } from '../../../src/renderer/engine/raster/mesh-weights.ts'
import { closeMouth } from '../../../src/renderer/engine/source/close-mouth.ts'
import { softenFolds } from '../../../src/renderer/engine/source/soften-folds.ts'
import { defaultOptions, swapOptionsSchema } from '../../../src/shared/options/swap-options.ts'
import { faceWidth, paint, points, size } from './flat-face.ts'
import type { SourceCut } from '../../../src/renderer/engine/source/source-face.ts'

const pixelAt = ({ rgba }: SourceCut, x: number, y: number): readonly number[] => [
  ...rgba.subarray((y * size + x) * 4, (y * size + x) * 4 + 3),
]

describe('the smile of a source', () => {
  /** The face with its lips on two ellipses about the same middle, as far apart as told. */
  const withMouth = (cut: SourceCut, width: number, open: number): SourceCut => {
    const own = points.slice()
    for (const [loop, wide, high] of [
      [outerLips, width, 44],
      [innerMouth, width - 10, open],
    ] as const) {
      // Loops go from one corner over the other lip to the other corner and back.
      for (const [at, point] of loop.entries()) {
        const angle = (at * 2 * Math.PI) / loop.length + (loop === innerMouth ? 0 : Math.PI)
        own[point * 3] = size / 2 + (Math.cos(angle) * wide) / 2
        own[point * 3 + 1] = 180 - ((Math.sin(angle) * high) / 2) * (loop === innerMouth ? 1 : -1)
      }
    }
    return { ...cut, points: own }
  }
  const skin = [200, 150, 130]
  const toothy = (open: number): SourceCut =>
    withMouth(
      paint((x, y) =>
        Math.hypot((x - 128) / 40, (y - 180) / 9) < 1
          ? [250, 250, 240]
          : Math.hypot((x - 128) / 42, (y - 180) / 22) < 1
            ? [190, 90, 90]
            : skin,
      ),
      84,
      open,
    )

  it('takes its teeth along, and leaves a line between its lips', () => {
    const cut = toothy(16)
    closeMouth(cut, faceWidth)
    const line = [pixelAt(cut, 128, 172), pixelAt(cut, 128, 188), pixelAt(cut, 110, 181), pixelAt(cut, 150, 179)]
    for (const [red = 0, green = 0] of line) {
      expect(green / red).toBeLessThan(0.6)
      expect(red).toBeLessThan(160)
    }
    expect(pixelAt(cut, 128, 196)).toEqual([190, 90, 90])
    expect(pixelAt(cut, 128, 230)).toEqual(skin)
  })

  it('leaves a mouth as it is that is shut', () => {
    const cut = toothy(1)
    const before = cut.rgba.slice()
    closeMouth(cut, faceWidth)
    expect(cut.rgba).toEqual(before)
  })

  const eyes = (points[263 * 3] ?? 0) - (points[33 * 3] ?? 0)

  it('softens the folds of a face that smiles, and gives them the hue of the skin around', () => {
    const at = [205, 207, 214, 212].map((point) => [points[point * 3] ?? 0, points[point * 3 + 1] ?? 0] as const)
    const [x, y] = [0, 1].map((axis) => at.reduce((sum, place) => sum + (place[axis] ?? 0), 0) / 4) as [number, number]
    const foldAfter = (mouth: number): readonly number[] => {
      const folded = paint((column, row) => (Math.hypot(column - x, row - y) < 3 ? [150, 70, 30] : skin))
      const cut = withMouth(folded, mouth * eyes, 1)
      softenFolds(cut, faceWidth)
      expect(pixelAt(cut, 128, 60)).toEqual(skin)
      return pixelAt(cut, Math.round(x), Math.round(y))
    }
    expect(foldAfter(0.5)).toEqual([150, 70, 30])
    const [red = 0, , blue = 0] = foldAfter(0.72)
    expect(red).toBeGreaterThan(160)
    // It was 0.2; multiplied alone it would stay so.
    expect(blue / red).toBeGreaterThan(0.33)
  })

  it('keeps apart most of what was softened', () => {
    const [x = 0, y = 0] = [0, 1].map((axis) => Math.round(points[50 * 3 + axis] ?? 0))
    const face = (mouth: number): SourceCut =>
      withMouth(
        paint((_, row) => (Math.abs(row - y) < 2 ? [200, 150, 130] : [120, 90, 78])),
        mouth * eyes,
        1,
      )
    expect(softenFolds(face(0.5), faceWidth)).toBeNull()
    const cut = face(0.72)
    const before = cut.rgba.slice()
    const folds = softenFolds(cut, faceWidth)
    expect(folds?.smile).toBe(1)
    expect(folds?.change[(y * size + x) * 4]).toBeGreaterThan(15)
    for (const [at, value] of before.entries())
      expect(Math.abs((folds?.change[at] ?? 0) - 0.65 * (value - (cut.rgba[at] ?? 0)))).toBeLessThan(1)
  })

  it('softens light lines of the cheek', () => {
    const [x = 0, y = 0] = [0, 1].map((axis) => Math.round(points[50 * 3 + axis] ?? 0))
    const dark = [120, 90, 78]
    const lineAfter = (mouth: number, light: number): number => {
      const face = paint((_, row) => (Math.abs(row - y) < 2 ? dark.map((value) => value * light) : dark))
      const cut = withMouth(face, mouth * eyes, 1)
      softenFolds(cut, faceWidth)
      return (pixelAt(cut, x, y)[0] ?? 0) / 120
    }
    expect(lineAfter(0.5, 1.6)).toBeCloseTo(1.6, 2)
    expect(lineAfter(0.72, 1.6)).toBeLessThan(1.45)
    // What is only a little lighter is the skin's own.
    expect(lineAfter(0.72, 1.08)).toBeCloseTo(1.08, 2)
  })
})

it('how much of the source shows is nothing at the outline', () => {
  for (const point of faceOval) expect(pointWeights[point]).toBe(0)
  // The nose, above and below an eye, and the underside of the nose.
  for (const point of [5, 27, 23, 257, 253, 2, 97, 326]) expect(pointWeights[point], `at ${point}`).toBe(252)
})

it('the video shows at cheeks, jaw and forehead, from the usual likeness on less and less', () => {
  const at = (likeness: number): Float32Array => weightsFor(swapOptionsSchema.parse({ likeness }))
  const [least, usual, more, most] = [at(0), at(usualLikeness), at(80), at(100)]
  expect(defaultOptions.likeness).toBe(usualLikeness)
  expect(least).toEqual(usual)
  // Two or three steps from the outline, at both cheeks, the chin and the forehead.
  for (const point of [147, 376, 200, 9]) {
    expect(usual[point], `at ${point}`).toBeLessThan(252)
    expect(more[point]).toBeGreaterThan(usual[point] ?? 0)
    expect(most[point]).toBeGreaterThan(more[point] ?? 0)
  }
  // Above and below eyes, the nose and brows are the source's.
  for (const point of [27, 257, 23, 253, 6, ...rightBrow, ...leftBrow]) expect(usual[point], `at ${point}`).toBe(252)
  for (const point of faceOval) expect(most[point]).toBe(0)
})

it('how much of the source shows is less at the lips, most where they meet', () => {
  const weights = weightsFor(swapOptionsSchema.parse({}))
  for (const [inner, outer] of [
    [13, 0],
    [14, 17],
    [78, 61],
  ] as const) {
    expect(weights[inner]).toBeLessThan(weights[outer] ?? 0)
    expect(weights[outer]).toBeLessThan(252)
    expect(weights[inner]).toBeGreaterThan(0)
  }
})
