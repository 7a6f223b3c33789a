import { expect, it } from 'vitest'
import { clipBeside, lanesOf } from '../../../src/renderer/studio/logic/compose/lanes.ts'
import type { VideoPeople } from '@shared/people/people.ts'

const clip = (id: number) => ({ id, fromMs: id * 1000, toMs: id * 1000 + 500 }) as VideoPeople['clips'][number]
/** Two people with clips 1 to 5 and clip 6; nobody has clip 7. */
const video = {
  people: [
    { id: 'a', name: 'Ada', clipIds: [1, 2, 3, 4, 5] },
    { id: 'b', name: null, clipIds: [6] },
  ],
  clips: [1, 2, 3, 4, 5, 6, 7].map(clip),
} as unknown as VideoPeople
const lanes = lanesOf(video)

it('has a lane for each person, and one for the clips of nobody', () => {
  expect(lanes.map(({ person, clips }) => [person?.id ?? null, clips.map(({ id }) => id)])).toEqual([
    ['a', [1, 2, 3, 4, 5]],
    ['b', [6]],
    [null, [7]],
  ])
})

it.each([
  [1, 'ArrowRight', 2],
  [2, 'ArrowLeft', 1],
  [2, 'ArrowDown', 4],
  [5, 'ArrowUp', 3],
  [1, 'ArrowUp', undefined],
  // Out of the right column, and of a row with one clip, into the next lane; back into the right column.
  [4, 'ArrowRight', 6],
  [5, 'ArrowRight', 6],
  [6, 'ArrowLeft', 2],
  [6, 'ArrowRight', 7],
  [7, 'ArrowRight', undefined],
  [1, 'ArrowLeft', undefined],
  [null, 'ArrowDown', 1],
])('leads from clip %s by %s to %s', (from, arrow, to) => expect(clipBeside(lanes, from, arrow)?.id).toBe(to))
