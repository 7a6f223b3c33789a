import { expect, it } from 'vitest'
import { signing, unsignedNotices } from '../../../scripts/package/signing.mjs'
import { isAllowed } from '../../../scripts/licences.mjs'

const apple = { APPLE_API_KEY: 'k', APPLE_API_KEY_ID: 'i', APPLE_API_ISSUER: 's' }

const empty = { CSC_LINK: '', WIN_CSC_LINK: '' }
const appleId = { CSC_NAME: 'n', APPLE_ID: 'a', APPLE_APP_SPECIFIC_PASSWORD: 'p', APPLE_TEAM_ID: 't' }

it.each<[string, Record<string, string>, string[]]>([
  ['nothing', {}, []],
  ['empty texts, as hosted CI gives for secrets that are not set', empty, []],
  ['a certificate', { CSC_LINK: 'c' }, ['mac', 'win']],
  ['one for Windows', { WIN_CSC_LINK: 'c' }, ['win']],
  ['a certificate and Apple’s key', { CSC_LINK: 'c', ...apple }, ['mac', 'notarize', 'win']],
  ['Apple’s key alone', apple, []],
  ['a name and an Apple ID', appleId, ['mac', 'notarize']],
])('%s in the environment', (_what, env, wanted) => {
  const [mac, notarize, win] = ['mac', 'notarize', 'win'].map((name) => wanted.includes(name))
  expect(signing(env)).toEqual({ mac, notarize, win })
})

it.each([
  ['darwin', {}, 'NOT SIGNED'],
  ['darwin', { CSC_LINK: 'c' }, 'NOT NOTARISED'],
  ['win32', {}, 'NOT SIGNED'],
] as const)('on %s with %o it is said: %s', (platform, env, notice) => {
  expect(unsignedNotices(env, platform).join(' ')).toContain(notice)
})

it('nothing is said where nothing is missing, or nothing can be signed', () => {
  expect(unsignedNotices({ CSC_LINK: 'c', ...apple }, 'darwin')).toEqual([])
  expect(unsignedNotices({ WIN_CSC_LINK: 'c' }, 'win32')).toEqual([])
  expect(unsignedNotices({}, 'linux')).toEqual([])
})

it.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['MIT AND Apache-2.0', true],
  ['MIT AND GPL-2.0-or-later', false],
  ['GPL-3.0', false],
  ['LGPL-2.1', false],
  ['unknown', false],
])('the licence %s may be shipped: %s', (licence, expected) => expect(isAllowed(licence)).toBe(expected))
