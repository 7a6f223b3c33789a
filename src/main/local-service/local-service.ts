/**
 * @file The embedded service: the same interface as any remote one, on this computer. It listens on
 * 127.0.0.1 at a random port and keeps its keys, uploads and swaps in a folder of its own.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import type { ErrorBody } from '@shared/errors.ts'
import { AssetStore, freeBytes, type FreeBytes } from './asset-store.ts'
import { privateMode } from '../data/data-folder.ts'
import type { EnginePort } from './jobs/engine-port.ts'
import { JobRunner } from './jobs/job-runner.ts'
import { JobStore } from './jobs/job-store.ts'
import { KeyStore } from './key-store.ts'
import { Connections } from './http/connections.ts'
import { createApp } from './http/routes.ts'
import { openServiceDb } from './service-db.ts'

export interface LocalServiceOptions {
  /** The service's own folder; made when it is not there. One service at a time may have it. */
  dir: string
  engine: EnginePort
  log: (message: string, error?: unknown) => void
  /** An error as a sentence, for a task's `error`. The code itself without it. */
  sentence?: (error: ErrorBody) => string
  /** Epoch ms. */
  clock?: () => number
  /** For faces and videos given as web addresses. */
  fetch?: typeof globalThis.fetch
  /** Bytes free on the disk of a folder. */
  freeBytes?: FreeBytes
}

export interface LocalServiceAddress {
  baseUrl: string
  /** For key operations; another one at each start, in memory only. */
  adminToken: string
}

/** Whoever connects has this long to send whole headers. */
const headersTimeoutMs = 10_000
/** Connections without a key at once; with one, the number is bounded by `maxConnections`. */
const maxStrangers = 64
const maxConnections = 1024

export class LocalService {
  private running: { server: ServerType; runner: JobRunner; db: DatabaseSync } | null = null

  constructor(private readonly options: LocalServiceOptions) {}

  /** Throws `internal` with reason `in-use` when another process has the folder. */
  async start(): Promise<LocalServiceAddress> {
    const { dir, engine, log } = this.options
    const now = this.options.clock ?? Date.now
    const free = this.options.freeBytes ?? freeBytes
    await mkdir(dir, { recursive: true, mode: privateMode })
    const { db, backup } = openServiceDb(dir, now())
    if (backup !== null) log(`the service data was broken and is now ${backup}`)
    const keys = new KeyStore(db, now)
    const jobs = new JobStore(db, now)
    const assets = new AssetStore(dir, db, now, free)
    const fetch = this.options.fetch ?? globalThis.fetch
    const runner = new JobRunner({ dir, jobs, assets, engine, fetch, free, now, log })
    const adminToken = randomBytes(32).toString('base64url')
    let port = 0
    const sentence = this.options.sentence ?? ((error: ErrorBody) => error.code)
    const connections = new Connections(maxStrangers)
    const app = createApp({ keys, assets, jobs, runner, connections, adminToken, port: () => port, now, sentence, log })
    const server = createAdaptorServer({
      fetch: app.fetch,
      // Request and Response are everybody's; the adapter's own would reach the client, too.
      overrideGlobalObjects: false,
      createServer,
      serverOptions: {
        // A large upload has no deadline; inactivity ends it.
        requestTimeout: 0,
        // Without it, Node takes that of the whole request: none.
        headersTimeout: headersTimeoutMs,
        connectionsCheckingInterval: 2000,
        // Longer than clients keep idle connections, so that a create never meets one that is just closing.
        keepAliveTimeout: 600_000,
      },
    })
    server.setTimeout(120_000)
    server.maxConnections = maxConnections
    server.on('connection', (socket: Socket) => {
      connections.opened(socket)
    })
    // Node would say "continue" before the guard looked; an upload says it itself (file-routes.ts).
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
    this.running = { server, runner, db }
    runner.start()
    return { baseUrl: `http://127.0.0.1:${String(port)}`, adminToken }
  }

  /** The swap under way is stopped, and taken up again at the next start. */
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

/** Folders of jobs that are deleted or not known, left by a quit in the middle. */
async function sweepFolders(dir: string, jobs: JobStore): Promise<void> {
  await mkdir(dir, { recursive: true })
  for (const name of await readdir(dir)) {
    const job = jobs.get(name)
    if (!job || job.deletedAt !== null) await rm(join(dir, name), { recursive: true, force: true })
  }
}
