import { describe, expect, it } from 'vitest'
import { createPlanes, type Planes } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { FaceRenderer } from '../../../src/renderer/engine/render/face-renderer.ts'
import { addGrain } from '../../../src/renderer/engine/render/grain.ts'
import { skinFlag } from '../../../src/renderer/engine/raster/mesh-weights.ts'
import { SourceShape } from '../../../src/renderer/engine/render/shape.ts'
import type { FaceCrop, SwappedFace, SwapSource } from '../../../src/renderer/engine/render/swap-method.ts'
import { faceOval, leftEye, meshPoints, outerLips } from '../../../src/renderer/engine/face/topology.ts'

/** A way to swap that paints one colour over the middle half of the crop. */
const plain: SwapSource = {
  swapFace: ({ box: { width, height } }) => {
    const [halfWidth, halfHeight] = [width / 2, height / 2]
    const within = (at: number, length: number): boolean => at > length / 4 && at < (length * 3) / 4
    return {
      y: new Uint8Array(width * height).fill(90),
      u: new Uint8Array(halfWidth * halfHeight).fill(120),
      v: new Uint8Array(halfWidth * halfHeight).fill(150),
      mask: Uint8Array.from({ length: halfWidth * halfHeight }, (_, pixel) =>
        within(pixel % halfWidth, halfWidth) && within(pixel / halfWidth, halfHeight) ? 252 | skinFlag : 0,
      ),
    }
  },
}

function grain(width: number, height: number): Planes {
  const planes = createPlanes(width, height)
  for (const plane of [planes.y, planes.u, planes.v]) {
    for (let at = 0; at < plane.length; at += 1) plane[at] = 100 + ((at * 7919) % 61)
  }
  return planes
}

/** Points of a mesh spread over a square. */
const spreadOver = (left: number, size: number): Float32Array =>
  Float32Array.from({ length: meshPoints * 2 }, (_, at) => left + (((at >> 1) * (at % 2 === 0 ? 37 : 61)) % size))

describe('a way to swap', () => {
  it('changes pixels where it drew, and leaves every other one as it was decoded', () => {
    const [before, after] = [grain(128, 128), grain(128, 128)]
    new FaceRenderer(plain).render(after, spreadOver(32, 64), 1)
    const changed = [...after.y.keys()].filter((at) => after.y[at] !== before.y[at])
    expect(changed.length).toBeGreaterThan(500)
    const outside = changed.filter((at) => [at % 128, at >> 7].some((place) => place < 44 || place > 84))
    expect(outside).toEqual([])
  })

  it('draws the same whatever it drew before', () => {
    const [fresh, used] = [grain(128, 128), grain(128, 128)]
    const renderer = new FaceRenderer(plain)
    renderer.render(grain(128, 128), spreadOver(4, 110), 1)
    renderer.render(used, spreadOver(32, 64), 1)
    new FaceRenderer(plain).render(fresh, spreadOver(32, 64), 1)
    expect(used).toEqual(fresh)
  })
})

describe('grain', () => {
  const crop = (noise: number, faceWidth = 200): FaceCrop => {
    const frame = createPlanes(64, 64)
    for (let at = 0; at < frame.y.length; at += 1) frame.y[at] = 120 + (((at * 7919) % 17) - 8) * noise
    return { frame, box: { left: 8, top: 8, width: 32, height: 32 }, faceWidth }
  }
  const drawn = (mask: number): SwappedFace => ({
    y: new Uint8Array(32 * 32).fill(100),
    u: new Uint8Array(256).fill(128),
    v: new Uint8Array(256).fill(128),
    mask: new Uint8Array(256).fill(mask),
  })
  const spreadOf = (values: Uint8Array): number =>
    values.reduce((sum, value) => sum + Math.abs(value - 100), 0) / values.length

  it('of the footage is put on a smooth face, and does not change its light', () => {
    const face = drawn(252 | skinFlag)
    addGrain(crop(1), face, 1)
    expect(spreadOf(face.y)).toBeGreaterThan(1.5)
    expect(face.y.reduce((sum, value) => sum + value, 0) / face.y.length).toBeCloseTo(100, 0)
  })

  it('is left alone where there is none to speak of, or nothing was drawn', () => {
    const clean = drawn(252 | skinFlag)
    addGrain(crop(0.1), clean, 1)
    expect(spreadOf(clean.y)).toBe(0)
    const small = drawn(252 | skinFlag)
    addGrain(crop(1, 40), small, 1)
    expect(spreadOf(small.y)).toBe(0)
    const nothing = drawn(0)
    addGrain(crop(1), nothing, 1)
    expect(spreadOf(nothing.y)).toBe(0)
  })

  it('is not added to a face that has as much', () => {
    const face = drawn(252 | skinFlag)
    for (let at = 0; at < face.y.length; at += 1) face.y[at] = 100 + ((at * 6007) % 40)
    const before = face.y.slice()
    addGrain(crop(1), face, 1)
    expect(face.y).toEqual(before)
  })
})

describe("the source's shape", () => {
  const target = Float32Array.from({ length: meshPoints * 2 }, (_, at) => ((at * 7919) % 397) + (at % 2) * 10)
  const source = Float32Array.from({ length: meshPoints * 3 }, (_, at) => ((at * 6007) % 311) - (at % 3) * 20)
  const shaped = new SourceShape(source).on(target)

  it('leaves eyes, lips and outline where they are', () => {
    for (const point of [...leftEye, ...outerLips, ...faceOval]) {
      expect([shaped[point * 2], shaped[point * 2 + 1]]).toEqual([target[point * 2], target[point * 2 + 1]])
    }
  })

  it('moves the nose, along the line of the eyes, and by a bounded way', () => {
    const at = (points: Float32Array, index: number): number => points[index] ?? 0
    const eyes = [at(target, 526) - at(target, 66), at(target, 527) - at(target, 67)] as const
    const moved = [at(shaped, 2) - at(target, 2), at(shaped, 3) - at(target, 3)] as const
    const max = 0.03 * Math.hypot(at(target, 908) - at(target, 468), at(target, 909) - at(target, 469))
    expect(Math.hypot(...moved)).toBeGreaterThan(0)
    expect(Math.hypot(...moved)).toBeLessThanOrEqual(max + 1e-3)
    expect(Math.abs(moved[0] * eyes[1] - moved[1] * eyes[0])).toBeLessThan(0.5)
  })

  it('is no other for a source of the same shape, turned and scaled', () => {
    const flat = Float32Array.from({ length: meshPoints * 2 }, (_, at) => {
      const [x = 0, y = 0, z = 0] = source.subarray((at >> 1) * 3, (at >> 1) * 3 + 3)
      return at % 2 === 0 ? 0.6 * x - 0.2 * y + 0.3 * z + 50 : 0.1 * x + 0.7 * y - 0.1 * z + 80
    })
    const worst = new SourceShape(source)
      .on(flat)
      .reduce((max, value, at) => Math.max(max, Math.abs(value - (flat[at] ?? 0))), 0)
    expect(worst).toBeLessThan(0.01)
  })
})
