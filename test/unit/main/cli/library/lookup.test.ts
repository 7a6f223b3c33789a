import { expect, it } from 'vitest'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import { keyOwner, named, taskOf } from '../../../../../src/main/cli/library/lookup.ts'
import { makeTask } from '../../../../fixtures/tasks.ts'

const profiles = {
  names: () =>
    new Map([
      [embeddedProfileId, 'This computer'],
      ['p1', 'Agency'],
    ]),
}

it.each([
  ['this computer', { id: embeddedProfileId, name: 'This computer', embedded: true }],
  [' AGENCY ', { id: 'p1', name: 'Agency', embedded: false }],
  ['p1', { id: 'p1', name: 'Agency', embedded: false }],
])('%j names a service', (given, service) => expect(named(profiles, given)).toEqual(service))

it.each([
  ['Studio', 'There’s no service called Studio'],
  ['This computer', 'This computer needs no key'],
])('a command about the key of %j is refused', (given, reason) => {
  expect(() => keyOwner(profiles, given)).toThrow(expect.objectContaining({ code: 'usage', details: { reason } }))
})

it('a swap is found by its id, that of the service, and four characters that only it begins with', () => {
  const tasks = [makeTask({ id: 'abcd-1', objectId: 'job' }), makeTask({ id: 'abce-2' }), makeTask({ id: 'abce-22' })]
  const library = {
    named: (id: string) => tasks.filter((task) => task.id.startsWith(id) || task.objectId?.startsWith(id) === true),
  }
  expect(['abcd', 'job', 'abce-2'].map((id) => taskOf(library, id).id)).toEqual(['abcd-1', 'abcd-1', 'abce-2'])
  for (const id of ['abc', 'jo', 'abce']) expect(() => taskOf(library, id)).toThrow('not-found')
})
