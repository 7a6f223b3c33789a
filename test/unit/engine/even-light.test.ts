import { expect, it } from 'vitest'
import { evenLight } from '../../../src/renderer/engine/source/even-light.ts'
import { otherHalf } from '../../../src/renderer/engine/source/overlay.ts'
import { paint, points, size } from './flat-face.ts'
import type { SourceCut } from '../../../src/renderer/engine/source/source-face.ts'

const skin = 150
const middle = size / 2
/** A face with vertical stripes of other brightness, sixteen pixels wide. @param stripes columns from the middle, and brightness */
const striped = (stripes: readonly (readonly [number, number])[]): SourceCut =>
  paint((x) => stripes.find(([at]) => Math.abs(x - middle - at) < 8)?.[1] ?? skin)
const evened = (cut: SourceCut, at: number, row = 150): number => {
  evenLight(cut, otherHalf(cut))
  return cut.rgba[(row * size + middle + at) * 4] ?? 0
}

it('halves a shadow that only one side of the face has', () => {
  const value = evened(striped([[30, 75]]), 30)
  expect(value).toBeGreaterThan(85)
  expect(value).toBeLessThan(125)
})

it('lights a brow as it does the skin around', () => {
  const [x = 0, y = 0] = points.subarray(105 * 3, 105 * 3 + 2)
  const at = Math.round(x) - middle
  expect(evened(striped([[at, 75]]), at, Math.round(y) + 2)).toBeGreaterThan(79)
})

it('leaves what both sides have', () => {
  const both = [30, -30].map((at) => [at, 75] as const)
  expect(Math.abs(evened(striped(both), 30) - 75)).toBeLessThan(8)
  expect(Math.abs(evened(striped([]), 30) - skin)).toBeLessThan(2)
})

it('removes shadows at the outline, also those on both sides', () => {
  const both = [92, -92].map((at) => [at, 75] as const)
  for (const [at] of both) expect(evened(striped(both), at)).toBeGreaterThan(95)
})
