/**
 * @file The embedded service: the same interface as a remote one, on this computer. It is a server with one worker,
 * listens on 127.0.0.1 at a random port, and stores everything in its own folder: uploads and results in `files`, the
 * engine's work in `jobs`.
 */
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MienError } from '@shared/errors.ts'
import { privateMode } from '../../machine/disk/data-folder.ts'
import { freeBytes } from '../../machine/disk/files.ts'
import type { Database } from '../cluster/database/database.ts'
import { KeyTable } from '../cluster/key-table.ts'
import { migrateTables } from '../cluster/database/schema.ts'
import { sqliteDatabase } from '../cluster/database/sqlite.ts'
import { FolderStorage } from '../cluster/storage/folder-storage.ts'
import { WorkQueue } from '../cluster/work-queue.ts'
import { Worker, type WorkerDeps } from '../cluster/worker/worker.ts'
import { ClusterServer, type ClusterServerOptions } from '../http/cluster-server.ts'
import type { RouteDeps } from '../http/routes.ts'
import { carryOver, openServiceDb } from './service-db.ts'

export interface EmbeddedServiceOptions
  extends
    Pick<ClusterServerOptions, 'headersMs' | 'requestsPerSecond' | 'sentence' | 'log' | 'freeBytes'>,
    Partial<Pick<RouteDeps, 'methods'>>,
    Pick<WorkerDeps, 'engine'>,
    Partial<Pick<WorkerDeps, 'fetch'>> {
  /** The service's folder; created if needed. Only one service may use it at a time. */
  dir: string
  /** Epoch ms. */
  clock?: () => number
}

export interface EmbeddedServiceAddress {
  baseUrl: string
  /** For key operations; new at each start, in memory only, as the keys are. */
  adminToken: string
}

const ofServer = {
  ...{ address: '127.0.0.1', port: 0, tls: null },
  // Its only creator deletes finished swaps.
  retentionDays: 100 * 365,
  // Only programs on this computer send wrong keys.
  wrongKeysPerMinute: 1000,
}
const ofWorker = {
  // Reports are cheap in the same process, and a paused swap stops at the next one.
  ...{ beatMs: 200, previewMs: 500 },
  // The queue wakes the worker; this is for swaps that wait after a problem of the database.
  emptyMs: 60_000,
  // How long to try again to store a file.
  patienceMs: 5000,
  failsAlways: true,
}

export class EmbeddedService {
  #running: { server: ClusterServer; worker: Worker; dbs: Database[]; keys: KeyTable } | null = null

  constructor(private readonly options: EmbeddedServiceOptions) {}

  /** @throws MienError `internal` with reason `in-use` when another process uses the folder */
  async start(): Promise<EmbeddedServiceAddress> {
    const { dir, engine, clock = Date.now, fetch = globalThis.fetch, ...options } = this.options
    const { log, freeBytes: free = freeBytes, methods = () => Promise.resolve([]) } = options
    await mkdir(dir, { recursive: true, mode: privateMode })
    const { db: file, backup } = openServiceDb(dir, clock())
    if (backup !== null) log(`the service data was broken and is now ${backup}`)
    const db = sqliteDatabase(file, clock)
    // In memory only: like the admin token, a key is valid until the service ends.
    const keysDb = sqliteDatabase(new DatabaseSync(':memory:'), clock)
    const storage = new FolderStorage(join(dir, 'files'))
    const server = new ClusterServer({ ...options, ...ofServer, db, storage, dir, inApp: { keysDb, methods } })
    const worker = new Worker({
      id: { id: randomUUID(), engine: 'app', host: 'localhost' },
      ...{ queue: new WorkQueue(db), storage, engine, fetch, free, log, dir: join(dir, 'jobs'), ...ofWorker },
    })
    this.#running = { server, worker, dbs: [db, keysDb], keys: new KeyTable(keysDb) }
    try {
      await storage.check().catch((error: unknown) => {
        // Swaps can still be seen and deleted.
        if (!(error instanceof MienError && error.code === 'disk-full')) throw error
      })
      await migrateTables(db)
      await carryOver(db, storage, dir)
      const { baseUrl, adminKey } = await server.start()
      worker.start()
      return { baseUrl, adminToken: adminKey ?? '' }
    } catch (error) {
      await this.dispose()
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
    await Promise.all([running.server.dispose(), running.worker.dispose()])
    await Promise.all(running.dbs.map((db) => db.close()))
  }
}
