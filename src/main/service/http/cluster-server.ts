/**
 * @file A server of a cluster: the same interface as the service in the app, on a database and a storage that may be shared.
 * A server has no state except uploads that aren't in the storage yet, so there may be any number of servers.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { every } from 'hono/combine'
import { MienError, type ErrorBody, type ErrorCode } from '@shared/errors.ts'
import { privateMode } from '../../machine/disk/data-folder.ts'
import { freeBytes, type FreeBytes } from '../../machine/disk/files.ts'
import { Connections, onlyHosts, type BaseUrl } from './guard.ts'
import { HttpServer, maxStrangers, type HttpServerOptions, type Tls } from './http-server.ts'
import { HttpProblem } from './json.ts'
import { createApp, type RouteDeps } from './routes.ts'
import { WrongKeys } from './rate-limit.ts'
import { addAdminRoutes } from './admin-routes.ts'
import { ClusterFiles } from '../cluster/cluster-files.ts'
import { DatabaseUnavailable, type Database } from '../cluster/database/database.ts'
import { migrateTables } from '../cluster/database/schema.ts'
import { hostsOf, ownAddresses } from './hosts.ts'
import { Housekeeping } from '../cluster/housekeeping.ts'
import { KeyTable, makeAdminKey } from '../cluster/key-table.ts'
import { RequestMetrics } from './metrics.ts'
import { ResultCheck } from '../cluster/result-check.ts'
import type { BlobStorage } from '../cluster/storage/blob-storage.ts'
import { SignedLinks } from '../cluster/signed-links.ts'
import { SwapTable } from '../cluster/swap-table.ts'
import { WorkQueue } from '../cluster/work-queue.ts'
import { Uploads } from '../cluster/uploads.ts'

export interface ClusterServerOptions
  extends Pick<HttpServerOptions, 'headersMs'>, Pick<RouteDeps, 'requestsPerSecond'> {
  db: Database
  /** `BlobStorage.check` was called. */
  storage: BlobStorage
  /** This server's folder for uploads before they are in the storage; created if needed. */
  dir: string
  /** Address to listen on. */
  address: string
  /** 0: any free port. */
  port: number
  /** Null: plain HTTP. */
  tls: Tls | null
  /** More names of this server; see `hostsOf`. */
  names?: readonly string[]
  /** Days after which a finished swap is deleted. */
  retentionDays?: number
  /** Max wrong keys from one address per minute. */
  wrongKeysPerMinute?: number
  /** Converts an error to text for a task's `error`. Defaults to the code. */
  sentence?: (error: ErrorBody) => string
  log: (message: string, error?: unknown) => void
  /** Free bytes on the disk of `dir`. */
  freeBytes?: FreeBytes
}

export interface ClusterServerAddress {
  baseUrl: string
  port: number
  /** The administrator's key if this start created it; only its hash is stored. */
  adminKey: string | null
}

const dayMs = 86_400_000

export class ClusterServer {
  #running: { server: HttpServer; housekeeping: Housekeeping; check: ResultCheck } | null = null

  constructor(private readonly options: ClusterServerOptions) {}

  /** @throws MienError `data-newer`; DatabaseUnavailable; the error of `listen`, e.g. EADDRINUSE */
  async start(): Promise<ClusterServerAddress> {
    const { db, storage, address, tls, log, names = [], retentionDays = 30, wrongKeysPerMinute = 10 } = this.options
    const { headersMs, requestsPerSecond } = this.options
    const tempDir = join(this.options.dir, 'uploads')
    await rm(tempDir, { recursive: true, force: true })
    await mkdir(tempDir, { recursive: true, mode: privateMode })
    await migrateTables(db)

    const scheme = tls ? 'https' : 'http'
    const hosts = hostsOf(ownAddresses(address), names, scheme)
    const check = new ResultCheck({ db, storage, log })
    const swaps = new SwapTable({ db, storage, check: check.add })
    const keys = new KeyTable(db)
    const files = new ClusterFiles({ db, storage, tempDir, freeBytes: this.options.freeBytes ?? freeBytes })
    const connections = new Connections(maxStrangers)
    const wrongKeys = new WrongKeys(wrongKeysPerMinute, () => performance.now())
    const links = await SignedLinks.open(db)
    const metrics = new RequestMetrics()
    const baseUrl: BaseUrl = (c) => hosts.baseUrl(c.req.header('host')?.toLowerCase() ?? '')
    const app = createApp({
      ...{ swaps, files, keys, links, connections, wrongKeys, log, problemOf, baseUrl, requestsPerSecond },
      uploads: new Uploads(db, storage, files),
      methods: () => Promise.resolve([]),
      access: every(metrics.middleware, onlyHosts(hosts.isAllowed, 'Ask who runs this server for its address.')),
      isHere: hosts.isHere,
      sentence: this.options.sentence ?? ((error) => error.code),
    })
    addAdminRoutes(app, { db, storage, keys, wrongKeys, metrics, log })

    const server = new HttpServer({ app, connections, tls, headersMs, log })
    const port = await server.listen(this.options.port, address)
    const retentionMs = retentionDays * dayMs
    const housekeeping = new Housekeeping({ db, storage, swaps, check, retentionMs, log })
    // From now on `dispose` ends it, whatever fails.
    this.#running = { server, housekeeping, check }
    const queue = new WorkQueue(db)
    await db.jobs.onDeadLetter((objectId) => queue.failOrRetry(objectId))
    if (db.kind === 'sqlite') await queue.continueInterrupted()
    await housekeeping.start()
    // The key is shown only once, so create it last: a failed start couldn't show it.
    const adminKey = await makeAdminKey(db)
    return { baseUrl: `${scheme}://${inUrl(address)}:${String(port)}`, port, adminKey }
  }

  /** Ends requests and background work. Doesn't close the database. */
  async dispose(): Promise<void> {
    const running = this.#running
    if (!running) return
    this.#running = null
    await running.server.close()
    await Promise.all([running.housekeeping.dispose(), running.check.dispose()])
  }
}

/** An address at which this computer reaches the server, for display. */
function inUrl(address: string): string {
  if (address === '0.0.0.0' || address === '::') return 'localhost'
  return address.includes(':') ? `[${address}]` : address
}

const unavailable = (detail: string): HttpProblem =>
  new HttpProblem(503, 'service-trouble', detail, {}, { 'retry-after': '5' })

/** Storage errors after which a retry may succeed. */
const storageErrors: ReadonlySet<ErrorCode> = new Set(['folder-missing', 'folder-read-only', 'save-failed'])

function problemOf(error: unknown): HttpProblem | null {
  if (error instanceof DatabaseUnavailable) return unavailable('The database can’t be reached. Try again.')
  if (!(error instanceof MienError)) return null
  if (storageErrors.has(error.code) || error.code.startsWith('storage-'))
    return unavailable('The storage can’t be used. Try again.')
  if (error.code === 'not-found') return new HttpProblem(404, 'not-found', 'This file doesn’t exist.')
  if (error.code === 'file-missing')
    return new HttpProblem(422, 'file-missing', 'A file was deleted. Upload it again.', error.details)
  if (error.code !== 'quota-reached') return null
  const { quota, limit, used, seconds } = error.details
  const detail = `The limit is reached: ${String(used)} of ${String(limit)} ${String(quota)}.`
  const headers = typeof seconds === 'number' ? { 'retry-after': String(seconds) } : undefined
  return new HttpProblem(429, 'quota-reached', detail, error.details, headers)
}
