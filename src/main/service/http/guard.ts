/**
 * @file Access control: host names of a server, keys, limits. The service in the app listens on loopback only, but web pages
 * open on this computer can reach it: they are recognised by their Origin, or by a foreign Host (DNS rebinding). Other
 * programs have no key.
 */
import { networkInterfaces } from 'node:os'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { HttpBindings } from '@hono/node-server'
import { hashOf, type SignedLinks } from '../cluster/key-table.ts'
import { HttpProblem } from './json.ts'
import type { RouteDeps } from './routes.ts'
import type { Socket } from 'node:net'

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

const keyHeader = 'X-Service-Apikey'
export const adminHeader = 'X-Admin-Token'

export interface Env {
  Bindings: HttpBindings
  Variables: {
    /** Owner of the key. */
    userId: string
    keyId: string
    /** When the key was looked up; see `KeyTable.find`. Only with a key. */
    foundAt: number
  }
}

export const clientAddress = (c: Context<Env>): string => c.env.incoming.socket.remoteAddress ?? ''

/** The address of the service, as the client of a request reaches it. */
export const baseUrlOf = (c: Context<Env>, { hosts }: RouteDeps): string =>
  hosts.baseUrl(c.req.header('host')?.toLowerCase() ?? '')

/** Refuses requests of web pages. */
export const onlyHosts = ({ isAllowed }: Hosts) =>
  createMiddleware<Env>(async (c, next) => {
    const advice = 'Use its own address, or ask who runs it.'
    if (!isAllowed(c.env.incoming.headers.host?.toLowerCase() ?? ''))
      throw new HttpProblem(403, 'forbidden', `The Host header isn’t an address of this service. ${advice}`)
    if (c.env.incoming.headers.origin !== undefined)
      throw new HttpProblem(403, 'forbidden', 'Web pages can’t use this service.')
    await next()
  })

/** Requires a valid key, or a signed address. */
export const withKeyOrLink = (deps: RouteDeps, links: SignedLinks) => {
  const byKey = withKey(deps)
  return createMiddleware<Env>(async (c, next) => {
    const { pathname, searchParams } = new URL(c.req.url)
    if (c.req.header(keyHeader) !== undefined || !searchParams.has('sig')) return byKey(c, next)
    const signed = await links.check(pathname, searchParams)
    if (!signed)
      throw new HttpProblem(403, 'forbidden', 'This address has expired or isn’t valid. Ask for the swap again.')
    c.set('userId', signed.userId)
    c.set('keyId', signed.keyId)
    await next()
  })
}

/** @throws HttpProblem 429 if `waitMs` isn't 0 */
function refuseFor(waitMs: number): void {
  if (waitMs <= 0) return
  const seconds = Math.ceil(waitMs / 1000)
  const detail = `Too many requests. Try again in ${String(seconds)} s.`
  throw new HttpProblem(429, 'rate-limited', detail, { seconds }, { 'retry-after': String(seconds) })
}

/** Requires a valid key; `limit` is the rate limit per key. */
export const withKey = ({ keys, connections, wrongKeys }: RouteDeps, limit?: RateLimit) =>
  createMiddleware<Env>(async (c, next) => {
    const sk = c.req.header(keyHeader)
    if (sk === undefined || sk === '')
      throw new HttpProblem(401, 'key-missing', `The key is missing. Send it in the header ${keyHeader}.`)
    refuseFor(wrongKeys.waitMs(clientAddress(c), sk))
    const key = await keys.find(sk)
    wrongKeys.tried(clientAddress(c), sk, key !== null)
    if (!key) {
      const detail = 'This key isn’t valid. Keys of the app end when it quits; others can be revoked.'
      throw new HttpProblem(401, 'key-refused', detail, { lastFour: sk.slice(-4) })
    }
    connections.trust(c.env.incoming.socket)
    refuseFor(limit?.take(key.id) ?? 0)
    c.set('userId', key.userId)
    c.set('keyId', key.id)
    c.set('foundAt', key.foundAt)
    await next()
  })

/** Whether a request has the admin token. @throws HttpProblem 429 after too many wrong ones, before a look-up */
export async function hasAdminToken(c: Context<Env>, { keys, wrongKeys }: RouteDeps): Promise<boolean> {
  const token = c.req.header(adminHeader) ?? ''
  if (token === '') return false
  const address = clientAddress(c)
  refuseFor(wrongKeys.waitMs(address, token))
  const isAdmin = await keys.isAdmin(token, address)
  wrongKeys.tried(address, token, isAdmin)
  return isAdmin
}

export const noAdminToken = (): HttpProblem =>
  new HttpProblem(401, 'forbidden', `The admin token in ${adminHeader} is missing or wrong.`)

export const withAdminToken = (deps: RouteDeps) =>
  createMiddleware<Env>(async (c, next) => {
    if (!(await hasAdminToken(c, deps))) throw noAdminToken()
    await next()
  })

/** Limits connections without a key, so that other programs can't use up the file descriptors. */
export class Connections {
  /** Connections without a key, oldest first, by their address: with TLS, a request has another socket object. */
  private readonly strangers = new Map<string, Socket>()

  constructor(private readonly max: number) {}

  /** Registers a connection; above the limit, closes the oldest one without a key. */
  opened(socket: Socket): void {
    const id = idOf(socket)
    this.strangers.set(id, socket)
    socket.once('close', () => this.strangers.delete(id))
    const [oldest] = this.strangers.values()
    if (this.strangers.size > this.max) oldest?.destroy()
  }

  /** Exempts a connection from the limit after a valid key. */
  trust(socket: Socket): void {
    this.strangers.delete(idOf(socket))
  }
}

const idOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress ?? ''} ${String(remotePort)}`

/** From so many on, keys without recent requests are forgotten. */
const maxIds = 10_000

/** Max requests per key within any one second, or another window. */
export class RateLimit {
  private readonly taken = new Map<string, number[]>()

  constructor(
    private readonly max: number,
    private readonly now: () => number,
    private readonly windowMs = 1000,
  ) {}

  /** Returns 0 if a request would be allowed, else the ms to wait. */
  waitMs(id: string): number {
    const now = this.now()
    const recent = (this.taken.get(id) ?? []).filter((at) => now - at < this.windowMs)
    if (recent.length === 0) this.taken.delete(id)
    else this.taken.set(id, recent)
    const [oldest] = recent
    return recent.length >= this.max && oldest !== undefined ? this.windowMs - (now - oldest) : 0
  }

  /** Counts a request. Returns 0 if allowed, else the ms to wait. Refused requests don't count. */
  take(id: string): number {
    const waitMs = this.waitMs(id)
    if (waitMs > 0) return waitMs
    if (this.taken.size > maxIds) for (const each of [...this.taken.keys()]) this.waitMs(each)
    this.taken.set(id, [...(this.taken.get(id) ?? []), this.now()])
    return 0
  }
}

/** Limits how many wrong keys an address may send in a minute, so that nobody keeps the database busy with guesses. */
export class WrongKeys {
  readonly #limit: RateLimit
  /** Hashes of keys that were right. They pass, because people may share an address, e.g. that of a proxy. */
  readonly #right = new Set<string>()

  constructor(max: number) {
    this.#limit = new RateLimit(max, () => performance.now(), 60_000)
  }

  /** Returns 0 if the key may be looked up, else the ms to wait. */
  waitMs(address: string, key: string): number {
    return this.#right.has(hashOf(key)) ? 0 : this.#limit.waitMs(address)
  }

  tried(address: string, key: string, isRight: boolean): void {
    if (isRight) this.#right.add(hashOf(key))
    else {
      this.#right.delete(hashOf(key))
      this.#limit.take(address)
    }
  }
}
