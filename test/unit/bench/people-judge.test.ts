import { describe, expect, it } from 'vitest'
import type { PeopleScan } from '../../../src/shared/people/people.ts'
import { faceAt, judge, mistakes, perfectScan } from '../../bench/people/judge.mjs'

const fps = 25
interface Face {
  person: string
  x: number
  y: number
  size: number
  isRequired: boolean
}
const face = (person: string, x: number, isRequired = true): Face => ({ person, x, y: 200, size: 100, isRequired })
const seconds = (count: number, faces: (frame: number) => Face[]): { fps: number; frames: Face[][] } => ({
  fps,
  frames: Array.from({ length: count * fps }, (_, frame) => faces(frame)),
})
/** Two people who walk past each other; while they are near, neither counts. */
const crossing = seconds(12, (frame) => {
  const [one, other] = [100 + 3 * frame, 1000 - 3 * frame]
  const isApart = Math.abs(one - other) > 60
  return [face('one', one, isApart), face('other', other, isApart)]
})
const clip = (id: number, ...places: [number, number, number, number][]): PeopleScan['people'][0]['clips'][0] => ({
  id,
  ...{ fromMs: 0, toMs: 12_000, places },
})

describe('the judge of people', () => {
  it('passes a scan without a mistake', () => {
    expect(judge(crossing, perfectScan(crossing))).toEqual({
      ...{ there: 2, found: 2, split: 0, falsePeople: 0, switches: 0, missed: 0, f1: 1, pass: true },
    })
  })

  it.each([
    ['exchanged', { found: 2, switches: 2 }],
    ['split', { found: 2, split: 1, switches: 1 }],
    ['merged', { found: 1 }],
    ['lost', { found: 1, missed: 0.5 }],
    ['a false person', { found: 2, falsePeople: 1 }],
  ] as const)('fails one with two people: %s', (name, expected) => {
    const found = judge(crossing, mistakes[name]?.(perfectScan(crossing)) ?? perfectScan(crossing))
    expect(found).toMatchObject({ ...expected, pass: false })
    expect(found.f1).toBeLessThan(0.98)
  })

  it('counts pairs of faces', () => {
    // Of four frames, the scan has three, and one false face.
    const truth = { fps, frames: Array.from({ length: 4 }, () => [face('one', 100)]) }
    const away = judge(truth, {
      people: [{ clips: [{ ...clip(0, [0, 100, 200, 100], [80, 100, 200, 100]), toMs: 120 }] }],
      scannedMs: 160,
    })
    // Three pairs of the scan, all right, of six.
    expect([away.missed, away.f1]).toEqual([0.25, 6 / 9])
  })

  it('lets faces that don’t count be found or not', () => {
    const hidden = seconds(4, () => [face('one', 100), face('hidden', 600, false)])
    const [one] = perfectScan(hidden).people
    const scan = (...people: PeopleScan['people']): PeopleScan => ({ people, scannedMs: 4000 })
    expect(one && judge(hidden, scan(one)).pass).toBe(true)
    const other = { clips: [clip(7, [0, 600, 200, 100], [900, 600, 200, 100])] }
    expect(one && judge(hidden, scan(one, other)).pass).toBe(true)
    const false_ = { clips: [clip(7, [0, 900, 200, 100], [900, 900, 200, 100])] }
    expect(one && judge(hidden, scan(one, false_)).pass).toBe(false)
  })

  it('passes a scan of nobody only if there is nobody', () => {
    const nobody = { people: [], scannedMs: 2000 }
    expect(
      judge(
        seconds(2, () => []),
        nobody,
      ).pass,
    ).toBe(true)
    expect(
      judge(
        seconds(2, () => [face('one', 100)]),
        nobody,
      ),
    ).toMatchObject({ pass: false, missed: 1 })
  })
})

describe('a face between two places', () => {
  const walk = clip(0, [1200, 100, 200, 100], [2000, 200, 220, 120], [5000, 800, 200, 100])

  it.each([
    [1600, { x: 150, y: 210, size: 110, isClaimed: true }],
    [2000, { x: 200, y: 220, size: 120, isClaimed: true }],
    [2600, { x: 320, y: 216, size: 116, isClaimed: false }],
    [400, { x: 100, y: 200, size: 100, isClaimed: false }],
    [5800, { x: 800, y: 200, size: 100, isClaimed: false }],
    // Too long ago.
    [3500, null],
    [50, null],
    [6000, null],
  ])('at %d ms', (ms, expected) => expect(faceAt(walk, ms)).toEqual(expected))

  it('ends with its clip', () => {
    expect(faceAt({ ...walk, fromMs: 900, toMs: 5100 }, 5200)).toBeNull()
    expect(faceAt({ ...walk, fromMs: 900, toMs: 5100 }, 800)).toBeNull()
  })
})
