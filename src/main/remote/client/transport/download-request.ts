/**
 * @file Requests a file or the rest of it, and the rules for redirects. The key is sent to the service's own origin only, even
 * after redirects.
 */
import { BlockList, isIP } from 'node:net'
import { MienError } from '@shared/errors.ts'
import type { FreeBytes } from '../../../machine/disk/files.ts'
import { bodyLength } from '../../../machine/transfer/save-stream.ts'
import type { PlainFetch } from './http.ts'

const isWeb = (url: URL): boolean => url.protocol === 'https:' || url.protocol === 'http:'

/** This computer and private networks (RFC 1918, 4193, 3927, 6598). */
const privateNetworks = new BlockList()
for (const network of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['::/127', 'fc00::/7', 'fe80::/10'],
]) {
  const [address = '', prefix] = network.split('/')
  privateNetworks.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4')
}

/**
 * Whether a host name is this computer or in a private network, by its spelling (RFC 6761, 6762). Doesn't detect public
 * names that resolve to private addresses; the key isn't sent there anyway.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  const address = host.replace(/^\[|\]$/g, '')
  const version = isIP(address)
  if (version !== 0) return privateNetworks.check(address, version === 4 ? 'ipv4' : 'ipv6')
  return host === 'localhost' || /\.(?:localhost|local|internal|lan|home\.arpa)$/.test(host)
}

/**
 * Refuses unsafe targets: another scheme, credentials, or a private network from a public address.
 * @throws MienError `address-refused`
 */
export function ensureMayLead(from: URL, to: URL): void {
  const refuse = (reason: string): never => {
    throw new MienError('address-refused', { host: to.host || to.protocol, reason })
  }
  if (!isWeb(to)) refuse('scheme')
  if (to.username !== '' || to.password !== '') refuse('credentials')
  if (isPrivateHost(to.hostname) && !isPrivateHost(from.hostname)) refuse('private')
}

/**
 * Target of a redirect; null: not a redirect. Throws `address-refused` if there is no target or it goes from https to
 * http.
 */
export function redirectTarget(status: number, location: string | null, from: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(status)) return null
  const to = location === null ? null : URL.parse(location, from.href)
  if (!to || (from.protocol === 'https:' && to.protocol === 'http:'))
    throw new MienError('address-refused', { host: from.host, reason: 'redirect' })
  ensureMayLead(from, to)
  return to
}

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
