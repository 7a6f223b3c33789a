/** @file A server or a worker of the cluster bench, in a process of its own. Its options are JSON in the first argument. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freeBytes } from '../../../src/main/machine/disk/files.ts'
import { ClusterServer } from '../../../src/main/service/http/cluster-server.ts'
import { openPostgres } from '../../../src/main/service/cluster/database/postgres.ts'
import { openStorage } from '../../../src/main/cli/server/open-storage.ts'
import { Worker } from '../../../src/main/service/cluster/worker/worker.ts'
import { WorkQueue } from '../../../src/main/service/cluster/work-queue.ts'
import type { ProcessOptions, Ready } from './processes.ts'
import { StepClock } from './step-times.ts'
import { TimedEngine } from './timed-engine.ts'

const options = JSON.parse(process.argv[2] ?? '') as Omit<ProcessOptions, 'environment'>
const { role, database, dir, engineMs } = options
mkdirSync(dir, { recursive: true })
const log = (message: string, error?: unknown): void => {
  if (process.env['MIEN_CLUSTER_LOG'] !== undefined) console.error(role, process.pid, message, error ?? '')
}
const db = openPostgres(database, log)
const storage = openStorage(options.storage, process.env)
await storage.check()
const ready: Ready = { baseUrl: null, adminKey: null }
if (role === 'server') {
  const server = new ClusterServer({ db, storage, dir, address: '127.0.0.1', port: 0, tls: null, log })
  Object.assign(ready, await server.start())
} else {
  const id = { id: randomUUID(), engine: 'timed', host: 'bench' }
  const clock = new StepClock()
  const queue = clock.watch('database', new WorkQueue(db))
  const engine = clock.watch('engine', new TimedEngine(engineMs))
  const watched = clock.watch('storage', storage)
  const worker = new Worker({ id, queue, storage: watched, engine, dir, log, fetch, free: freeBytes })
  worker.start()
  process.once('SIGTERM', () => {
    writeFileSync(join(dir, 'steps.json'), JSON.stringify(clock.swaps))
    process.exit()
  })
}
process.stdout.write(`${JSON.stringify(ready)}\n`)
