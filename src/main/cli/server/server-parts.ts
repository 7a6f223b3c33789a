/** @file Opens the parts of servers and workers. Errors say what to do. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { m } from '@shared/i18n/paraglide/messages.js'
import { MienError, usage } from '@shared/mien-error.ts'
import { freeBytes } from '../../machine/disk/files.ts'
import { EngineHost, type EnginePort } from '../../engine/host/engine-host.ts'
import { publicFetch } from '../../remote/web-guard.ts'
import { DatabaseUnavailable, type Database } from '../../service/cluster/database/database.ts'
import { openPostgres } from '../../service/cluster/database/postgres.ts'
import { migrateTables } from '../../service/cluster/database/schema.ts'
import { openSqlite } from '../../service/cluster/database/sqlite.ts'
import type { BlobStorage } from '../../service/cluster/storage/blob-storage.ts'
import { WorkQueue } from '../../service/cluster/work-queue.ts'
import { Worker } from '../../service/cluster/worker/worker.ts'
import { engineVersion } from './engine-version.ts'
import { openStorage } from './open-storage.ts'
import type { ServerLog } from './server-log.ts'

/** What pg-boss needs. */
const oldestPostgres = 13

/**
 * Opens a file that only one process at a time can open, so that two processes never share a folder.
 * @throws MienError `usage`
 */
export function openOwn(path: string): Database {
  try {
    return openSqlite(path)
  } catch (error) {
    const isInUse = error instanceof MienError && error.details['reason'] === 'in-use'
    throw isInUse ? usage(m.cli_folder_in_use(), error) : error
  }
}

/** Also creates or migrates the tables. @throws MienError `usage` for a wrong address, `database-unusable`, `data-newer` */
export async function connect(address: string, log: ServerLog): Promise<Database> {
  const url = URL.parse(address)
  // The driver also takes the folder of a socket as `?host=`.
  const host = url?.hostname || url?.searchParams.get('host')
  if (!url || !host || !/^postgres(?:ql)?:$/.test(url.protocol)) throw usage(m.cli_database_address())
  const db = openPostgres(address, log)
  try {
    const [row] = await db.query('SHOW server_version_num')
    const version = Math.floor(Number(row?.['server_version_num']) / 10_000)
    if (version < oldestPostgres) {
      const reason = m.cli_database_old({ host, version: String(version) })
      throw new MienError('database-unusable', { reason })
    }
    await migrateTables(db)
    return db
  } catch (error) {
    await db.close()
    if (error instanceof MienError) throw error
    throw new MienError('database-unusable', { reason: databaseProblem(error, host, url) }, { cause: error })
  }
}

function databaseProblem(error: unknown, host: string, { pathname, username }: URL): string {
  const name = decodeURIComponent(pathname.slice(1))
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null
  if (code === '28P01' || code === '28000') return m.cli_database_refused({ host })
  if (code === '3D000') return m.cli_database_unknown({ host, name })
  if (code === '42501') return m.cli_database_rights({ host, name, user: decodeURIComponent(username) })
  const problem = error instanceof DatabaseUnavailable ? reasonOf(error) : String(error)
  return m.cli_database_unreachable({ host, problem })
}

/** For example ECONNREFUSED. The driver's messages contain no secrets. */
function reasonOf({ message, cause }: Error): string {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : null
  return message || (typeof code === 'string' ? code : 'no answer')
}

/** @throws MienError `usage`, or the storage's own */
export async function openChecked(address: string): Promise<BlobStorage> {
  const storage = openStorage(address, process.env)
  await storage.check()
  return storage
}

export interface EngineFolders {
  outDir: string
  resourcesDir: string
}

export interface WorkerParts extends EngineFolders {
  db: Database
  storage: BlobStorage
  dir: string
  /** Whether swaps may use addresses on the local network. */
  allowPrivateAddresses: boolean
  log: ServerLog
}

/** @throws MienError `engine-start` */
export async function startWorker(parts: WorkerParts) {
  const { db, storage, dir, log } = parts
  const modelsDir = join(parts.resourcesDir, 'models')
  const rendererDir = join(parts.outDir, 'renderer')
  const host = new EngineHost({ rendererDir, modelsDir, preload: join(parts.outDir, 'preload', 'engine.cjs'), log })
  try {
    await host.probe()
  } catch (error) {
    host.dispose()
    throw new MienError('engine-start', {}, { cause: error })
  }
  const engine = await engineVersion(
    [rendererDir, modelsDir],
    [process.versions.chrome, process.platform, process.arch],
  )
  const worker = new Worker({
    id: { id: randomUUID(), engine, host: hostname() },
    ...{ queue: new WorkQueue(db), storage, engine: portOf(host), dir: join(dir, 'swaps'), log },
    fetch: parts.allowPrivateAddresses ? globalThis.fetch : publicFetch(),
    free: freeBytes,
  })
  worker.start()
  log(`the worker is ready, engine ${engine}`)
  return {
    /** Stores the work of the current swap and returns the swap to the queue. */
    stop: async (): Promise<void> => {
      await worker.drain()
      host.dispose()
    },
  }
}

export type RunningWorker = Awaited<ReturnType<typeof startWorker>>

/** Always uses the software encoder and no user models, so that results don't depend on the computer. */
const portOf = (host: EngineHost): EnginePort => ({
  swap: ({ id = '', ...job }) => {
    if (job.options.method !== null) throw new MienError('model-unusable')
    return host.swap({ ...job, encoder: 'software', method: null, aigc: { contentProducer: '', produceId: id } })
  },
})
