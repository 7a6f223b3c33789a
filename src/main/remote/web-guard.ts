/**
 * @file Fetches web addresses for clients of a server, but only from the internet. Otherwise a client could reach the
 * server's network or a cloud's metadata service.
 */
import type { LookupAddress } from 'node:dns'
import { lookup as resolve } from 'node:dns/promises'
import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { MienError } from '@shared/errors.ts'

/**
 * Addresses that aren't on the internet: https://www.iana.org/assignments/iana-ipv4-special-registry and
 * iana-ipv6-special-registry. A cloud's metadata is among them: 169.254.169.254, fd00:ec2::254, 100.100.100.200.
 */
const notPublic = [
  // This network, private, shared (CGNAT), loopback, link-local, private, assignments, documentation, 6to4 relays
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16',
  '172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16',
  // benchmarks, documentation, multicast, reserved and broadcast; Azure's platform
  '198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32',
  // Addresses that contain an IPv4 address (Teredo, 6to4), assignments, documentation.
  '2001::/23 2001:db8::/32 2002::/16 3fff::/20',
]

const blocked = new BlockList()
const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')
for (const range of notPublic.join(' ').split(' ')) {
  const [address = '', prefix] = range.split('/')
  blocked.addSubnet(address, Number(prefix), familyOf(address))
}

/** Only this part of IPv6 is used on the internet. */
const publicV6 = new BlockList()
publicV6.addSubnet('2000::', 3, 'ipv6')

/** Whether an IPv4 or IPv6 address is on the internet. */
export function isPublicAddress(address: string): boolean {
  const isUsed = isIP(address) === 4 || (isIP(address) === 6 && publicV6.check(address, 'ipv6'))
  return isUsed && !blocked.check(address, familyOf(address))
}

const maxRedirects = 10
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * A `fetch` for GET requests that only connects to public addresses, also after redirects. It resolves each name once
 * and connects to the checked address, so a changed DNS answer has no effect. Rejects with MienError
 * `address-refused`.
 * @param options.isAllowed whether an address is allowed; replaced by tests
 */
export function publicFetch({
  isAllowed = isPublicAddress,
  resolveName = (name: string): Promise<LookupAddress[]> => resolve(name, { all: true }),
} = {}): typeof globalThis.fetch {
  /** The address to connect to. Refuses a name if any of its addresses isn't allowed. */
  const addressOf = async ({ protocol, host, hostname }: URL): Promise<string> => {
    // URL converts all forms of IPv4 addresses (decimal, octal, hexadecimal, short) to dotted ones.
    const name = hostname.replace(/^\[|\]$/g, '')
    const found = isIP(name) === 0 && /^https?:$/.test(protocol) ? await resolveName(name) : [{ address: name }]
    const [first] = found
    if (!/^https?:$/.test(protocol) || !first || !found.every(({ address }) => isAllowed(address)))
      throw new MienError('address-refused', { host })
    return first.address
  }
  return async (input, init) => {
    const { url, headers, signal } = new Request(input, init)
    let at = new URL(url)
    for (let count = 0; count <= maxRedirects; count += 1) {
      const message = await get(at, await addressOf(at), { headers: Object.fromEntries(headers), signal })
      const { statusCode: status = 0, headers: answered } = message
      const next = redirects.has(status) && answered.location !== undefined ? URL.parse(answered.location, at) : null
      if (!next) return responseOf(message, status)
      message.destroy()
      at = next
    }
    throw new MienError('address-refused', { host: at.host })
  }
}

function get(url: URL, address: string, options: RequestOptions): Promise<IncomingMessage> {
  const family = isIP(address)
  const lookup: LookupFunction = (_name, { all }, done) => {
    if (all) done(null, [{ address, family }])
    else done(null, address, family)
  }
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolveWith, reject) => {
    request(url, { ...options, lookup, agent: false }, resolveWith)
      .on('error', reject)
      .end()
  })
}

function responseOf(message: IncomingMessage, status: number): Response {
  const headers = Object.entries(message.headersDistinct).map(
    ([name, values = []]) => [name, values.join(', ')] as const,
  )
  const isEmpty = [204, 205, 304].includes(status)
  // Safe: a message without an encoding yields bytes.
  const body = isEmpty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>>)
  return new Response(body, { status, headers: Object.fromEntries(headers) })
}
