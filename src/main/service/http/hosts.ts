/** @file The host names of a server. Other Host headers are refused. Pure, except `ownAddresses`. */
import { networkInterfaces } from 'node:os'

export interface Hosts {
  /** @param host the Host header in lower case */
  isAllowed: (host: string) => boolean
  /** The service's URL for a client that sent this Host header. */
  baseUrl: (host: string) => string
  /** Whether a URL belongs to this service. Its port may be that of an earlier start. */
  isHere: (url: URL) => boolean
}

/** IPv6 addresses have brackets in a Host header. */
export const inHeader = (address: string): string => (address.includes(':') ? `[${address}]` : address).toLowerCase()

/** Whether a server that listens there takes connections to any address of this computer. */
export const isAny = (address: string): boolean => address === '0.0.0.0' || address === '::'

/** The addresses at which clients can reach a server that listens on `address`. */
export function ownAddresses(address: string): string[] {
  const all = isAny(address) ? Object.values(networkInterfaces()).flatMap((each) => each ?? []) : []
  const isLocal = isAny(address) || address === '127.0.0.1' || address === '::1'
  return [...(isAny(address) ? all.map((each) => each.address) : [address]), ...(isLocal ? ['localhost'] : [])]
}

/**
 * `addresses` are those of the computer. A name with a scheme (`https://mien.example.com`) is a proxy's: its clients get
 * URLs with that scheme. Ports in Host headers aren't checked, because a proxy may use another one.
 */
export function hostsOf(addresses: readonly string[], names: readonly string[], scheme: 'http' | 'https'): Hosts {
  const schemes = new Map<string, string>(addresses.map((address) => [inHeader(address), scheme]))
  for (const name of names) {
    const url = URL.parse(name.includes('://') ? name : `${scheme}://${name}`)
    if (url) schemes.set(url.hostname, url.protocol.slice(0, -1))
  }
  // Don't use a URL's `hostname`: it normalises unusual forms of an address.
  const hostname = (host: string): string => /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/.exec(host)?.[1] ?? ''
  return {
    isAllowed: (host) => schemes.has(hostname(host)),
    baseUrl: (host) => `${schemes.get(hostname(host)) ?? scheme}://${host}`,
    isHere: (url) => schemes.has(url.hostname),
  }
}
