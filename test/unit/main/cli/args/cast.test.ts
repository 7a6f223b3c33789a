import { describe, expect, it } from 'vitest'
import { withPersonIds } from '../../../../../src/main/cli/args/cast.ts'

const people = [
  { id: 'p2', name: null, clipIds: [1] },
  { id: 'p1', name: 'Ada', clipIds: [2] },
  { id: 'p3', name: 'ada', clipIds: [3] },
  { id: 'p4', name: 'Grace', clipIds: [4] },
]
const ids = (...given: string[]): string[] =>
  withPersonIds(
    people,
    given.map((personId) => ({ personId })),
  ).map(({ personId }) => personId)

describe('a person of --cast', () => {
  it.each([
    ['1', 'p2'],
    ['p1', 'p1'],
    ['GRACE ', 'p4'],
  ])('%j is %s', (given, id) => expect(ids(given)).toEqual([id]))

  it.each([
    ['5', { code: 'person-unknown', details: { person: '5', people: '1, 2 (Ada), 3 (ada) and 4 (Grace)' } }],
    ['0', { code: 'person-unknown' }],
    ['Ad', { code: 'person-unknown' }],
    ['Ada', { code: 'usage', message: /Several people are called “Ada”/ }],
  ])('%j is refused', (given, error) => {
    const { message, ...rest } = { message: /./, ...error }
    expect(() => ids(given)).toThrow(expect.objectContaining(rest))
    expect(() => ids(given)).toThrow(message)
  })

  it('is named once', () => expect(() => ids('2', '1', 'p1')).toThrow(/--cast 2 and --cast p1 are the same person/))

  it('is nobody in a video without people', () => {
    expect(() => withPersonIds([], [{ personId: '1' }])).toThrow(expect.objectContaining({ details: { person: '1' } }))
  })
})
