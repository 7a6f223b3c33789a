import { expect, it } from 'vitest'
import { regionOfPoints } from '../../../src/renderer/engine/face/landmarks.ts'
import { targetsOf } from '../../../src/renderer/engine/jobs/swap/swap-picture.ts'
import type { Cast } from '../../../src/shared/engine/engine.ts'
import { faceAt } from './face-at.ts'

/** Largest first, as the search finds them. */
const found = [300, 0, 600].map((x) => ({ points: faceAt(x) }))
const at = (place: number): Cast['clips'] => {
  const { x, y, size } = regionOfPoints(faceAt(place))
  return [{ id: 0, fromMs: 0, toMs: 1, places: [[0, Math.round(x), Math.round(y), Math.round(size)]] }]
}
const targets = (...clips: Cast['clips'][]): [number, number][] =>
  targetsOf(
    found,
    clips.map((each) => ({ pictures: ['face'], clips: each })),
  ).map(({ points, entry }) => [found.findIndex((one) => one.points === points), entry])

it('swaps the largest face without people', () => {
  expect(targets(null)).toEqual([[0, 0]])
  expect(targetsOf([], [{ pictures: ['face'], clips: null }])).toEqual([])
})

it('gives each person of the cast the nearest face, largest face first', () => {
  expect(targets(at(610), at(290))).toEqual([
    [0, 1],
    [2, 0],
  ])
})

it('leaves out who isn’t there, and a second face for the same person', () => {
  expect(targets(at(3000))).toEqual([])
  expect(targets(at(0), at(10))).toEqual([[1, 0]])
})
