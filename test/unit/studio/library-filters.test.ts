import { describe, expect, it } from 'vitest'
import type { LibraryFacets } from '@shared/tasks/library-view.ts'
import { chipsOf, toggled, toQuery, without } from '../../../src/renderer/studio/logic/library/library-filters.ts'

const facets: LibraryFacets = {
  states: [{ state: 'kept', count: 2 }],
  tags: [{ name: 'Crew', count: 1 }],
  faces: [
    { key: 'a', name: 'lisa.jpg', thumbnailId: 'thumb', count: 2 },
    { key: 'b', name: 'eileen.png', thumbnailId: 'other', count: 1 },
  ],
  ...{ profiles: [{ profileId: 'cloud', count: 1 }], batches: [], favourites: 1, duplicates: 0 },
}
const chips = (filters: Parameters<typeof chipsOf>[0]): string[] =>
  chipsOf(filters, facets, () => 'Studio Cloud').map(({ label }) => label)

describe('the days of a filter', () => {
  const now = new Date(2026, 2, 30, 15, 20).getTime()
  it.each([
    ['today', new Date(2026, 2, 30), undefined],
    ['week', new Date(2026, 2, 24), undefined],
    ['month', new Date(2026, 2, 1), undefined],
    ['year', new Date(2026, 0, 1), undefined],
    [{ from: '2026-03-28', until: '2026-03-29' }, new Date(2026, 2, 28), new Date(2026, 2, 30)],
    [{ from: '', until: '2026-03-29' }, undefined, new Date(2026, 2, 30)],
    [{ from: 'never', until: '' }, undefined, undefined],
  ] as const)('%j begin and end at midnight here', (added, from, until) => {
    const query = toQuery({ added, favourite: true }, now)
    expect([query.favourite, query.from, query.until]).toEqual([true, from?.getTime(), until?.getTime()])
  })
})

it('says in words what is chosen', () => {
  expect(chips({ faces: ['a', 'b'], profileIds: ['cloud'], duplicates: true, added: 'week' })).toEqual([
    'Face used: lisa.jpg or eileen.png',
    'Where it ran: Studio Cloud',
    'Last 7 days',
    'Duplicates',
  ])
  expect(chips({ added: { from: '2026-03-28', until: '' } })).toEqual(['Since 28 March 2026'])
})

it('adds and removes values; a filter without values is none', () => {
  const one = toggled({}, 'tags', 'Crew')
  const two = toggled(one, 'tags', 'v2')
  expect([one, two, toggled(one, 'tags', 'Crew')]).toEqual([{ tags: ['Crew'] }, { tags: ['Crew', 'v2'] }, {}])
  expect(without({ ...two, favourite: true }, 'tags')).toEqual({ favourite: true })
})
