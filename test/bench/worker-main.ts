/**
 * @file A worker with the real engine in a process of its own, on the cluster in `MIEN_WORKER_DIR` (SQLite). Writes each
 * line as JSON on stdout: what it lists in the database, and its log.
 */
import { join } from 'node:path'
import { app } from 'electron'
import { freeBytes } from '../../src/main/machine/disk/files.ts'
import { EngineHost } from '../../src/main/engine/host/engine-host.ts'
import { registerSchemes } from '../../src/main/pages/app-protocol.ts'
import { openSqlite } from '../../src/main/service/cluster/database/sqlite.ts'
import { WorkQueue } from '../../src/main/service/cluster/work-queue.ts'
import { Worker } from '../../src/main/service/cluster/worker/worker.ts'
import { Cluster } from '../fixtures/cluster.ts'

const { MIEN_BENCH_OUT: out = '', MIEN_BENCH_MODELS: modelsDir = '', MIEN_WORKER_DIR: dir = '' } = process.env
const { MIEN_WORKER_NAME: name = '' } = process.env

const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

registerSchemes()
// Root on a test machine runs with --no-sandbox, which contradicts this.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()

class TellingQueue extends WorkQueue {
  override async report(...[lease, report]: Parameters<WorkQueue['report']>): Promise<boolean> {
    const isOurs = await super.report(lease, report)
    if (report.files) say({ swap: lease.job.objectId, listed: report.files.map((file) => file.name) })
    return isOurs
  }

  override async complete(...[lease, result, files]: Parameters<WorkQueue['complete']>): Promise<boolean> {
    const isOurs = await super.complete(lease, result, files)
    say({ swap: lease.job.objectId, completed: isOurs })
    return isOurs
  }

  override fail(...[lease, error]: Parameters<WorkQueue['fail']>): Promise<void> {
    say({ swap: lease.job.objectId, failed: error })
    return super.fail(lease, error)
  }
}

function main(): void {
  const engine = new EngineHost({
    rendererDir: join(out, 'renderer'),
    modelsDir,
    preload: join(out, 'preload/engine.cjs'),
    log: (line) => {
      say({ log: line })
    },
  })
  const cluster = new Cluster(openSqlite(join(dir, 'cluster.db')), dir)
  const worker = new Worker({
    id: { id: name, engine: 'one', host: 'test' },
    dir: join(dir, name),
    ...{
      queue: new TellingQueue(cluster.db),
      storage: cluster.storage,
      engine,
      fetch: globalThis.fetch,
      free: freeBytes,
    },
    log: (message, error) => {
      say({ log: message, error: String(error) })
    },
  })
  worker.start()
  process.stdin.resume().on('end', () => {
    app.exit(0)
  })
}

app.on('window-all-closed', () => undefined)
void app.whenReady().then(main)
