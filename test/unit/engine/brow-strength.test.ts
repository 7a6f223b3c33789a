import { describe, expect, it } from 'vitest'
import { identity, uprightToCoded } from '../../../src/renderer/engine/common/affine.ts'
import { browDepthOn, browStrength } from '../../../src/renderer/engine/source/brow-strength.ts'
import { leftBrow, rightBrow } from '../../../src/renderer/engine/face/topology.ts'
import { createPlanes, type ColorModel, type Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import type { Points } from '../../../src/renderer/engine/face/landmarks.ts'
import { paint, points, size } from './flat-face.ts'

const boxes = [rightBrow, leftBrow].map((loop) => {
  const of = (axis: 0 | 1): number[] => loop.map((point) => points[point * 3 + axis] ?? 0)
  const [xs, ys] = [of(0), of(1)]
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
})
const isBrow = (x: number, y: number): boolean =>
  boxes.some(({ left, right, top, bottom }) => x >= left - 3 && x <= right + 3 && y >= top - 3 && y <= bottom + 3)

const limited: ColorModel = { matrix: 'bt709', full: false }
/** @param width of a frame that is as high as the face's picture */
const frameOf = (luma: (x: number, y: number) => number, width = size): Planes => {
  const planes = createPlanes(width, size)
  planes.y.set(Array.from({ length: width * size }, (_, at) => luma(at % width, Math.floor(at / width))))
  return planes
}
/** Skin of 100 above black, and brows that are darker by a half. */
const browed = (x: number, y: number): number => 16 + (isBrow(x, y) ? 50 : 100)
const depthOn = (planes: Planes, color = limited, places = points): number | null =>
  browDepthOn(planes, color, places, identity)
const moved = (x: number): Points => points.map((value, at) => (at % 3 === 0 ? value + x : value))

describe('how dark brows are on a frame', () => {
  it('is their share of the light of the skin', () => {
    expect(depthOn(frameOf(browed))).toBeCloseTo(0.5, 5)
    // In full range, 16 isn't black.
    const full = frameOf((x, y) => (isBrow(x, y) ? 25 : 100))
    expect(depthOn(full, { ...limited, full: true })).toBeCloseTo(0.75, 5)
  })

  it('is nothing without brows', () => {
    expect(depthOn(frameOf(() => 180))).toBe(0)
  })

  it('is found if brows are thinner than the landmarks say', () => {
    const upperEdge = [rightBrow, leftBrow].flatMap((loop) => loop.slice(5))
    const isEdge = (x: number, y: number): boolean =>
      upperEdge.some((point) => Math.hypot((points[point * 3] ?? 0) - x, (points[point * 3 + 1] ?? 0) - y) < 2.5)
    expect(depthOn(frameOf((x, y) => 16 + (isEdge(x, y) ? 50 : 100)))).toBeGreaterThan(0.15)
  })

  it.each([90, 270] as const)('is found on a mirrored video that is turned by %d degrees', (rotation) => {
    const [width, height] = [size + 40, size]
    const upright = frameOf(browed, width)
    const view = uprightToCoded({ width: height, height: width }, { width, height, rotation, flip: true })
    const coded = createPlanes(height, width)
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) {
        const toX = Math.floor(view.a * (x + 0.5) + view.b * (y + 0.5) + view.c)
        const toY = Math.floor(view.d * (x + 0.5) + view.e * (y + 0.5) + view.f)
        coded.y[toY * height + toX] = upright.y[y * width + x] ?? 0
      }
    expect(browDepthOn(coded, limited, points, view)).toBeCloseTo(0.5, 5)
  })

  it('is unknown if the frame ends within the face', () => {
    expect(depthOn(frameOf(browed), limited, moved(-120))).toBeNull()
    expect(depthOn(frameOf(browed), limited, moved(120))).toBeNull()
  })
})

describe('how strong brows are drawn', () => {
  /** Brows three quarters as dark as black. */
  const source = paint((x, y) => (isBrow(x, y) ? 50 : 200))
  const strength = (...depths: (number | null)[]): number => browStrength(source, depths)

  it('is between those of the picture and of the video, by the middle one of its frames', () => {
    expect(strength(0.1, 0.48, 0.7)).toBeCloseTo(0.8, 5)
    expect(strength(0.7, null, 0.48, 0.1, null)).toBeCloseTo(0.8, 5)
  })

  it('is all of it where the video has brows as dark, or none is known', () => {
    expect(strength(0.75)).toBe(1)
    expect(strength(0.9)).toBe(1)
    expect(strength()).toBe(1)
    expect(strength(null)).toBe(1)
  })

  it('keeps brows on a face that has none, and none where there are none', () => {
    expect(strength(0)).toBeCloseTo(0.4, 5)
    expect(strength(-0.3)).toBeCloseTo(0.4, 5)
    expect(
      browStrength(
        paint(() => 180),
        [0.1],
      ),
    ).toBe(1)
  })
})
