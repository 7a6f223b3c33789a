import { describe, expect, it } from 'vitest'
import { browDepth, browStrength, faceInRgba, faceOnPlanes } from '../../../src/renderer/engine/face/brow-depth.ts'
import { leftBrow, rightBrow } from '../../../src/renderer/engine/face/topology.ts'
import { createPlanes, type Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { flat, paint, points, size } from './flat-face.ts'

const boxes = [rightBrow, leftBrow].map((loop) => {
  const of = (axis: 0 | 1): number[] => loop.map((point) => points[point * 3 + axis] ?? 0)
  const [xs, ys] = [of(0), of(1)]
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
})
const isBrow = (x: number, y: number): boolean =>
  boxes.some(({ left, right, top, bottom }) => x >= left - 3 && x <= right + 3 && y >= top - 3 && y <= bottom + 3)

const onPlanes = (luma: (x: number, y: number) => number): Planes => {
  const planes = createPlanes(size, size)
  planes.y.set(Array.from({ length: size * size }, (_, at) => luma(at % size, Math.floor(at / size))))
  return planes
}
const limited = { matrix: 'bt709', full: false } as const

describe('how dark brows are', () => {
  it('is their share of the skin around, in pictures and frames', () => {
    const picture = paint((x, y) => (isBrow(x, y) ? 50 : 200))
    expect(browDepth(faceInRgba(picture, points))).toBeCloseTo(0.75, 5)
    const frame = onPlanes((x, y) => 16 + (isBrow(x, y) ? 50 : 100))
    expect(browDepth(faceOnPlanes(frame, limited, flat(points)))).toBeCloseTo(0.5, 5)
    expect(browDepth(faceOnPlanes(frame, { ...limited, full: true }, flat(points)))).toBeCloseTo(1 - 66 / 116, 5)
  })

  it('finds a brow that is thinner than its landmarks say', () => {
    const rows = boxes.map(({ top, bottom }) => Math.round(top + (bottom - top) * 0.2))
    const thin = paint((x, y) => (isBrow(x, y) && rows.some((row) => Math.abs(y - row) < 4) ? 60 : 200))
    expect(browDepth(faceInRgba(thin, points))).toBeGreaterThan(0.3)
  })

  it('is nothing on a face without brows, also at the edge of a picture', () => {
    const face = faceInRgba(
      paint(() => 180),
      points,
    )
    expect(browDepth(face)).toBe(0)
    expect(browDepth({ ...face, points: face.points.map((value) => value - 120) })).toBe(0)
  })
})

describe('how strong brows are drawn', () => {
  it('is between those of the picture and of the video, by the middle one of its frames', () => {
    expect(browStrength(0.8, [0.45, 0.45, 0.1])).toBeCloseTo(0.75, 5)
  })

  it('is all of it where the video has brows as dark, or no face was seen', () => {
    expect(browStrength(0.5, [0.7])).toBe(1)
    expect(browStrength(0.5, [])).toBe(1)
  })

  it('keeps brows on a face that has none, and none where there are none', () => {
    expect(browStrength(0.8, [0])).toBeCloseTo(0.4, 5)
    expect(browStrength(0.8, [-0.3])).toBeCloseTo(0.4, 5)
    expect(browStrength(0, [0.1])).toBe(1)
  })
})
