import { describe, expect, it } from 'vitest'
import { scaled } from '../../../src/renderer/engine/media/pictures/scale-picture.ts'
import { planesByteLength, planesOver } from '../../../src/renderer/engine/media/pixels/planes.ts'
import { PlaneScaler, Scaler } from '../../../src/renderer/engine/media/pixels/scale.ts'

/** @param value of a pixel, from its centre in 0…1 */
function drawn(width: number, height: number, value: (x: number, y: number) => number): Uint8Array {
  return Uint8Array.from({ length: width * height }, (_, at) =>
    Math.round(value(((at % width) + 0.5) / width, (Math.floor(at / width) + 0.5) / height)),
  )
}

const result = (from: [number, number], to: [number, number], plane: Uint8Array): Uint8Array => {
  const out = new Uint8Array(to[0] * to[1])
  new Scaler({ width: from[0], height: from[1] }, { width: to[0], height: to[1] }).scale(plane, out)
  return out
}

describe('a plane', () => {
  it.each([
    [1280, 720, 360, 202],
    [101, 77, 64, 48],
    [9, 2, 2, 2],
  ])('of one value keeps it from %i × %i to %i × %i', (width, height, newWidth, newHeight) => {
    const plane = new Uint8Array(width * height).fill(201)
    expect(new Set(result([width, height], [newWidth, newHeight], plane))).toEqual(new Set([201]))
  })

  it('keeps slopes in their place', () => {
    const slope = (x: number, y: number): number => 30 + 150 * x + 40 * y
    const out = result([640, 360], [250, 140], drawn(640, 360, slope))
    const exact = drawn(250, 140, slope)
    const inner = [...out].map((value, at) => {
      const [x, y] = [at % 250, Math.floor(at / 250)]
      return x > 3 && y > 3 && x < 246 && y < 136 ? Math.abs(value - (exact[at] ?? 0)) : 0
    })
    expect(Math.max(...inner)).toBeLessThanOrEqual(1)
  })

  it('has no pattern where lines are finer than its pixels', () => {
    const lines = Uint8Array.from({ length: 900 * 300 }, (_, at) => (at % 2 === 0 ? 0 : 255))
    const out = result([900, 300], [310, 100], lines)
    // The edges continue with one line.
    const inner = out.filter((_, at) => at % 310 > 3 && at % 310 < 306)
    expect(Math.max(...inner) - Math.min(...inner)).toBeLessThanOrEqual(4)
  })

  it('stays sharp', () => {
    const edge = drawn(400, 8, (x) => (x < 0.5 ? 20 : 220))
    const out = result([400, 8], [100, 2], edge)
    expect(out[47]).toBeLessThan(30)
    expect(out[52]).toBeGreaterThan(210)
  })
})

it('a frame keeps its colours in their place', () => {
  const from = { width: 320, height: 180 }
  const to = { width: 80, height: 46 }
  const buffer = new ArrayBuffer(planesByteLength(320, 180))
  planesOver(buffer, 320, 180).u.forEach((_, at, u) => (u[at] = at % 160 < 80 ? 60 : 180))
  const out = new Uint8Array(new PlaneScaler(from, to).scale(buffer), 80 * 46, 40 * 23)
  const middle = [...out.subarray(40 * 10, 40 * 11)]
  expect(middle.slice(0, 17).every((value) => value < 70)).toBe(true)
  expect(middle.slice(22).every((value) => value > 170)).toBe(true)
})

it('what is transparent adds no colour', () => {
  const rgba = new Uint8ClampedArray(64 * 64 * 4)
  for (let at = 0; at < rgba.length; at += 4) {
    const isLeft = (at / 4) % 64 < 32
    rgba.set(isLeft ? [200, 100, 50, 255] : [0, 255, 255, 0], at)
  }
  const picture = { rgba, width: 64, height: 64 }
  expect(scaled(picture, picture)).toBe(picture)
  const small = scaled(picture, { width: 16, height: 16 })
  const pixel = (x: number): number[] => [...small.rgba.subarray(x * 4, x * 4 + 4)]
  expect(pixel(2)).toEqual([200, 100, 50, 255])
  expect(pixel(13)[3]).toBe(0)
  const atEdge = pixel(7)
  expect(Math.abs((atEdge[0] ?? 0) - 200)).toBeLessThan(12)
  expect(Math.abs((atEdge[1] ?? 0) - 100)).toBeLessThan(12)
})
