/** @file Sources of a job's face and video, and the URLs of uploads. Pure. */
import { z } from 'zod'

const id = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

/** Source of a job's face or video. An asset is stored by its id, because the port changes with each start. */
export const sourceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('asset'), id: z.string() }),
  z.object({ kind: z.literal('web'), url: z.string() }),
])
export type Source = z.infer<typeof sourceSchema>

export const assetPath = (assetId: string): string => `/v1/assets/${assetId}`

/**
 * Null: not an http(s) URL, or one with credentials.
 * @param isHere whether an address is one of this service
 */
export function readSource(address: string, isHere: (url: URL) => boolean): Source | null {
  const text = address.trim()
  const url = text.startsWith('/') ? URL.parse(text, 'http://127.0.0.1') : URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  if (url.username !== '' || url.password !== '') return null
  const isOwn = /^\/(?!\/)/.test(text) || isHere(url)
  const own = isOwn ? /^\/v1\/assets\/([^/]+)$/.exec(url.pathname)?.[1] : undefined
  if (own !== undefined && id.test(own)) return { kind: 'asset', id: own }
  return text.startsWith('/') ? null : { kind: 'web', url: url.href }
}

/**
 * Current URL of a source.
 * @param link makes the URL of a path of this service
 */
export const addressOf = (source: Source, link: (path: string) => string): string =>
  source.kind === 'asset' ? link(assetPath(source.id)) : source.url
