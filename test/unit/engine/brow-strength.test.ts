import { describe, expect, it } from 'vitest'
import { identity, type Affine } from '../../../src/renderer/engine/common/affine.ts'
import { browStrength } from '../../../src/renderer/engine/source/brow-strength.ts'
import { leftBrow, rightBrow } from '../../../src/renderer/engine/face/topology.ts'
import { createPlanes, type ColorModel } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { paint, points, size } from './flat-face.ts'

const boxes = [rightBrow, leftBrow].map((loop) => {
  const of = (axis: 0 | 1): number[] => loop.map((point) => points[point * 3 + axis] ?? 0)
  const [xs, ys] = [of(0), of(1)]
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
})
/** @param share of a brow's height, from above */
const isBrow = (x: number, y: number, share = 1): boolean =>
  boxes.some(({ left, right, top, bottom }) => {
    const below = top + (bottom - top) * share
    return x >= left - 3 && x <= right + 3 && y >= top - 3 && y <= below + 3
  })

const limited: ColorModel = { matrix: 'bt709', full: false }
type OnFrame = Parameters<typeof browStrength>[1][number]
const onFrame = (luma: (x: number, y: number) => number, color = limited): OnFrame => {
  const planes = createPlanes(size, size)
  planes.y.set(Array.from({ length: size * size }, (_, at) => luma(at % size, Math.floor(at / size))))
  return { planes, color, points }
}
/** Skin of 100 above black, and brows that are darker by this share of it. */
const browed = (depth: number): OnFrame => onFrame((x, y) => 16 + (isBrow(x, y) ? 100 * (1 - depth) : 100))
/** A picture with brows three quarters as dark as black. */
const source = paint((x, y) => (isBrow(x, y) ? 50 : 200))
const strengthOn = (...frames: OnFrame[]): number => browStrength(source, frames, identity)

describe('how strong brows are drawn', () => {
  it('is between those of the picture and of the video, by the middle one of its frames', () => {
    expect(strengthOn(browed(0.48), browed(0.48), browed(0.1))).toBeCloseTo(0.8, 5)
    // In full range, 16 isn't black.
    const full = onFrame((x, y) => (isBrow(x, y) ? 52 : 100), { ...limited, full: true })
    expect(strengthOn(full)).toBeCloseTo(0.8, 5)
  })

  it('is all of it where the video has brows as dark, or no face was seen', () => {
    expect(strengthOn(browed(0.75))).toBe(1)
    expect(strengthOn(browed(0.9))).toBe(1)
    expect(strengthOn()).toBe(1)
  })

  it('keeps brows on a face that has none, and none where there are none', () => {
    expect(strengthOn(browed(0))).toBeCloseTo(0.4, 5)
    expect(strengthOn(browed(-0.3))).toBeCloseTo(0.4, 5)
    const bare = paint(() => 180)
    expect(browStrength(bare, [browed(0.1)], identity)).toBe(1)
  })

  it('finds brows that are thinner than the landmarks say', () => {
    const thin = onFrame((x, y) => 16 + (isBrow(x, y, 0.3) ? 25 : 100))
    expect(strengthOn(thin)).toBeGreaterThan(0.75)
  })

  it('finds the brows of a video that is turned', () => {
    const upsideDown: Affine = { a: -1, b: 0, c: size - 1, d: 0, e: -1, f: size - 1 }
    const { planes } = browed(0.48)
    planes.y.reverse()
    expect(browStrength(source, [{ planes, color: limited, points }], upsideDown)).toBeCloseTo(0.8, 5)
  })

  it('reads no pixel beyond the edge of a picture', () => {
    const beyond = { ...browed(0.48), points: points.map((value, at) => (at % 3 === 2 ? 0 : value - 120)) }
    expect(strengthOn(beyond)).toBeCloseTo(0.4, 5)
  })
})
