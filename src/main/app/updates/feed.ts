/**
 * @file Verifies updates. Next to each of electron-builder's `latest*.yml` there is a `latest*.json`:
 *
 *     { "signed": "<the promise, as JSON text>", "signatures": [{ "key": "<id>", "signature": "<base64>" }] }
 *
 * The text, prefixed with `signedPrefix`, is signed with Ed25519. One signature by one of the two built-in keys is
 * enough, so that a key can be replaced. The yml is only compared, never used. Pure.
 */
import { createPublicKey, verify } from 'node:crypto'
import { lt, prerelease, valid } from 'semver'
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import { parseJson } from '@shared/parse-json.ts'

/** Prevents a signature of something else from being valid for an update. */
const signedPrefix = 'mien-update-1\n'

const envelopeSchema = z.object({
  signed: z.string().max(500_000),
  signatures: z.array(z.object({ key: z.string(), signature: z.string() })).max(8),
})

const fileSchema = z.object({
  name: z.string().min(1),
  /** Base64, as in electron-builder's yml. */
  sha512: z.string().length(88),
  /** Bytes. */
  size: z.int().positive(),
  /** Size in bytes of the block map at the end of an AppImage, for differential downloads. */
  blockMapSize: z.int().positive().exactOptional(),
})

const promiseSchema = z.object({
  format: z.literal(1),
  app: z.literal('mien'),
  /** Name of the yml without its extension: a promise is only valid for its system and channel. */
  feed: z.string(),
  version: z.string().refine((text) => valid(text) === text),
  date: z.iso.datetime(),
  expires: z.iso.datetime(),
  files: z.array(fileSchema).min(1),
  /** Release notes, Markdown. */
  notes: z.string(),
})
export type SignedFeed = z.infer<typeof promiseSchema>

export interface FeedContext {
  /** Public keys, base64 of SPKI DER. */
  keys: readonly string[]
  /** The requested feed, like `latest-linux`. */
  feed: string
  /** Current version of Mien. */
  current: string
  /** Epoch ms. */
  now: number
}

/** Tolerance for a computer clock that is behind. */
const clockSlackMs = 24 * 3_600_000
/** Files are in the same place as their feed: no host, no folder. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9._ -]*$/

/**
 * Verifies a feed's text (null: there is none) and returns the promise.
 * @throws MienError `update-unsigned`, `update-signature`, `update-mismatch`, `update-expired`, `update-clock`,
 * `update-foreign`, `update-older`
 */
export function acceptFeed(text: string | null, context: FeedContext): SignedFeed {
  if (text === null) throw new MienError('update-unsigned')
  const envelope = envelopeSchema.safeParse(parseJson(text))
  if (!envelope.success || envelope.data.signatures.length === 0) throw new MienError('update-unsigned')
  const { signed, signatures } = envelope.data
  const bytes = Buffer.from(signedPrefix + signed)
  const trusted = signatures.some(({ signature }) => context.keys.some((key) => isSigned(bytes, signature, key)))
  if (!trusted) throw new MienError('update-signature')

  const parsed = promiseSchema.safeParse(parseJson(signed))
  if (!parsed.success) throw new MienError('update-mismatch', { reason: parsed.error.issues[0]?.path.join('.') ?? '' })
  const feed = parsed.data
  if (feed.feed !== context.feed) throw new MienError('update-mismatch', { reason: `${feed.feed}, ${context.feed}` })
  if (Date.parse(feed.date) > context.now + clockSlackMs) throw new MienError('update-clock', { date: feed.date })
  if (Date.parse(feed.expires) <= context.now) throw new MienError('update-expired', { date: feed.expires })
  for (const { name } of feed.files) if (!plainName.test(name)) throw new MienError('update-foreign', { name })
  // Allow cross-channel version changes; reject downgrades within a channel.
  const crossing = prerelease(context.current) !== null || prerelease(feed.version) !== null
  if (lt(feed.version, context.current) && !crossing)
    throw new MienError('update-older', { version: feed.version, current: context.current })
  return feed
}

/** Content of the yml, as parsed by electron-updater. */
interface UnsignedFeed {
  version: string
  files: readonly { url: string; sha512?: string; size?: number }[]
}

/**
 * The yml must match the promise, because other tools read the yml.
 * @throws MienError `update-foreign` for a URL in another place, `update-mismatch` for anything else
 */
export function compareFeeds(unsigned: UnsignedFeed, signed: SignedFeed): void {
  for (const { url } of unsigned.files) if (!plainName.test(url)) throw new MienError('update-foreign', { name: url })
  if (unsigned.version !== signed.version) throw new MienError('update-mismatch', { reason: 'version' })
  if (unsigned.files.length !== signed.files.length) throw new MienError('update-mismatch', { reason: 'files' })
  for (const file of unsigned.files) {
    const promised = signed.files.find(({ name }) => name === file.url)
    if (promised?.sha512 !== file.sha512 || (file.size !== undefined && promised?.size !== file.size))
      throw new MienError('update-mismatch', { reason: file.url })
  }
}

function isSigned(bytes: Buffer, signature: string, key: string): boolean {
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
    return verify(null, bytes, publicKey, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}

/** Hosts to which a release host redirects downloads. */
const passedOn: Readonly<Record<string, RegExp>> = { 'github.com': /^[a-z-]+\.githubusercontent\.com$/ }

/** Whether a request of the updater, or its redirect, goes to the feed's host or an allowed one. */
export function isOwnHost(url: string, feedAddress: string): boolean {
  const asked = URL.parse(url)
  const feed = URL.parse(feedAddress)
  if (!asked || !feed) return false
  if (asked.origin === feed.origin) return true
  return asked.protocol === 'https:' && passedOn[feed.host]?.test(asked.host) === true
}
