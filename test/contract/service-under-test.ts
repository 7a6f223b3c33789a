/** @file The services that the contract suite runs against. Unless a test says otherwise, nothing limits how often they are asked. */
import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { EmbeddedService, type EmbeddedServiceOptions } from '../../src/main/service/embedded/embedded-service.ts'
import type { CreateInput, ServiceClient } from '../../src/main/remote/client/service-client.ts'
import type { ServiceClientOptions } from '../../src/main/remote/client/transport/http.ts'
import {
  ClusterServer,
  type ClusterServerAddress,
  type ClusterServerOptions,
} from '../../src/main/service/http/cluster-server.ts'
import type { Database } from '../../src/main/service/cluster/database/database.ts'
import { removeDropped, type BlobStorage } from '../../src/main/service/cluster/storage/blob-storage.ts'
import { openPostgres } from '../../src/main/service/cluster/database/postgres.ts'
import { openSqlite } from '../../src/main/service/cluster/database/sqlite.ts'
import { freeBytes, type FreeBytes } from '../../src/main/machine/disk/files.ts'
import { filesOf, WorkQueue } from '../../src/main/service/cluster/work-queue.ts'
import { openStorage } from '../../src/main/cli/server/open-storage.ts'
import { Worker } from '../../src/main/service/cluster/worker/worker.ts'
import { close, listen } from '../fixtures/listen.ts'
import { hasPostgres, sharedPostgres } from '../fixtures/postgres.ts'
import { S3Server } from '../fixtures/s3-server.ts'
import { makeClient } from '../fixtures/task-service.ts'
import { SteadyEngine } from './steady-engine.ts'

export interface ServiceUnderTest {
  name: string
  baseUrl: string
  adminToken: string
  keyHeader: string
  engine: SteadyEngine
  dir: string
  logged: string[]
  /** All files that are stored: uploads, and those of swaps. Also those on their way. */
  files: () => Promise<string[]>
  /** Names of a swap's files, as `result/output.mp4`. */
  filesOf: (objectId: string) => Promise<string[]>
  /** A client with this key; null: it has none. */
  client: (key: string | null, options?: Partial<ServiceClientOptions>) => ServiceClient
  /** Ends the service and starts another one on the same folder, at another port. */
  restart: (options?: { meanwhile?: () => Promise<void> }) => Promise<void>
  /** A file of the test's own. */
  file: (name: string, content: string | Uint8Array) => Promise<string>
  close: () => Promise<void>
}

/** @param root of the test's own files */
const common = (
  root: string,
  service: () => ServiceUnderTest,
): Pick<ServiceUnderTest, 'keyHeader' | 'client' | 'file'> => ({
  keyHeader: 'X-Service-Apikey',
  client: (key, more) => {
    const { baseUrl, keyHeader, adminToken } = service()
    return makeClient(baseUrl, { keyHeader, adminToken, gapMs: 0, readKey: () => Promise.resolve(key), ...more })
  },
  file: async (name, content) => {
    const path = join(root, name)
    await writeFile(path, content)
    return path
  },
})

export async function embeddedService(options: Partial<EmbeddedServiceOptions> = {}): Promise<ServiceUnderTest> {
  const root = await mkdtemp(join(tmpdir(), 'mien-contract-'))
  // A test's own engine is a steady one, too.
  const engine = options.engine instanceof SteadyEngine ? options.engine : new SteadyEngine()
  const dir = join(root, 'service')
  const logged: string[] = []
  const make = () =>
    new EmbeddedService({
      dir,
      engine,
      log: (message) => logged.push(message),
      sentence: (error) => `It says: ${error.code}.`,
      requestsPerSecond: Infinity,
      ...options,
    })
  let local = make()
  const service: ServiceUnderTest = {
    files: async () => (await Promise.all(['files', 'uploads', 'jobs'].map((name) => filesIn(join(dir, name))))).flat(),
    filesOf: async (objectId) =>
      readServiceDb(dir, (db) =>
        db.prepare('SELECT name FROM swap_files WHERE object_id = ? ORDER BY name').all(objectId),
      ).map((row) => String(row['name'])),
    name: 'embedded service',
    ...(await local.start()),
    ...common(root, () => service),
    engine,
    dir,
    logged,
    restart: async ({ meanwhile } = {}) => {
      await local.dispose()
      await meanwhile?.()
      local = make()
      Object.assign(service, await local.start())
    },
    close: async () => {
      engine.release()
      await local.dispose()
      await rm(root, { recursive: true, force: true })
    },
  }
  return service
}

/** Reads a copy of the database of an embedded service, which nobody else may open while it runs. */
export function readServiceDb<T>(dir: string, read: (db: DatabaseSync) => T): T {
  const copy = mkdtempSync(join(tmpdir(), 'mien-copy-'))
  for (const name of ['service.db', 'service.db-wal'])
    if (existsSync(join(dir, name))) copyFileSync(join(dir, name), join(copy, name))
  const db = new DatabaseSync(join(copy, 'service.db'))
  try {
    return read(db)
  } finally {
    db.close()
    rmSync(copy, { recursive: true })
  }
}

/** All files in a folder, which may not exist. */
async function filesIn(dir: string): Promise<string[]> {
  // A folder in it that is removed meanwhile fails the whole list.
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => null)
  if (entries === null) return existsSync(dir) ? filesIn(dir) : []
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

export interface ClusterUnderTest extends ServiceUnderTest {
  db: Database
  /** A folder with SQLite, a bucket with PostgreSQL. */
  storage: BlobStorage
  /** Path of the content of a stored file. */
  storedFile: (blob: string) => string
  /** Another server of the same cluster. It ends with the first one. */
  another: (options?: Partial<ClusterServerOptions>) => Promise<ClusterServerAddress>
}

/** A server of a cluster, and one worker. */
export async function clusterService(
  kind: Database['kind'],
  options: Partial<ClusterServerOptions> & { engine?: SteadyEngine; workers?: number } = {},
): Promise<ClusterUnderTest> {
  const root = await mkdtemp(join(tmpdir(), 'mien-contract-'))
  const engine = options.engine ?? new SteadyEngine()
  const dir = join(root, 'server')
  const logged: string[] = []
  const log = (message: string): void => {
    logged.push(message)
  }
  const url = kind === 'postgres' ? await (await sharedPostgres()).createDatabase() : join(root, 'cluster.db')
  const open = (): Database => (kind === 'postgres' ? openPostgres(url, log) : openSqlite(url))
  let db = open()
  const { storage, storedFile, stored, closeStorage } = await openPlace(kind, join(root, 'storage'))
  await storage.check()
  let workers: Worker[] = []
  const make = (more: Partial<ClusterServerOptions> = {}): ClusterServer =>
    new ClusterServer({
      ...{ db, storage, dir, log, address: '127.0.0.1', port: 0, tls: null, wrongKeysPerMinute: 1000 },
      sentence: (error) => `It says: ${error.code}.`,
      requestsPerSecond: Infinity,
      ...options,
      ...more,
    })
  const startWorkers = (): void => {
    workers = Array.from({ length: options.workers ?? 1 }, (_, n) => {
      const [queue, free] = [new WorkQueue(db), freeBytes]
      const id = { id: randomUUID(), engine: 'steady', host: 'test' }
      const often = { beatMs: 50, previewMs: 50 }
      return new Worker({
        ...{ id, queue, storage, engine, log, free, fetch, ...often },
        dir: join(root, `worker-${String(n)}`),
      })
    })
    for (const worker of workers) worker.start()
  }
  let servers = [make()]
  const first = await servers[0]?.start()
  if (!first?.adminKey) throw new Error('no key')
  startWorkers()
  const end = async (): Promise<void> => {
    // Not `dispose`, which leaves swaps that a busy machine hasn't put back after three seconds to the next attempt.
    await Promise.all([...servers.map((each) => each.dispose()), ...workers.map((each) => each.drain())])
  }
  const service: ClusterUnderTest = {
    name: `cluster on ${kind}`,
    ...{
      baseUrl: first.baseUrl,
      adminToken: first.adminKey,
      ...common(root, () => service),
      engine,
      dir,
      logged,
      storage,
      storedFile,
      db,
    },
    files: async () => {
      await removeDropped(db, storage)
      return (await stored()).concat(await filesIn(join(dir, 'uploads')))
    },
    filesOf: async (objectId) => (await filesOf(db, objectId)).map(({ name }) => name).sort(),
    restart: async ({ meanwhile } = {}) => {
      await end()
      await meanwhile?.()
      await db.close()
      db = open()
      const server = make()
      servers = [server]
      Object.assign(service, { db, baseUrl: (await server.start()).baseUrl })
      startWorkers()
    },
    another: async (more) => {
      const server = make({ dir: join(root, `server-${String(servers.length)}`), ...more })
      servers.push(server)
      return server.start()
    },
    close: async () => {
      engine.release()
      await end()
      await db.close()
      await closeStorage()
      await rm(root, { recursive: true, force: true })
    },
  }
  return service
}

interface Place extends Pick<ClusterUnderTest, 'storage' | 'storedFile'> {
  /** All that is stored. */
  stored: () => Promise<string[]>
  closeStorage: () => Promise<void>
}

/** A folder, or a bucket on a real S3 server. */
async function openPlace(kind: Database['kind'], dir: string): Promise<Place> {
  if (kind === 'sqlite') {
    return {
      storage: openStorage(dir, {}),
      storedFile: (blob) => join(dir, blob.slice(0, 2), blob),
      stored: () => filesIn(dir),
      closeStorage: () => Promise.resolve(),
    }
  }
  const server = await S3Server.start(dir)
  return {
    storage: openStorage(server.address('mien'), server.env),
    storedFile: (blob) => server.file(`mien/${blob.slice(0, 2)}/${blob}`),
    stored: () => server.keys(),
    closeStorage: () => server.close(),
  }
}

export interface OpenOptions {
  engine?: SteadyEngine
  freeBytes?: FreeBytes
  headersMs?: number
  /** Absent: any number. Undefined: as usual. */
  requestsPerSecond?: number | undefined
}

/** The services that the whole suite runs on. */
export const services: readonly (readonly [string, (options?: OpenOptions) => Promise<ServiceUnderTest>])[] = [
  ['the embedded service', embeddedService],
  ...(hasPostgres
    ? [['a server on PostgreSQL and a bucket', (options?: OpenOptions) => clusterService('postgres', options)] as const]
    : []),
]

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer) // no encoding is set
  return Buffer.concat(parts)
}

/**
 * A service of another context: the same work behind a path prefix, another key header, the other spellings
 * only, its JSON inside `{code, msg, data}` with lower-case records, and errors as 200 with a code inside.
 */
export async function dialectService(): Promise<ServiceUnderTest> {
  const service = await embeddedService()
  const keyHeader = 'X-Studio-Key'
  const prefix = '/api/face'
  const spellings = new Map([
    ['/v1/faceswap_openapi/create', '/v1/faceswap-openapi/create'],
    ['/v1/faceswap_openapi/listbyids', '/v1/faceswap-opanpai/listbyids'],
  ])
  const wrong = [...spellings.values(), '/v1/faceswap-openapi/listbyids']
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const url = new URL(incoming.url ?? '/', 'http://x')
      const path = url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length) : '/nowhere'
      const own = baseUrl.slice(0, -1)
      const sent = await readAll(incoming)
      const isJson = incoming.headers['content-type'] === 'application/json'
      const body = isJson ? sent.toString('utf8').replaceAll(own, service.baseUrl) : new Uint8Array(sent)
      const headers: Record<string, string> = {}
      for (const name of ['content-type', 'x-admin-token', 'idempotency-key', 'range', 'if-range'])
        if (typeof incoming.headers[name] === 'string') headers[name] = incoming.headers[name]
      const key = incoming.headers[keyHeader.toLowerCase()]
      if (typeof key === 'string') headers['X-Service-Apikey'] = key
      const target = wrong.includes(path) ? '/nowhere' : (spellings.get(path) ?? path)
      const method = incoming.method ?? 'GET'
      const answer = await fetch(service.baseUrl + target + url.search, {
        method,
        headers,
        ...(sent.length > 0 ? { body } : {}),
      })
      const type = answer.headers.get('content-type') ?? ''
      if (!type.includes('json') || [404, 405].includes(answer.status) || path === '/v1/capabilities') {
        const passed = [...answer.headers].filter(([name]) => name !== 'connection' && name !== 'transfer-encoding')
        outgoing.writeHead(answer.status, Object.fromEntries(passed)).end(Buffer.from(await answer.arrayBuffer()))
        return
      }
      const text = (await answer.text())
        .replaceAll(service.baseUrl, own)
        .replaceAll('"Footage":', '"footage":')
        .replaceAll('"Video":', '"video":')
        .replaceAll('"objectID":', '"objectId":')
      const code = answer.ok ? 0 : answer.status * 100 + 1
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.end(
        `{"code":${String(code)},"msg":"${answer.ok ? 'ok' : 'It was refused.'}","data":${answer.ok ? text : 'null'}}`,
      )
    })()
  })
  const baseUrl = `http://127.0.0.1:${await listen(server)}${prefix}/`
  return {
    ...service,
    name: 'service with another dialect',
    baseUrl,
    keyHeader,
    client: (key, more) => service.client(key, { baseUrl, keyHeader, adminToken: service.adminToken, ...more }),
    close: async () => {
      await close(server)
      await service.close()
    },
  }
}

/**
 * Uploads a face and a video with these texts, and creates their swap.
 * @param change of what is asked for; `face` is the text of the face, `name` that of the video's file
 * @returns its object id
 */
export async function makeSwap(
  service: ServiceUnderTest,
  client: ServiceClient,
  video: string,
  { face = 'a face', name = 'clip.mp4', ...change }: Partial<CreateInput> & { face?: string; name?: string } = {},
): Promise<string> {
  const imageUrl = await client.uploadAsset(await service.file('face.jpg', face), 'face.jpg')
  const videoUrl = await client.uploadAsset(await service.file('clip.mp4', video), name)
  const input = { title: video, imageUrl, videoUrl, durationMs: null, idempotencyKey: randomUUID() }
  const outcome = await client.create({ ...input, ...change })
  if (outcome.kind !== 'created') throw new Error(JSON.stringify(outcome))
  return outcome.objectId
}

/** Asks until `wanted`, as a watcher would; fails when it hangs. */
export async function until<T>(ask: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  const end = Date.now() + 50_000
  for (;;) {
    const value = await ask()
    if (wanted(value)) return value
    if (Date.now() > end) throw new Error(`It did not come to that: ${JSON.stringify(value).slice(0, 500)}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
