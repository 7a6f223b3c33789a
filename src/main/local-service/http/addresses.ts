/** @file Addresses that name the service's own files. Pure. */

const id = /^[0-9a-f]{8}-[0-9a-f-]{27}$/
const loopback = new Set(['127.0.0.1', 'localhost'])

/** Where a job's face or video comes from. An asset is kept by its id, as the port is another at each start. */
export type Source = { kind: 'asset'; id: string } | { kind: 'web'; url: string }

export const assetPath = (assetId: string): string => `/v1/assets/${assetId}`

/** Null: not an http(s) address, or one with credentials in it. */
export function readSource(address: string): Source | null {
  const text = address.trim()
  const url = text.startsWith('/') ? URL.parse(text, 'http://127.0.0.1') : URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  if (url.username !== '' || url.password !== '') return null
  const own =
    url.protocol === 'http:' && loopback.has(url.hostname)
      ? /^\/v1\/assets\/([^/]+)$/.exec(url.pathname)?.[1]
      : undefined
  if (own !== undefined && id.test(own)) return { kind: 'asset', id: own }
  return text.startsWith('/') ? null : { kind: 'web', url: url.href }
}

/** A source as an address that works now. */
export const addressOf = (source: Source, baseUrl: string): string =>
  source.kind === 'asset' ? baseUrl + assetPath(source.id) : source.url
