import { expect, it } from 'vitest'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import { keyOwner, named } from '../../../../../src/main/cli/library/lookup.ts'

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
