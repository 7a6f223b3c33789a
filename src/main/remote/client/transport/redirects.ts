/** @file Redirect rules. Pure. */
import { BlockList, isIP } from 'node:net'
import { MienError } from '@shared/errors.ts'

export const isWeb = (url: URL): boolean => url.protocol === 'https:' || url.protocol === 'http:'

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
