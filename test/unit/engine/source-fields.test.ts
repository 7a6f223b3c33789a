import { describe, expect, it } from 'vitest'
import { distanceTo, fillPolygon } from '../../../src/renderer/engine/common/polygon.ts'
import { enlarge } from '../../../src/renderer/engine/source/enlarge.ts'

describe('a polygon', () => {
  const side = 64
  /** A star whose points reach beyond the field, some of them on the middles of pixels. */
  const star = Array.from({ length: 10 }, (_, at) => {
    const radius = at % 2 === 0 ? 38 : 14
    return [30.5 + radius * Math.sin((at * Math.PI) / 5), 32 - radius * Math.cos((at * Math.PI) / 5)] as const
  })
  const steps = [
    [10.5, 8.5],
    [20.5, 8.5],
    [20.5, 16.5],
    [40.5, 16.5],
    [40.5, 30.5],
    [10.5, 30.5],
  ] as const

  it.each([
    ['a star', star, 0],
    ['a star with a margin', star, 3.3],
    ['steps with a margin', steps, 1.7],
  ])('is filled where its distance says: %s', (_, polygon, margin) => {
    const mask = new Float32Array(side * side)
    fillPolygon(mask, side, polygon, margin, 1)
    const wrong = [...mask.keys()].filter((pixel) => {
      const away = distanceTo(polygon, (pixel % side) + 0.5, Math.floor(pixel / side) + 0.5)
      return (mask[pixel] === 1) !== away <= margin
    })
    expect(wrong).toEqual([])
    expect(mask.reduce((sum, value) => sum + value, 0)).toBeGreaterThan(300)
  })

  it('has its corners on the middles of pixels: half of them belong to it', () => {
    const mask = new Float32Array(side * side)
    fillPolygon(mask, side, steps, 0, 1)
    expect(mask.reduce((sum, value) => sum + value, 0)).toBe(10 * 8 + 30 * 14)
  })
})

it('a field at a picture’s size runs straight between the middles of its values, and flat beyond the outermost', () => {
  const field = Float32Array.from({ length: 16 }, (_, at) => (at % 4) * 8 + Math.floor(at / 4) * 100)
  const large = enlarge(field, 4, { width: 16, height: 8 })
  expect([...large.subarray(0, 16)]).toEqual([0, 0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 24, 24])
  expect([0, 1, 2, 3, 4, 5, 6, 7].map((row) => large[row * 16])).toEqual([0, 25, 75, 125, 175, 225, 275, 300])
})

it('a field at a picture’s size reads one channel of several', () => {
  const field = Float32Array.from({ length: 12 }, (_, at) => (at % 3 === 1 ? 7 : 1))
  expect(new Set(enlarge(field, 2, { width: 5, height: 5 }, 3, 1))).toEqual(new Set([7]))
})
