import { describe, expect, it } from 'vitest'
import { MienError } from '@shared/errors.ts'
import {
  firstCheckMs,
  isQuiet,
  nextCheckMs,
  updateError,
  whyOff,
  type Standing,
} from '../../../../../src/main/app/updates/decide.ts'
import { isOwnHost } from '../../../../../src/main/app/updates/feed.ts'
import { feedName } from '../../../../../src/main/app/updates/signed-provider.ts'

const hourMs = 3_600_000

describe('looking', () => {
  it('first leaves the start alone, then comes every six hours or so, never at the same second everywhere', () => {
    expect([firstCheckMs(0), firstCheckMs(1)]).toEqual([10_000, 60_000])
    expect([nextCheckMs(0), nextCheckMs(1)]).toEqual([5.5 * hourMs, 6.5 * hourMs])
  })

  const normal: Standing = { packaged: true, policy: null, wanted: true, copy: 'appimage' }
  it.each<[Partial<Standing>, ReturnType<typeof whyOff>]>([
    [{}, null],
    [{ packaged: false }, 'development'],
    [{ policy: false }, 'policy'],
    [{ policy: true, wanted: false }, null],
    [{ wanted: false }, 'settings'],
    [{ copy: null }, 'not-updatable'],
    [{ copy: null, policy: true }, 'not-updatable'],
  ])('with %j is off because of %s', (change, reason) => expect(whyOff({ ...normal, ...change })).toBe(reason))

  it('says nothing about a missing network unless somebody asked', () => {
    const offline = new MienError('update-unreachable')
    expect([isQuiet(offline, false), isQuiet(offline, true)]).toEqual([true, false])
    expect(isQuiet(new MienError('update-signature'), false)).toBe(false)
  })
})

const coded = (code: string, text = code) => Object.assign(new Error(text), { code })
const answered = (statusCode: number) => Object.assign(new Error('an answer'), { statusCode })

it.each<[string, unknown, string]>([
  ['of our own', new MienError('update-older'), 'update-older'],
  ['of a full disk', coded('ENOSPC', 'ENOSPC: no space left on device, write'), 'disk-full'],
  ['of a changed file', coded('ERR_CHECKSUM_MISMATCH', 'sha512 checksum mismatch'), 'update-damaged'],
  ['of no network', new Error('net::ERR_INTERNET_DISCONNECTED'), 'update-unreachable'],
  ['of a cut connection', new Error('net::ERR_CONTENT_LENGTH_MISMATCH'), 'update-unreachable'],
  ['of nothing listening', new Error('connect ECONNREFUSED 127.0.0.1:1'), 'update-unreachable'],
  ['of a server in trouble', answered(502), 'update-unreachable'],
  ['of a feed that is not there', coded('ERR_UPDATER_CHANNEL_FILE_NOT_FOUND', 'x'), 'update-unreachable'],
  ['of a proxy', answered(407), 'proxy-password'],
  ['of another host', new Error('net::ERR_BLOCKED_BY_CLIENT'), 'update-foreign'],
  ['that nobody knows', new Error('what'), 'update-failed'],
])('an error %s has a code', (_what, thrown, code) => expect(updateError(thrown).code).toBe(code))

it.each([
  ['https://releases.example/mien/latest-linux.yml', 'https://releases.example/mien', true],
  ['http://releases.example/mien/latest-linux.yml', 'https://releases.example/mien', false],
  ['https://releases.example.evil.example/x', 'https://releases.example/mien', false],
  ['https://release-assets.githubusercontent.com/x', 'https://github.com/mien-studio/mien/releases', true],
  ['http://release-assets.githubusercontent.com/x', 'https://github.com/mien-studio/mien/releases', false],
  ['https://githubusercontent.com.evil.example/x', 'https://github.com/mien-studio/mien/releases', false],
  ['https://release-assets.githubusercontent.com/x', 'https://releases.example/', false],
  ['http://127.0.0.1:81/x', 'http://127.0.0.1:80/', false],
])('%s is fetched for %s: %s', (url, address, allowed) => expect(isOwnHost(url, address)).toBe(allowed))

it.each([
  ['linux', 'x64', 'latest-linux'],
  ['linux', 'arm64', 'latest-linux-arm64'],
  ['darwin', 'arm64', 'latest-mac'],
  ['win32', 'x64', 'latest'],
] as const)('the feed of %s %s is %s', (platform, arch, name) => expect(feedName('latest', platform, arch)).toBe(name))
