/** @file The names under which clients reach a server: no other Host header is accepted. Pure, except `ownAddresses`. */
import { networkInterfaces } from 'node:os'

export interface Hosts {
  /** @param host header, in lower case */
  isAllowed: (host: string) => boolean
  /** Address of the service for a client that sent this Host header. */
  baseUrl: (host: string) => string
  /** Whether an address is one of this service. */
  isHere: (url: URL) => boolean
}

/** In a Host header, IPv6 addresses have brackets. */
const inHeader = (address: string): string => (address.includes(':') ? `[${address}]` : address).toLowerCase()

/** The addresses under which a server that listens on `address` is reached. */
export function ownAddresses(address: string): string[] {
  const isAny = address === '0.0.0.0' || address === '::'
  const all = isAny ? Object.values(networkInterfaces()).flatMap((each) => each ?? []) : []
  const isLocal = isAny || address === '127.0.0.1' || address === '::1'
  return [...(isAny ? all.map((each) => each.address) : [address]), ...(isLocal ? ['localhost'] : [])]
}

/**
 * @param addresses of the computer
 * @param names more names. One with a scheme (`https://mien.example.com`) is that of a proxy: clients get addresses with
 * that scheme.
 * @param scheme of the server itself. Ports in Host headers aren't checked, because a proxy may use another port.
 */
export function hostsOf(addresses: readonly string[], names: readonly string[], scheme: 'http' | 'https'): Hosts {
  const schemes = new Map<string, string>(addresses.map((address) => [inHeader(address), scheme]))
  for (const name of names) {
    const url = URL.parse(name.includes('://') ? name : `${scheme}://${name}`)
    if (url) schemes.set(url.hostname, url.protocol.slice(0, -1))
  }
  // Not a URL's `hostname`, which turns other forms of an address into the usual one.
  const hostname = (host: string): string => /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/.exec(host)?.[1] ?? ''
  return {
    isAllowed: (host) => schemes.has(hostname(host)),
    baseUrl: (host) => `${schemes.get(hostname(host)) ?? scheme}://${host}`,
    isHere: (url) => schemes.has(url.hostname),
  }
}
