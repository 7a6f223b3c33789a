/**
 * @file Access control. The service in the app listens on loopback only, but web pages open on this computer can reach
 * it: they are recognised by their Origin, or by a foreign Host (DNS rebinding). Other programs have no key.
 */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { HttpBindings } from '@hono/node-server'
import type { KeyTable } from '../cluster/key-table.ts'
import type { SignedLinks } from '../cluster/signed-links.ts'
import { HttpProblem } from './json.ts'
import type { RateLimit, WrongKeys } from './rate-limit.ts'
import type { Socket } from 'node:net'

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

/** The address of the service, as the client of a request reaches it. */
export type BaseUrl = (c: Context<Env>) => string

/** Address of the client. */
export const clientAddress = (c: Context<Env>): string => c.env.incoming.socket.remoteAddress ?? ''

/**
 * Refuses requests of web pages.
 * @param isAllowed for the Host header, in lower case
 * @param advice for those that are refused
 */
export const onlyHosts = (isAllowed: (host: string) => boolean, advice: string) =>
  createMiddleware<Env>(async (c, next) => {
    if (!isAllowed(c.env.incoming.headers.host?.toLowerCase() ?? ''))
      throw new HttpProblem(403, 'forbidden', `The Host header has another address. ${advice}`)
    if (c.env.incoming.headers.origin !== undefined)
      throw new HttpProblem(403, 'forbidden', 'Web pages can’t use this service.')
    await next()
  })

export interface KeyGuardDeps {
  keys: KeyTable
  connections: Connections
  wrongKeys: WrongKeys
}

/** Requires a valid key, or a signed address. */
export const withKeyOrLink = (deps: KeyGuardDeps, links: SignedLinks) => {
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
  throw new HttpProblem(
    429,
    'rate-limited',
    `Too many requests. Try again in ${String(seconds)} s.`,
    { seconds },
    { 'retry-after': String(seconds) },
  )
}

/** Requires a valid key; `limit` is the rate limit per key. */
export const withKey = ({ keys, connections, wrongKeys }: KeyGuardDeps, limit?: RateLimit) =>
  createMiddleware<Env>(async (c, next) => {
    const sk = c.req.header(keyHeader)
    if (sk === undefined || sk === '')
      throw new HttpProblem(401, 'key-missing', `The key is missing. Send it in the header ${keyHeader}.`)
    refuseFor(wrongKeys.waitMs(clientAddress(c), sk))
    const key = await keys.find(sk)
    wrongKeys.tried(clientAddress(c), sk, key !== null)
    if (!key)
      throw new HttpProblem(
        401,
        'key-refused',
        'This key isn’t valid. Keys of the app end when it quits; others can be revoked.',
        {
          lastFour: sk.slice(-4),
        },
      )
    connections.trust(c.env.incoming.socket)
    refuseFor(limit?.take(key.id) ?? 0)
    c.set('userId', key.userId)
    c.set('keyId', key.id)
    c.set('foundAt', key.foundAt)
    await next()
  })

type AdminGuardDeps = Pick<KeyGuardDeps, 'keys' | 'wrongKeys'>

/** Whether a request has the admin token. @throws HttpProblem 429 after too many wrong ones, before a look-up */
export async function hasAdminToken(c: Context<Env>, { keys, wrongKeys }: AdminGuardDeps): Promise<boolean> {
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

export const withAdminToken = (deps: AdminGuardDeps) =>
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
