import { expect, it } from 'vitest'
import { draftsWith, repeatedSchema, type Repeated } from '../../../../src/main/swaps/drafts.ts'
import { defaultOptions } from '@shared/options/default-options.ts'
import { clip, swap } from '../../../fixtures/fake-tasks.ts'

const face = { id: 'new-face', name: 'lisa.jpg' }
const repeated = (id: string, change: Parameters<typeof swap>[2] = {}): Repeated =>
  repeatedSchema.parse(swap(id, 1, change))
const of = (name: string) => clip({ id: name, name: `${name}.mp4` })

it('repeats video, part, options and service with the new face', () => {
  const range = { parts: [{ fromMs: 1000, toMs: 2000 }], rest: 'drop' as const }
  const options = { ...defaultOptions, likeness: 90, keep: ['mouth' as const] }
  const swaps = [repeated('a', { video: of('one'), range, options, profileId: 'cloud' }), repeated('b')]
  const drafts = draftsWith(face, swaps, '{target} with {face}')
  expect(drafts).toMatchObject([
    { faceId: 'new-face', videoId: 'one', range, options, profileId: 'cloud', cast: [], title: 'One with Lisa' },
    { faceId: 'new-face', range: null },
  ])
})

it('makes what would be the same swap once', () => {
  const swaps = [repeated('a', { video: of('one') }), repeated('b', { video: of('one') }), repeated('c')]
  expect(draftsWith(face, swaps, '{n} {target}').map(({ title }) => title)).toEqual(['1 One', '2 Astronaut clip'])
})

it('gives the face to each person of a cast, and numbers nothing for a single swap', () => {
  const source = repeated('a', { video: of('one') })
  const cast = [{ personId: 'p1' }, { personId: 'p2' }]
  const [draft] = draftsWith(face, [{ ...source, cast }], '{n} {target}')
  expect(draft?.title).toBe('One')
  expect(draft?.cast).toEqual([
    { personId: 'p1', faceId: 'new-face' },
    { personId: 'p2', faceId: 'new-face' },
  ])
})
