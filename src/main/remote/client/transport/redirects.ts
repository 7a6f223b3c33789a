/** @file Redirect rules. Pure. */
import { MienError } from '@shared/errors.ts'

export const isWeb = (url: URL): boolean => url.protocol === 'https:' || url.protocol === 'http:'

/**
 * Whether a host name is this computer or in a private network, by its spelling (RFC 1918, 4193, 3927, 6761, 6762).
 * Doesn't detect public names that resolve to private addresses; the key isn't sent there anyway.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (host === 'localhost' || /\.(?:localhost|local|internal|lan|home\.arpa)$/.test(host)) return true
  if (host.startsWith('[')) {
    if (/^\[(?:::1?|f[cd][0-9a-f]*:.*|fe[89ab][0-9a-f]:.*)\]$/.test(host)) return true
    // ::ffff:7f00:1 is 127.0.0.1.
    const mapped = /^\[::ffff:([0-9a-f]{1,4}):[0-9a-f]{1,4}\]$/.exec(host)?.[1]
    if (mapped === undefined) return false
    const high = parseInt(mapped, 16)
    return isPrivateHost(`${String(high >> 8)}.${String(high & 255)}.0.0`)
  }
  const [a, b] = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host)?.slice(1).map(Number) ?? []
  if (a === undefined || b === undefined) return false
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168) ||
    (a === 100 && b >= 64 && b < 128)
  )
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
