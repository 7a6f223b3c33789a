/**
 * @file The embedded service: the same interface as a remote one, on this computer. It is a server with one worker,
 * listens on 127.0.0.1 at a random port, and stores everything in its own folder: uploads and results in `files`, the
 * engine's work in `jobs`.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { MethodView } from '@shared/engine/models.ts'
import { MienError, type ErrorBody } from '@shared/errors.ts'
import { privateMode } from '../../machine/disk/data-folder.ts'
import { freeBytes, type FreeBytes } from '../../machine/disk/files.ts'
import { ClusterFiles } from '../cluster/cluster-files.ts'
import type { Database } from '../cluster/database/database.ts'
import { KeyTable, makeAdminKey } from '../cluster/key-table.ts'
import { migrateTables } from '../cluster/database/schema.ts'
import { sqliteDatabase } from '../cluster/database/sqlite.ts'
import { Housekeeping } from '../cluster/housekeeping.ts'
import { FolderStorage } from '../cluster/storage/folder-storage.ts'
import { SwapTable } from '../cluster/swap-table.ts'
import { WorkQueue } from '../cluster/work-queue.ts'
import { Worker } from '../cluster/worker/worker.ts'
import { Connections, onlyHosts } from '../http/guard.ts'
import { HttpServer, maxStrangers, type HttpServerOptions } from '../http/http-server.ts'
import { WrongKeys } from '../http/rate-limit.ts'
import { createApp, type RouteDeps } from '../http/routes.ts'
import type { EnginePort } from '../../engine/host/engine-host.ts'
import { carryOver } from './carry-over.ts'
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

/** Reports are cheap in the same process, and a paused swap stops at the next one. */
const beatMs = 200
const previewMs = 500
/** The queue wakes the worker; this is for swaps that wait after a problem of the database. */
const emptyMs = 60_000
/** Only programs on this computer send wrong keys. */
const wrongKeysPerMinute = 1000
/** How long to try again to store a file. */
const patienceMs = 5000
/** Its only creator deletes finished swaps. */
const retentionMs = 100 * 365 * 86_400_000

export class EmbeddedService {
  #running: { server: HttpServer; worker: Worker; housekeeping: Housekeeping; dbs: Database[]; keys: KeyTable } | null =
    null

  constructor(private readonly options: EmbeddedServiceOptions) {}

  /** @throws MienError `internal` with reason `in-use` when another process uses the folder */
  async start(): Promise<EmbeddedServiceAddress> {
    const { dir, engine, log, headersMs, requestsPerSecond, fetch = globalThis.fetch } = this.options
    const { clock: now = Date.now, freeBytes: free = freeBytes } = this.options
    const sentence = this.options.sentence ?? ((error) => error.code)
    await mkdir(dir, { recursive: true, mode: privateMode })
    const { db: file, backup } = openServiceDb(dir, now())
    if (backup !== null) log(`the service data was broken and is now ${backup}`)
    const db = sqliteDatabase(file, now)
    try {
      const tempDir = join(dir, 'uploads')
      await rm(tempDir, { recursive: true, force: true })
      await mkdir(tempDir, { mode: privateMode })
      const storage = new FolderStorage(join(dir, 'files'))
      await storage.check().catch((error: unknown) => {
        // Swaps can still be seen and deleted.
        if (!(error instanceof MienError && error.code === 'disk-full')) throw error
      })
      await migrateTables(db)
      await carryOver(db, storage, dir)
      const swaps = new SwapTable({ db, storage })
      // In memory only: like the admin token, a key is valid until the service ends.
      const memory = sqliteDatabase(new DatabaseSync(':memory:'), now)
      await migrateTables(memory)
      const keys = new KeyTable(memory)
      const adminToken = (await makeAdminKey(memory)) ?? ''
      let port = 0
      const connections = new Connections(maxStrangers)
      const app = createApp({
        files: new ClusterFiles({ db, storage, tempDir, freeBytes: free }),
        wrongKeys: new WrongKeys(wrongKeysPerMinute, () => performance.now()),
        ...{ swaps, keys, connections, sentence, log, requestsPerSecond },
        methods: this.options.methods ?? (() => Promise.resolve([])),
        access: onlyHosts((host) => local.some((name) => host === `${name}:${String(port)}`), 'Use 127.0.0.1.'),
        // An asset may have the port of an earlier start.
        isHere: (url) => url.protocol === 'http:' && local.includes(url.hostname),
        baseUrl: () => `http://127.0.0.1:${String(port)}`,
      })
      const server = new HttpServer({ app, connections, tls: null, headersMs, log })
      const worker = new Worker({
        id: { id: randomUUID(), engine: 'app', host: 'localhost' },
        ...{ queue: new WorkQueue(db), storage, engine, fetch, free, log, beatMs, previewMs, emptyMs, patienceMs },
        dir: join(dir, 'jobs'),
        failsAlways: true,
      })
      const housekeeping = new Housekeeping({ db, storage, swaps, retentionMs, log })
      port = await server.listen(0, '127.0.0.1')
      this.#running = { server, worker, housekeeping, dbs: [db, memory], keys }
      worker.start()
      await housekeeping.start()
      return { baseUrl: `http://127.0.0.1:${String(port)}`, adminToken }
    } catch (error) {
      await (this.#running ? this.dispose() : db.close())
      throw error
    }
  }

  /** Creates a key that is valid until the service ends. @throws Error if the service isn't running */
  async createKey(userId: string): Promise<string> {
    if (!this.#running) throw new Error('the service is not running')
    return (await this.#running.keys.create(userId)).sk
  }

  /** Stops the running job; the next start resumes it. */
  async dispose(): Promise<void> {
    const running = this.#running
    if (!running) return
    this.#running = null
    await running.server.close(() => running.worker.dispose())
    await running.housekeeping.dispose()
    await Promise.all(running.dbs.map((db) => db.close()))
  }
}
