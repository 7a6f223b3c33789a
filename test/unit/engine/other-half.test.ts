import { expect, it } from 'vitest'
import { mirrorOf } from '../../../src/renderer/engine/face/mirror.ts'
import { otherHalf, fillFrom } from '../../../src/renderer/engine/source/overlay.ts'
import type { SourceCut } from '../../../src/renderer/engine/source/source-face.ts'
import { paint, points, size } from './flat-face.ts'

const skin = 120
/** A point of the brow on the left of the picture, and its mirror image. */
const seen = 63
const hidden = mirrorOf[seen] ?? 0
const placeOf = (point: number): [number, number] => [
  Math.round(points[point * 3] ?? 0),
  Math.round(points[point * 3 + 1] ?? 0),
]
const pixelAt = ({ rgba }: SourceCut, [x, y]: [number, number]): number[] => [
  ...rgba.slice((y * size + x) * 4, (y * size + x) * 4 + 4),
]
const isNear = (x: number, y: number, point: number, reach: number): boolean => {
  const [px, py] = placeOf(point)
  return Math.hypot(x - px, y - py) < reach
}
/** Light falls on the left half; hair, which was filled, hides the brow of the right half. */
const face = (isHidden: (x: number, y: number) => boolean): SourceCut =>
  paint((x, y) => {
    const light = x < size / 2 ? skin : skin / 2
    const value = isNear(x, y, seen, 4) ? light / 3 : light
    return isHidden(x, y) ? [200, 200, 200, 0] : value
  })

it('shows a brow below hair as the other one, in the light of its own half', () => {
  const cut = face((x, y) => isNear(x, y, hidden, 10))
  fillFrom(cut, otherHalf(cut))
  const [value = 0, , , alpha] = pixelAt(cut, placeOf(hidden))
  expect(value).toBeLessThan(skin / 4)
  const [x, y] = placeOf(hidden)
  const [beside = 0] = pixelAt(cut, [x, y + 7])
  expect(Math.abs(beside - skin / 2)).toBeLessThan(skin / 8)
  // It isn't the face's own: another picture of the person would be better.
  expect(alpha).toBe(0)
})

it('leaves a face as it is where it is seen, or where both halves are hidden', () => {
  const plain = face(() => false)
  const before = plain.rgba.slice()
  fillFrom(plain, otherHalf(plain))
  expect(plain.rgba).toEqual(before)
  const both = face((x, y) => isNear(x, y, hidden, 10) || isNear(x, y, seen, 10))
  fillFrom(both, otherHalf(both))
  expect(pixelAt(both, placeOf(hidden))).toEqual([200, 200, 200, 0])
})
