import { expect, it } from 'vitest'
import type { VideoPeople } from '@shared/people/people.ts'
import { placesAt } from '../../../src/renderer/studio/logic/compose/person-places.ts'

const video: VideoPeople = {
  ...{ videoId: 'v', splits: [], moments: [], scanned: 1, isCorrected: false, wasChanged: false },
  people: [
    { id: 'p1', name: null, clipIds: [2, 0] },
    { id: 'p2', name: 'Ada', clipIds: [1] },
  ],
  clips: [
    { id: 0, fromMs: 0, toMs: 2000, faceId: 'f0' },
    { id: 1, fromMs: 0, toMs: 4000, faceId: 'f1' },
    { id: 2, fromMs: 2000, toMs: 4000, faceId: 'f2' },
  ],
}
const places = new Map([
  [0, Int32Array.of(100, 40, 50, 60, 500, 80, 50, 120)],
  [1, Int32Array.of(3000, 300, 200, 90)],
])

it.each<[number, string, [string, number, number, number][]]>([
  [0, 'before the first place', [['p1', 40, 50, 20]]],
  [300, 'between two', [['p1', 60, 50, 30]]],
  [1000, 'half a second after the last', [['p1', 80, 50, 40]]],
  [1001, 'later: not seen', []],
  [2900, 'in a clip without places, and another', [['p2', 300, 200, 30]]],
  [4000, 'after all clips', []],
])('at %i ms, %s', (ms, _what, expected) => {
  const found = placesAt(video, places, ms)
  expect(found.map(({ person, oval }) => [person.id, oval.cx, oval.cy, oval.ry])).toEqual(expected)
})

it('counts people as their cards do', () => {
  expect(placesAt(video, places, 3000)[0]).toMatchObject({ index: 1, person: { name: 'Ada' } })
})
