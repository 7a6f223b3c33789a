import { describe, expect, it } from 'vitest'
import { signPromise } from '../../../../../scripts/lib/release-feed.mjs'
import {
  acceptFeed,
  compareFeeds,
  type FeedContext,
  type SignedFeed,
} from '../../../../../src/main/app/updates/feed.ts'
import { updateKey } from '../../../../fixtures/update-key.ts'

const [first, second, stranger] = [updateKey(), updateKey(), updateKey()]

const now = Date.parse('2026-11-20T12:00:00Z')
const context: FeedContext = { keys: [first.shown, second.shown], feed: 'latest-linux', current: '1.0.0', now }
const hash = 'A'.repeat(86) + '=='
const promise: SignedFeed = {
  ...{ format: 1, app: 'mien', feed: 'latest-linux', version: '1.1.0' },
  ...{ date: '2026-11-19T12:00:00.000Z', expires: '2027-02-19T12:00:00.000Z' },
  files: [{ name: 'Mien-linux-x64.AppImage', sha512: hash, size: 120_000_000 }],
  notes: '- Faster',
}
const signed = (change: Record<string, unknown> = {}, keys = [first.secret]): string =>
  signPromise({ ...promise, ...change }, keys)

const named = (name: string): SignedFeed['files'][number] => ({ name, sha512: hash, size: 1 })

/** Changes the promise and leaves its signature. */
function rewritten(change: Partial<SignedFeed>): string {
  // Our own script's form.
  const envelope = JSON.parse(signed()) as { signed: string; signatures: unknown }
  const inner = JSON.parse(envelope.signed) as SignedFeed
  return JSON.stringify({ ...envelope, signed: JSON.stringify({ ...inner, ...change }) })
}

describe('a feed', () => {
  it.each([
    ['the first key', [first.secret]],
    ['the second key, after the first was replaced', [second.secret]],
    ['a new key and one that is known', [stranger.secret, second.secret]],
  ])('is believed when it is signed by %s', (_who, keys) => {
    expect(acceptFeed(signed({}, keys), context)).toEqual(promise)
  })

  it.each<[string, string | null, string]>([
    ['is missing', null, 'update-unsigned'],
    ['is a page of the server', '<html>not found</html>', 'update-unsigned'],
    ['has no signature', signed({}, []), 'update-unsigned'],
    ['is signed by a stranger', signed({}, [stranger.secret]), 'update-signature'],
    ['was rewritten after it was signed', rewritten({ version: '9.9.9' }), 'update-signature'],
    ['has expired', signed({ expires: '2026-11-20T11:59:59.000Z' }), 'update-expired'],
    ['is from the future of a clock years behind', signed({ date: '2026-11-22T12:00:00.000Z' }), 'update-clock'],
    ['is older than this version', signed({ version: '0.9.9' }), 'update-older'],
    ['was made for another system', signed({ feed: 'latest-mac' }), 'update-mismatch'],
    ['was made for another channel', signed({ feed: 'beta-linux' }), 'update-mismatch'],
    ['is of another form', signed({ format: 2 }), 'update-mismatch'],
    ['names no version', signed({ version: 'newest' }), 'update-mismatch'],
    ['spells its version in another way', signed({ version: 'v1.1.0' }), 'update-mismatch'],
    ['names a file of another host', signed({ files: [named('https://evil.example/x')] }), 'update-foreign'],
    ['names a file of another folder', signed({ files: [named('../x')] }), 'update-foreign'],
  ])('that %s is refused', (_what, text, code) => {
    expect(() => acceptFeed(text, context)).toThrow(expect.objectContaining({ code }))
  })

  it('of the version that is here is no downgrade', () => {
    expect(acceptFeed(signed({ version: '1.0.0' }), context).version).toBe('1.0.0')
  })

  it('of the stable channel lets one who left the beta channel wait', () => {
    expect(acceptFeed(signed(), { ...context, current: '1.2.0-beta.3' }).version).toBe('1.1.0')
  })

  it('of the beta channel may be behind', () => {
    expect(acceptFeed(signed({ version: '1.0.0-beta.9' }), context).version).toBe('1.0.0-beta.9')
  })

  it('is believed by nobody without keys', () => {
    expect(() => acceptFeed(signed(), { ...context, keys: [] })).toThrow('update-signature')
    expect(() => acceptFeed(signed(), { ...context, keys: ['no key'] })).toThrow('update-signature')
  })
})

describe('the yml beside it', () => {
  const file = { url: 'Mien-linux-x64.AppImage', sha512: hash, size: 120_000_000 }
  const unsigned = { version: '1.1.0', files: [file] }

  it('says the same', () => expect(() => compareFeeds(unsigned, promise)).not.toThrow())

  it.each<[string, Partial<Parameters<typeof compareFeeds>[0]>, string]>([
    ['another version', { version: '1.1.1' }, 'update-mismatch'],
    ['another hash', { files: [{ url: file.url, sha512: 'B'.repeat(88) }] }, 'update-mismatch'],
    ['another size', { files: [{ ...file, size: 5 }] }, 'update-mismatch'],
    ['one more file', { files: [file, { url: 'x.deb', sha512: hash }] }, 'update-mismatch'],
    ['a file of another host', { files: [{ url: 'http://evil.example/x', sha512: hash }] }, 'update-foreign'],
    ['a file of another folder', { files: [{ url: '/x', sha512: hash }] }, 'update-foreign'],
  ])('is refused with %s', (_what, other, code) => {
    expect(() => compareFeeds({ ...unsigned, ...other }, promise)).toThrow(expect.objectContaining({ code }))
  })
})
