/**
 * @file Access control. The service in the app listens on loopback only, but web pages open on this computer can reach
 * it: they are recognised by their Origin, or by a foreign Host (DNS rebinding). Other programs have no key.
 */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { HttpBindings } from '@hono/node-server'
import type { Connections } from './connections.ts'
import type { Keys, StoredKey } from '../backend.ts'
import { HttpProblem } from './problem.ts'
import type { RateLimit } from './rate-limit.ts'

export const keyHeader = 'X-Service-Apikey'
export const adminHeader = 'X-Admin-Token'

export interface Env {
  Bindings: HttpBindings
  Variables: { key: StoredKey }
}

/** The address of the service, as the client of a request reaches it. */
export type BaseUrl = (c: Context<Env>) => string

/** `port` is known once the service listens. */
export const localOnly = (port: () => number) =>
  createMiddleware<Env>(async (c, next) => {
    const host = c.env.incoming.headers.host?.toLowerCase()
    if (host !== `127.0.0.1:${String(port())}` && host !== `localhost:${String(port())}`)
      throw new HttpProblem(403, 'forbidden', `The Host header has another address. Use 127.0.0.1:${String(port())}.`)
    if (c.env.incoming.headers.origin !== undefined)
      throw new HttpProblem(403, 'forbidden', 'Web pages can’t use this service.')
    await next()
  })

interface KeyGuardDeps {
  keys: Keys
  connections: Connections
}

/** Requires a valid key; `limit` is the rate limit per key. */
export const withKey = ({ keys, connections }: KeyGuardDeps, limit?: RateLimit) =>
  createMiddleware<Env>(async (c, next) => {
    const sk = c.req.header(keyHeader)
    if (sk === undefined || sk === '')
      throw new HttpProblem(401, 'key-missing', `The key is missing. Send it in the header ${keyHeader}.`)
    const key = await keys.find(sk)
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
    const waitMs = limit?.take(key.id) ?? 0
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000)
      throw new HttpProblem(
        429,
        'rate-limited',
        `Too many requests. Try again in ${String(seconds)} s.`,
        { seconds },
        { 'retry-after': String(seconds) },
      )
    }
    c.set('key', key)
    await next()
  })

export const withAdminToken = (keys: Keys) =>
  createMiddleware<Env>(async (c, next) => {
    if (!(await keys.isAdmin(c.req.header(adminHeader) ?? '')))
      throw new HttpProblem(401, 'forbidden', `The admin token in ${adminHeader} is missing or wrong.`)
    await next()
  })
