/** @file The HTTP server under the routes: time limits, connections, shutdown. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import { InFlight } from '@shared/in-flight.ts'
import type { Hono } from 'hono'
import type { Connections, Env } from './guard.ts'

const usualHeadersMs = 10_000
/** Max time without data on a connection. */
const inactivityMs = 120_000
/** Max connections without a key; `maxConnections` limits those with one. */
export const maxStrangers = 64
const maxConnections = 1024
/** Max time to wait for requests in flight on shutdown. */
const requestsMs = 3000

/** PEM. */
export interface Tls {
  cert: string
  key: string
}

export interface HttpServerOptions {
  app: Pick<Hono<Env>, 'fetch'>
  connections: Connections
  /** Null: plain HTTP. */
  tls: Tls | null
  log: (message: string, error?: unknown) => void
  /** Max time for a client to send its headers, and for a TLS handshake. Defaults to 10 s. */
  headersMs?: number | undefined
}

export class HttpServer {
  readonly #server: ServerType
  readonly #requests = new InFlight()
  readonly #log: HttpServerOptions['log']

  constructor({ app, connections, tls, log, headersMs = usualHeadersMs }: HttpServerOptions) {
    this.#log = log
    const options = {
      // A large upload has no deadline; inactivity ends it.
      requestTimeout: 0,
      // Otherwise Node uses requestTimeout, which is off.
      headersTimeout: headersMs,
      connectionsCheckingInterval: headersMs / 5,
      // Longer than clients keep idle connections, so that a create never hits a closing connection.
      keepAliveTimeout: 600_000,
    }
    const server = createAdaptorServer({
      fetch: (request, env) => this.#requests.add(Promise.resolve(app.fetch(request, env))),
      // Keep the global Request and Response: the adapter's replacements would also affect the client.
      overrideGlobalObjects: false,
      ...(tls
        ? {
            createServer: createTlsServer,
            serverOptions: { ...options, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: headersMs },
          }
        : { createServer, serverOptions: options }),
    })
    server.setTimeout(inactivityMs)
    server.maxConnections = maxConnections
    server.on('connection', (socket: Socket) => {
      connections.opened(socket)
    })
    // By default Node sends "continue" before the access check; uploads send it themselves (file-routes.ts).
    server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      if (incoming.method !== 'PUT' && incoming.method !== 'PATCH') outgoing.writeContinue()
      server.emit('request', incoming, outgoing)
    })
    this.#server = server
  }

  /** @param port 0: any free one. @returns the port. Rejects with the error of `listen`. */
  async listen(port: number, address: string): Promise<number> {
    await once(this.#server.listen(port, address), 'listening')
    // E.g. too many open files: one connection isn't taken. Without a listener, the process would end.
    this.#server.on('error', (error) => {
      this.#log('the server failed', error)
    })
    const bound = this.#server.address()
    if (bound === null || typeof bound === 'string') throw new Error('no port')
    return bound.port
  }

  /** Takes no more requests, closes all connections, and waits for requests in flight. */
  async close(): Promise<void> {
    const closed = once(this.#server.close(), 'close')
    if ('closeAllConnections' in this.#server) this.#server.closeAllConnections()
    await closed
    // Handlers use the database even after their connection is closed.
    await this.#requests.settled(requestsMs)
  }
}
