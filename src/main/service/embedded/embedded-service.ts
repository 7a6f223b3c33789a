/**
 * @file The embedded service: the same interface as a remote one, on this computer. It listens on 127.0.0.1 at a random
 * port and stores its uploads and jobs in its own folder.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import type { MethodView } from '@shared/models.ts'
import type { ErrorBody } from '@shared/errors.ts'
import { InFlight } from '@shared/in-flight.ts'
import { AssetStore } from './asset-store.ts'
import { privateMode } from '../../data/data-folder.ts'
import { freeBytes, type FreeBytes } from '../../data/free-bytes.ts'
import type { EnginePort } from '../jobs/engine-port.ts'
import { JobRunner } from './job-runner.ts'
import { JobStore } from './job-store.ts'
import { KeyStore } from './key-store.ts'
import { Connections } from '../http/connections.ts'
import { localOnly } from '../http/guard.ts'
import { createApp } from '../http/routes.ts'
import { embeddedBackend } from './embedded-backend.ts'
import { openServiceDb } from './service-db.ts'

export interface EmbeddedServiceOptions {
  /** The service's folder; created if needed. Only one service may use it at a time. */
  dir: string
  engine: EnginePort
  /** Swap methods besides the built-in one. Defaults to none. */
  methods?: () => Promise<MethodView[]>
  log: (message: string, error?: unknown) => void
  /** Converts an error to text for a task's `error`. Defaults to the code. */
  sentence?: (error: ErrorBody) => string
  /** Epoch ms. */
  clock?: () => number
  /** For faces and videos given as URLs. */
  fetch?: typeof globalThis.fetch
  /** Free bytes on a folder's disk. */
  freeBytes?: FreeBytes
}

export interface EmbeddedServiceAddress {
  baseUrl: string
  /** For key operations; new at each start, in memory only, as the keys are. */
  adminToken: string
}

/** Max time for a client to send its headers. */
const headersTimeoutMs = 10_000
/** Max connections without a key; `maxConnections` limits those with one. */
const maxStrangers = 64
const maxConnections = 1024
/** Max time to wait for requests in flight on shutdown. */
const requestsMs = 3000

export class EmbeddedService {
  private running: {
    server: ServerType
    runner: JobRunner
    db: DatabaseSync
    requests: InFlight
    keys: KeyStore
  } | null = null

  constructor(private readonly options: EmbeddedServiceOptions) {}

  /** @throws MienError `internal` with reason `in-use` when another process uses the folder */
  async start(): Promise<EmbeddedServiceAddress> {
    const { dir, engine, log } = this.options
    const now = this.options.clock ?? Date.now
    const free = this.options.freeBytes ?? freeBytes
    await mkdir(dir, { recursive: true, mode: privateMode })
    const { db, backup } = openServiceDb(dir, now())
    if (backup !== null) log(`the service data was broken and is now ${backup}`)
    const keys = new KeyStore(now)
    const jobs = new JobStore(db, now)
    const assets = new AssetStore(dir, db, now, free)
    const fetch = this.options.fetch ?? globalThis.fetch
    const runner = new JobRunner({ dir, jobs, assets, engine, fetch, free, now, log })
    const adminToken = randomBytes(32).toString('base64url')
    let port = 0
    const sentence = this.options.sentence ?? ((error: ErrorBody) => error.code)
    const connections = new Connections(maxStrangers)
    const methods = this.options.methods ?? (() => Promise.resolve([]))
    const app = createApp({
      backend: embeddedBackend({ jobs, assets, keys, runner, adminToken }),
      ...{ methods, connections, now, sentence, log },
      access: localOnly(() => port),
      baseUrl: () => `http://127.0.0.1:${String(port)}`,
    })
    const requests = new InFlight()
    const server = createAdaptorServer({
      fetch: (request, env) => requests.add(Promise.resolve(app.fetch(request, env))),
      // Keep the global Request and Response: the adapter's replacements would also affect the client.
      overrideGlobalObjects: false,
      createServer,
      serverOptions: {
        // A large upload has no deadline; inactivity ends it.
        requestTimeout: 0,
        // Otherwise Node uses requestTimeout, which is off.
        headersTimeout: headersTimeoutMs,
        connectionsCheckingInterval: 2000,
        // Longer than clients keep idle connections, so that a create never hits a closing connection.
        keepAliveTimeout: 600_000,
      },
    })
    server.setTimeout(120_000)
    server.maxConnections = maxConnections
    server.on('connection', (socket: Socket) => {
      connections.opened(socket)
    })
    // By default Node sends "continue" before the access check; uploads send it themselves (file-routes.ts).
    server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      if (incoming.method !== 'PUT') outgoing.writeContinue()
      server.emit('request', incoming, outgoing)
    })
    try {
      port = await listen(server)
      await assets.sweep(jobs.assetsInUse())
      await sweepFolders(join(dir, 'jobs'), jobs)
    } catch (error) {
      server.close()
      db.close()
      throw error
    }
    this.running = { server, runner, db, requests, keys }
    runner.start()
    return { baseUrl: `http://127.0.0.1:${String(port)}`, adminToken }
  }

  /** Creates a key that is valid until the service ends. @throws Error if the service isn't running */
  createKey(userId: string): string {
    if (!this.running) throw new Error('the service is not running')
    return this.running.keys.create(userId).sk
  }

  /** Stops the running job; the next start resumes it. */
  async dispose(): Promise<void> {
    const running = this.running
    if (!running) return
    this.running = null
    const closed = new Promise<void>((resolve) => {
      running.server.close(() => {
        resolve()
      })
    })
    if ('closeAllConnections' in running.server) running.server.closeAllConnections()
    await running.runner.dispose()
    await closed
    // Handlers use the database even after their connection is closed.
    await running.requests.settled(requestsMs)
    running.db.close()
  }
}

function listen(server: ServerType): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('no port'))
      else resolve(address.port)
    })
  })
}

/** Removes folders of deleted or unknown jobs, left by an interrupted quit. */
async function sweepFolders(dir: string, jobs: JobStore): Promise<void> {
  await mkdir(dir, { recursive: true })
  for (const name of await readdir(dir)) {
    const job = jobs.get(name)
    if (!job || job.deletedAt !== null) await rm(join(dir, name), { recursive: true, force: true })
  }
}
