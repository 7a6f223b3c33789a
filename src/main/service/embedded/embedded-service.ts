/**
 * @file The embedded service: the same interface as a remote one, on this computer. It listens on 127.0.0.1 at a random
 * port and stores its uploads and jobs in its own folder.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import type { MethodView } from '@shared/engine/models.ts'
import type { ErrorBody } from '@shared/errors.ts'
import { AssetStore } from './asset-store.ts'
import { privateMode } from '../../data/data-folder.ts'
import { freeBytes, type FreeBytes } from '../../data/free-bytes.ts'
import type { EnginePort } from '../jobs/engine-port.ts'
import { JobRunner } from './job-runner.ts'
import { JobStore } from './job-store.ts'
import { KeyStore } from './key-store.ts'
import { Connections } from '../http/connections.ts'
import { onlyHosts } from '../http/guard.ts'
import { HttpServer, maxStrangers, type HttpServerOptions } from '../http/http-server.ts'
import { createApp, type RouteDeps } from '../http/routes.ts'
import { embeddedBackend } from './embedded-backend.ts'
import { openServiceDb } from './service-db.ts'

export interface EmbeddedServiceOptions
  extends Pick<HttpServerOptions, 'headersMs'>, Pick<RouteDeps, 'requestsPerSecond'> {
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

const local = ['127.0.0.1', 'localhost']

export class EmbeddedService {
  private running: {
    server: HttpServer
    runner: JobRunner
    db: DatabaseSync
    keys: KeyStore
  } | null = null

  constructor(private readonly options: EmbeddedServiceOptions) {}

  /** @throws MienError `internal` with reason `in-use` when another process uses the folder */
  async start(): Promise<EmbeddedServiceAddress> {
    const { dir, engine, log, headersMs, requestsPerSecond } = this.options
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
      ...{ methods, connections, now, sentence, log, requestsPerSecond },
      access: onlyHosts((host) => local.some((name) => host === `${name}:${String(port)}`), 'Use 127.0.0.1.'),
      // An asset may have the port of an earlier start.
      isHere: (url) => url.protocol === 'http:' && local.includes(url.hostname),
      baseUrl: () => `http://127.0.0.1:${String(port)}`,
    })
    const server = new HttpServer({ app, connections, tls: null, headersMs, log })
    try {
      port = await server.listen(0, '127.0.0.1')
      await assets.sweep(jobs.assetsInUse())
      await sweepFolders(join(dir, 'jobs'), jobs)
    } catch (error) {
      await server.close()
      db.close()
      throw error
    }
    this.running = { server, runner, db, keys }
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
    await running.server.close(() => running.runner.dispose())
    running.db.close()
  }
}

/** Removes folders of deleted or unknown jobs, left by an interrupted quit. */
async function sweepFolders(dir: string, jobs: JobStore): Promise<void> {
  await mkdir(dir, { recursive: true })
  for (const name of await readdir(dir)) {
    const job = jobs.get(name)
    if (!job || job.deletedAt !== null) await rm(join(dir, name), { recursive: true, force: true })
  }
}
