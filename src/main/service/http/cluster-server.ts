/**
 * @file A server of a cluster, on a database and a storage that may be shared, and the HTTP server under its routes: time
 * limits, connections, shutdown. It has no state except uploads that aren't in the storage yet, so there may be any number
 * of servers. The service in the app is one too.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { InFlight } from '@shared/in-flight.ts'
import type { Hono } from 'hono'
import { Connections, type Env, WrongKeys, hostsOf, inHeader, isAny, ownAddresses } from './guard.ts'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ErrorBody } from '@shared/errors.ts'
import { privateMode } from '../../machine/disk/data-folder.ts'
import { freeBytes, type FreeBytes } from '../../machine/disk/files.ts'
import { createApp, type RouteDeps } from './routes.ts'
import { ClusterFiles } from '../cluster/cluster-files.ts'
import type { Database } from '../cluster/database/database.ts'
import { migrateTables } from '../cluster/database/schema.ts'
import { Housekeeping } from '../cluster/housekeeping.ts'
import { KeyTable, makeAdminKey, SignedLinks } from '../cluster/key-table.ts'
import { SwapTable } from '../cluster/swap-table.ts'
import { WorkQueue } from '../cluster/work-queue.ts'

const usualHeadersMs = 10_000
/** Max time without data on a connection. */
const inactivityMs = 120_000
/** Max connections without a key; `maxConnections` limits those with one. */
const maxStrangers = 64
const maxConnections = 1024
/** Max time to wait for requests in flight on shutdown. */
const requestsMs = 3000

/** PEM. */
export interface Tls {
  cert: string
  key: string
}

interface HttpServerOptions {
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

export interface ClusterServerOptions
  extends
    Pick<RouteDeps, 'db' | 'storage' | 'requestsPerSecond' | 'log'>,
    Partial<Pick<RouteDeps, 'sentence'>>,
    Pick<HttpServerOptions, 'headersMs' | 'tls' | 'address' | 'port'> {
  /** This server's folder for uploads before they are in the storage; created if needed. */
  dir: string
  /** More names of this server; see `hostsOf`. */
  names?: readonly string[]
  /** Days after which a finished swap is deleted. */
  retentionDays?: number
  /** Max wrong keys from one address per minute. */
  wrongKeysPerMinute?: number
  /** Free bytes on the disk of `dir`. */
  freeBytes?: FreeBytes | undefined
  /** Only for the service in the app: where its keys are, and its methods. */
  inApp?: { keysDb: Database } & Pick<RouteDeps, 'methods'>
}

export interface ClusterServerAddress {
  baseUrl: string
  port: number
  /** The administrator's key if this start created it; only its hash is stored. */
  adminKey: string | null
}

const dayMs = 86_400_000

export class ClusterServer {
  #running: { server: HttpServer; housekeeping: Housekeeping } | null = null

  constructor(private readonly options: ClusterServerOptions) {}

  /** @throws MienError `data-newer`; DatabaseUnavailable; the error of `listen`, e.g. EADDRINUSE */
  async start(): Promise<ClusterServerAddress> {
    const { db, storage, address, tls, log, inApp, retentionDays = 30, wrongKeysPerMinute = 10 } = this.options
    const { headersMs, requestsPerSecond, sentence = (error: ErrorBody) => error.code } = this.options
    const tempDir = join(this.options.dir, 'uploads')
    await rm(tempDir, { recursive: true, force: true })
    await mkdir(tempDir, { recursive: true, mode: privateMode })
    const keysDb = inApp?.keysDb ?? db
    for (const each of new Set([db, keysDb])) await migrateTables(each)

    const scheme = tls ? 'https' : 'http'
    const hosts = hostsOf(ownAddresses(address), this.options.names ?? [], scheme)
    const swaps: SwapTable = new SwapTable({ db, storage, check: (objectId) => housekeeping.checkResult(objectId) })
    const retentionMs = retentionDays * dayMs
    const housekeeping = new Housekeeping({ db, storage, swaps, retentionMs, log })
    const files = new ClusterFiles({ db, storage, tempDir, freeBytes: this.options.freeBytes ?? freeBytes })
    const connections = new Connections(maxStrangers)
    const app = createApp({
      ...{ db, storage, swaps, files, connections, hosts, sentence, requestsPerSecond, log },
      keys: new KeyTable(keysDb),
      wrongKeys: new WrongKeys(wrongKeysPerMinute),
      methods: inApp?.methods ?? (() => Promise.resolve([])),
      links: inApp ? null : await SignedLinks.open(db),
    })

    const server = await listen({ app, connections, tls, headersMs, log, address, port: this.options.port })
    const { port } = server
    // From now on `dispose` ends it, whatever fails.
    this.#running = { server, housekeeping }
    const queue = new WorkQueue(db)
    await db.jobs.onDeadLetter((objectId) => queue.failOrRetry(objectId))
    if (db.kind === 'sqlite' && !inApp) await queue.continueInterrupted()
    await housekeeping.start()
    // The key is shown only once, so create it last: a failed start couldn't show it.
    const adminKey = await makeAdminKey(keysDb)
    // An address at which this computer reaches the server.
    const host = isAny(address) ? 'localhost' : inHeader(address)
    return { baseUrl: `${scheme}://${host}:${String(port)}`, port, adminKey }
  }

  /** Ends requests and background work. Doesn't close the database. */
  async dispose(): Promise<void> {
    const running = this.#running
    if (!running) return
    this.#running = null
    await running.server.close()
    await running.housekeeping.dispose()
  }
}
