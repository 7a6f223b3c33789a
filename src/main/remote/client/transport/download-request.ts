/** @file Requests a file or the rest of it. The key is sent to the service's own origin only, even after redirects. */
import { MienError } from '@shared/errors.ts'
import type { FreeBytes } from '../../../machine/disk/files.ts'
import { bodyLength } from '../../../machine/transfer/save-stream.ts'
import type { PlainFetch } from './http.ts'
import { ensureMayLead, redirectTarget } from './redirects.ts'

const maxRedirects = 5

export interface DownloadSource {
  http: PlainFetch
  url: string
  /** Origin that may receive the key headers. */
  origin: string
  keyHeaders: () => Promise<Record<string, string>>
  freeBytes?: FreeBytes
}

export interface Part {
  /** Bytes on disk of the version `validator`; 0: start over. */
  bytes: number
  validator: string | null
}

/** A response with a file. `start` and `total` in bytes; total null: unknown. */
export interface Coming {
  response: Response
  host: string
  start: number
  total: number | null
}

/** Follows redirects manually, because fetch would send the key to another host. */
async function request(
  source: DownloadSource,
  part: Part,
  signal: AbortSignal,
): Promise<{ response: Response; from: URL }> {
  let url = new URL(source.url)
  ensureMayLead(new URL(source.origin), url)
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const resume: Record<string, string> =
      part.bytes > 0 && part.validator !== null ? { range: `bytes=${part.bytes}-`, 'if-range': part.validator } : {}
    const key = url.origin === source.origin ? await source.keyHeaders() : {}
    const response = await source.http(url, { headers: { 'accept-encoding': 'identity', ...resume, ...key }, signal })
    const next = redirectTarget(response.status, response.headers.get('location'), url)
    // `response.url` is empty in Electron.
    if (next === null) return { response, from: url }
    await response.body?.cancel()
    url = next
  }
  throw new MienError('address-refused', { host: url.host, reason: 'redirects' })
}

function statusError(status: number, url: URL, own: boolean): MienError {
  if (own && (status === 401 || status === 403)) return new MienError('key-refused', { status })
  if (status >= 500) return new MienError(own ? 'service-trouble' : 'address-refused', { status, host: url.host })
  return new MienError(status === 429 ? 'rate-limited' : 'address-refused', { status, host: url.host })
}

/** Total length in bytes, if known, and the start of the body. Null start: a range that was not requested. */
function extent(response: Response, part: Part): { start: number | null; total: number | null } {
  if (response.status !== 206) return { start: 0, total: bodyLength(response) }
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '')
  if (!range || Number(range[1]) !== part.bytes) return { start: null, total: null }
  return { start: part.bytes, total: range[2] === '*' ? null : Number(range[2]) }
}

/**
 * Requests the missing rest of `part`, or the whole file if it can't be resumed. Null: the part is already complete.
 * @throws MienError `address-refused`, `key-refused`, `service-trouble`, `rate-limited`, `result-unreadable` (a page);
 * errors of fetch pass through
 */
export async function requestRest(source: DownloadSource, part: Part, signal: AbortSignal): Promise<Coming | null> {
  const { response, from } = await request(source, part, signal)
  const { start, total } = extent(response, part)
  if (response.status === 416 || (response.status === 206 && start === null)) {
    await response.body?.cancel()
    const isWhole = response.headers.get('content-range') === `bytes */${String(part.bytes)}`
    if (part.bytes > 0 && isWhole) return null
    // The file has changed: start over.
    if (part.bytes > 0) return requestRest(source, { bytes: 0, validator: null }, signal)
  }
  if ((response.status !== 200 && response.status !== 206) || start === null) {
    await response.body?.cancel()
    throw statusError(response.status, from, from.origin === source.origin)
  }
  const type = response.headers.get('content-type')?.toLowerCase() ?? ''
  if (/^(?:text\/html|application\/(?:problem\+)?json)/.test(type)) {
    await response.body?.cancel()
    throw new MienError('result-unreadable', { host: from.host, type: type.slice(0, 60) })
  }
  return { response, host: from.host, start, total }
}
