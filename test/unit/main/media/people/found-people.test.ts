import { describe, expect, it } from 'vitest'
import type { Person, Split } from '@shared/people/people.ts'
import { pieceId } from '@shared/people/split.ts'
import {
  checkCorrections,
  correctionsFit,
  extended,
  peopleOf,
  withIds,
} from '../../../../../src/main/media/people/found-people.ts'
import { clip, scanOf } from '../../../../fixtures/people.ts'

const ids = (...scans: ReturnType<typeof scanOf>[]): string[] =>
  scans.reduce<ReturnType<typeof withIds>>((before, { people }) => withIds(people, before), []).map(({ id }) => id)

const person = (id: string, ...clipIds: number[]): Person => ({ id, name: null, clipIds })

describe('the ids of people', () => {
  it('are in order of prominence in a new scan', () => {
    expect(ids(scanOf([clip(4, 0, 9)], [clip(1, 0, 5)], [clip(2, 0, 1)]))).toEqual(['p1', 'p2', 'p3'])
  })

  it('stay when another becomes more prominent, and a newcomer gets the next', () => {
    const first = scanOf([clip(0, 0, 5)], [clip(1, 0, 3)])
    const later = scanOf([clip(1, 0, 3), clip(3, 4, 9)], [clip(0, 0, 5)], [clip(2, 0, 4)])
    expect(ids(first, later)).toEqual(['p2', 'p1', 'p3'])
  })

  it('go to whom most clips are of when two become one or one becomes two', () => {
    const two = scanOf([clip(0, 0, 1), clip(1, 1, 2)], [clip(2, 2, 3)])
    expect(ids(two, scanOf([clip(0, 0, 1), clip(1, 1, 2), clip(2, 2, 3)]))).toEqual(['p1'])
    expect(ids(two, scanOf([clip(1, 1, 2)], [clip(2, 2, 3)], [clip(0, 0, 1)]))).toEqual(['p1', 'p2', 'p3'])
  })
})

const known = new Set([0, 1, 2])
const later = withIds(
  scanOf([clip(0, 0, 2), clip(1, 3, 4), clip(3, 5, 6)], [clip(2, 0, 1), clip(4, 7, 8)], [clip(5, 2, 3)]).people,
  [],
)
it.each<[string, Person[], Person[]]>([
  ['go on with who was merged', [person('p2', 2, 0, 1)], [person('p2', 2, 0, 1, 3, 4), person('p3', 5)]],
  ['leave out whoever is not a person', [person('p1', 0, 1)], [person('p1', 0, 1, 3), person('p3', 5)]],
  [
    'lose clips that were joined with others',
    [person('p1', 0, 1, 9), person('p2', 2)],
    [person('p1', 0, 1, 3), person('p2', 2, 4), person('p3', 5)],
  ],
])('corrections of an unfinished scan %s', (_what, people, now) => {
  expect(extended(people, known, later)).toEqual(now)
  expect(people[0]?.clipIds).not.toContain(3)
})

const found = withIds(scanOf([clip(0, 0, 2), clip(1, 3, 4)], [clip(2, 0, 1)]).people, [])

describe('corrections', () => {
  it.each([
    ['as found', peopleOf(found)],
    ['merged, with a person who has nothing left', [person('p1', 0, 1, 2), person('p2')]],
    ['split, with a clip that is nobody’s', [person('p1', 0), person('new', 1)]],
    ['nobody', []],
  ])('are taken: %s', (_what, people) => expect(() => checkCorrections({ people, splits: [] }, found)).not.toThrow())

  it.each([
    ['a clip that does not exist', [person('p1', 9)]],
    ['a clip of two people', [person('p1', 0), person('p2', 0)]],
    ['a clip twice', [person('p1', 0, 0)]],
    ['two people of one id', [person('p1', 0), person('p1', 1)]],
  ])('are refused: %s', (_what, people) => {
    expect(() => {
      checkCorrections({ people, splits: [] }, found)
    }).toThrow(expect.objectContaining({ code: 'bad-argument' }))
  })

  it('fit a later scan if the clips they name have the same times there', () => {
    const more = withIds(scanOf([clip(0, 0, 2), clip(1, 3, 4), clip(7, 8, 9)], [clip(2, 0, 5)]).people, [])
    const fits = (people: Person[], splits: Split[] = []) => correctionsFit({ people, splits }, found, more)
    expect(fits([person('p1', 0, 1)])).toBe(true)
    expect(fits([person('p1', 0, 2)])).toBe(false)
    expect(fits([person('p1', 7)])).toBe(false)
    const split = { clipId: 0, atMs: 1 }
    expect(fits([person('p1', 0, pieceId(split))], [split])).toBe(true)
  })
})
