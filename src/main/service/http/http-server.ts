/** @file The HTTP server under the routes: time limits, connections, shutdown. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
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
  address: string
  /** 0: any free one. */
  port: number
}

export interface HttpServer {
  port: number
  /** Takes no more requests, closes all connections, and waits for requests in flight. */
  close: () => Promise<void>
}

/** Rejects with the error of `listen`. */
export async function listen(given: HttpServerOptions): Promise<HttpServer> {
  const { app, connections, tls, log, headersMs = usualHeadersMs } = given
  const requests = new InFlight()
  const options = {
    // A large upload has no deadline; inactivity ends it.
    requestTimeout: 0,
    // Otherwise Node uses requestTimeout, which is off.
    headersTimeout: headersMs,
    connectionsCheckingInterval: headersMs / 5,
    // Longer than clients keep idle connections, so that a create never hits a closing connection.
    keepAliveTimeout: 600_000,
  }
  const tlsOptions = { ...options, ...tls, minVersion: 'TLSv1.2' as const, handshakeTimeout: headersMs }
  const server = createAdaptorServer({
    fetch: (request, env) => requests.add(Promise.resolve(app.fetch(request, env))),
    // Keep the global Request and Response: the adapter's replacements would also affect the client.
    overrideGlobalObjects: false,
    ...(tls ? { createServer: createTlsServer, serverOptions: tlsOptions } : { createServer, serverOptions: options }),
  })
  server.setTimeout(inactivityMs)
  server.maxConnections = maxConnections
  server.on('connection', (socket: Socket) => connections.opened(socket))
  // By default Node sends "continue" before the access check; uploads send it themselves (file-routes.ts).
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.method !== 'PUT' && incoming.method !== 'PATCH') outgoing.writeContinue()
    server.emit('request', incoming, outgoing)
  })
  await once(server.listen(given.port, given.address), 'listening')
  // E.g. too many open files: one connection isn't taken. Without a listener, the process would end.
  server.on('error', (error) => log('the server failed', error))
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port')
  return {
    port: bound.port,
    close: async () => {
      const closed = once(server.close(), 'close')
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
      // Handlers use the database even after their connection is closed.
      await requests.settled(requestsMs)
    },
  }
}
