/**
 * @file Pairing codes: all that the app needs to use a service, as text to paste. Contains a key, so it is a secret.
 * `mien-1-<body>-<checksum>`: the body is base64url of compact JSON, the checksum the first 8 characters of
 * base64url(sha256(body)). Pure.
 */
import { hash } from 'node:crypto'
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import { fingerprintSchema, type FoundServer } from '@shared/service/profile.ts'
import { parseJson } from '@shared/parse-json.ts'
import { parseBaseUrl } from '../../machine/settings/base-url.ts'

const version = 1
const checksumLength = 8

const contentSchema = z.object({
  baseUrl: z.string().max(2000),
  /** Only characters that are allowed in a header. */
  key: z.string().regex(/^[\x21-\x7e]{1,5000}$/),
  /** Fingerprint of the only certificate to accept; null: plain http, or a publicly trusted certificate. */
  fingerprint: fingerprintSchema.nullable(),
  /** Allow plain http to hosts other than this computer. */
  allowHttp: z.boolean().default(false),
})
export type PairingCode = z.output<typeof contentSchema>

const checksumOf = (body: string): string => hash('sha256', body, 'base64url').slice(0, checksumLength)

export function writePairingCode(content: z.input<typeof contentSchema>): string {
  const body = Buffer.from(JSON.stringify(content)).toString('base64url')
  return `mien-${String(version)}-${body}-${checksumOf(body)}`
}

/**
 * Reads a code. Ignores white space and line breaks.
 * @throws MienError `pairing-invalid` with `reason`: incomplete (cut short or mistyped), newer, foreign, address
 */
export function readPairingCode(text: string): PairingCode {
  const invalid = (reason: string): MienError => new MienError('pairing-invalid', { reason })
  const [, written, rest] = /^mien-([1-9]\d*)-(.*)$/.exec(text.replaceAll(/\s/g, '')) ?? []
  if (written === undefined || rest === undefined) throw invalid('foreign')
  if (Number(written) > version) throw invalid('newer')
  const body = rest.slice(0, -checksumLength - 1)
  if (rest !== `${body}-${checksumOf(body)}`) throw invalid('incomplete')
  const content = contentSchema.safeParse(parseJson(Buffer.from(body, 'base64url').toString()))
  if (!content.success) throw invalid('foreign')
  const { baseUrl, allowHttp } = content.data
  try {
    return { ...content.data, baseUrl: parseBaseUrl(baseUrl, allowHttp) }
  } catch {
    throw invalid('address')
  }
}

/**
 * Reads the user's input for a server that a search found: a pairing code or a key. With a key, the certificate from
 * the search is pinned.
 * @throws MienError `pairing-invalid` as `readPairingCode`, and with `reason`: other (a code for another certificate)
 */
export function readCodeFor({ baseUrl, fingerprint }: FoundServer, text: string): PairingCode {
  if (!/^\s*mien-\d+-/.test(text)) {
    const key = contentSchema.shape.key.safeParse(text.trim())
    if (!key.success) throw new MienError('pairing-invalid', { reason: 'foreign' })
    return { baseUrl: parseBaseUrl(baseUrl, false), key: key.data, fingerprint, allowHttp: false }
  }
  const code = readPairingCode(text)
  if (code.fingerprint !== fingerprint) throw new MienError('pairing-invalid', { reason: 'other' })
  return code
}
