/**
 * @file What Mien believes about an update. Beside each of electron-builder's `latest*.yml` lies a `latest*.json`:
 *
 *     { "signed": "<the promise, as JSON text>", "signatures": [{ "key": "<id>", "signature": "<base64>" }] }
 *
 * The text, with `signedPrefix` before it, is signed by Ed25519. One signature by one of the two keys that are built
 * in is enough, so that a key can be replaced. Nothing of the yml is used but to be compared. Pure.
 */
import { createPublicKey, verify } from 'node:crypto'
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import { compareVersions, isPrerelease, isVersion } from './version.ts'

/** Keeps a signature over anything else from counting as one over an update. */
export const signedPrefix = 'mien-update-1\n'

const envelopeSchema = z.object({
  signed: z.string().max(500_000),
  signatures: z.array(z.object({ key: z.string(), signature: z.string() })).max(8),
})

const fileSchema = z.object({
  name: z.string().min(1),
  /** Base64, as electron-builder writes it. */
  sha512: z.string().length(88),
  /** Bytes. */
  size: z.int().positive(),
  /** Bytes of the block map at an AppImage's end, for a download of only what changed. */
  blockMapSize: z.int().positive().exactOptional(),
})

const promiseSchema = z.object({
  format: z.literal(1),
  app: z.literal('mien'),
  /** The yml's name without its ending: a promise for one system or channel is none for another. */
  feed: z.string(),
  version: z.string().refine(isVersion),
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
  /** The feed that was asked for, like `latest-linux`. */
  feed: string
  /** Mien's own version. */
  current: string
  /** Epoch ms. */
  now: number
}

/** A computer's clock may be this far behind. */
const clockSlackMs = 24 * 3_600_000
/** A file lies beside its feed: no host, no folder. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9._ -]*$/

/**
 * The promise in a feed's text (null: there is none), if it may be believed.
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
  // The two channels overtake each other; only a release that goes back is none of ours.
  const crossing = isPrerelease(context.current) || isPrerelease(feed.version)
  if (compareVersions(feed.version, context.current) < 0 && !crossing)
    throw new MienError('update-older', { version: feed.version, current: context.current })
  return feed
}

/** What electron-updater read from the yml. */
export interface UnsignedFeed {
  version: string
  files: readonly { url: string; sha512?: string; size?: number }[]
}

/**
 * The yml must say what the promise says: it is what other tools read.
 * @throws MienError `update-foreign` for an address of another place, `update-mismatch` for anything else
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
