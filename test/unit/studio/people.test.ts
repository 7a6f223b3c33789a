import { describe, expect, it } from 'vitest'
import type { Person } from '@shared/people/people.ts'
import { castOf, type Choice } from '../../../src/renderer/studio/logic/compose/cast.ts'
import {
  addPerson,
  clipsOf,
  faceIdOf,
  joinSpans,
  mergePeople,
  moveClips,
  removePerson,
  renamePerson,
  seenMs,
  strayClips,
} from '../../../src/renderer/studio/logic/compose/people.ts'
import { crew } from '../../fixtures/fake-people.ts'

const span = (fromMs: number, toMs: number) => ({ fromMs, toMs })
const video = { videoId: 'crew.mp4', ...crew() }
const short = (people: readonly Person[]): string[] => people.map(({ id, clipIds }) => `${id}: ${clipIds.join(' ')}`)
const people: Person[] = [
  { id: 'a', name: null, clipIds: [1, 2] },
  { id: 'b', name: 'Bea', clipIds: [3] },
]

describe('when a person is seen', () => {
  it('joins clips that overlap or touch', () => {
    expect(joinSpans([span(5, 9), span(0, 3), span(8, 12), span(3, 4)])).toEqual([span(0, 4), span(5, 12)])
    expect(seenMs([span(0, 3), span(2, 5)])).toBe(5)
    expect(seenMs([])).toBe(0)
  })

  it('is told by the clips, of which the longest gives the face', () => {
    const [first] = video.people
    const clips = first ? clipsOf(video, first) : []
    expect(clips.map(({ fromMs }) => fromMs)).toEqual([0, 10_000, 19_000, 24_000, 34_000])
    expect(faceIdOf(clips)).toBe('clip-a1.jpg')
    expect(faceIdOf([])).toBeNull()
    expect(strayClips(video).map(({ id }) => id)).toEqual([30])
  })
})

describe('a correction', () => {
  it.each([
    ['moves clips to another', moveClips(people, [2], 'b'), ['a: 1', 'b: 3 2']],
    ['moves clips to nobody', moveClips(people, [1], null), ['a: 2', 'b: 3']],
    ['gives a clip that nobody has', moveClips(people, [9], 'a'), ['a: 1 2 9', 'b: 3']],
    ['leaves nobody without clips', moveClips(people, [3], 'a'), ['a: 1 2 3']],
    ['splits', addPerson(people, [2], 'new'), ['a: 1', 'b: 3', 'new: 2']],
    ['merges', mergePeople(people, 'b', 'a'), ['a: 1 2 3']],
    ['merges nobody with themselves', mergePeople(people, 'a', 'a'), ['a: 1 2', 'b: 3']],
    ['removes', removePerson(people, 'a'), ['b: 3']],
  ])('%s', (_name, after, expected) => expect(short(after)).toEqual(expected))

  it('keeps the name of one of two that are merged', () => {
    expect(mergePeople(people, 'b', 'a')[0]?.name).toBe('Bea')
    expect(mergePeople(people, 'a', 'b')[0]?.name).toBe('Bea')
    expect(renamePerson(people, 'b', ' ')[1]?.name).toBeNull()
    expect(renamePerson(people, 'a', ' Ann ')[0]?.name).toBe('Ann')
  })
})

describe('the cast without a choice', () => {
  /** @param choices as `a1 b`: who becomes which face, or stays @returns the same, of everybody */
  const cast = (ids: string, faces: number[], choices = '', placed: number[] = []): string => {
    const chosen = choices.split(' ').flatMap((each): [string, Choice][] => {
      const [id = '', face] = each
      return id === '' ? [] : [[id, face === undefined ? null : Number(face)]]
    })
    const made = castOf({ people: ids.split(''), faces, choices: new Map(chosen), placed: new Set(placed) })
    return [...made].map(([id, key]) => `${id}${key === null ? '' : String(key)}`).join(' ')
  }

  it.each([
    ['gives the first face to the most prominent person', cast('abc', [1]), 'a1 b c'],
    ['gives a second face to the next person', cast('abc', [1, 2]), 'a1 b2 c'],
    ['gives nobody two faces', cast('a', [1, 2]), 'a1'],
    ['leaves a person alone who stays', cast('abc', [1, 2], 'a'), 'a b1 c2'],
    ['keeps what was chosen when people come and move', cast('cba', [1, 2], 'a1 b2', [1, 2]), 'c b2 a1'],
    ['gives a face that was taken from a person to no other', cast('abc', [1, 2], 'a1 b', [1, 2]), 'a1 b c'],
    ['gives a new face to the next without one', cast('abc', [1, 2], 'a1', [1]), 'a1 b2 c'],
    ['lets one face be two people', cast('ab', [1], 'a1 b1', [1]), 'a1 b1'],
    ['forgets a face that was removed', cast('ab', [2], 'a1', [1]), 'a2 b'],
  ])('%s', (_name, made, expected) => expect(made).toBe(expected))
})
