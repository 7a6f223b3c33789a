/**
 * @file A worker with the real engine in a process of its own, on the PostgreSQL database at `MIEN_WORKER_DATABASE` and the
 * storage in `MIEN_WORKER_DIR`. Writes each line as JSON on stdout: what it lists in the database, and its log.
 */
import { join } from 'node:path'
import { app } from 'electron'
import { freeBytes } from '../../../src/main/machine/disk/files.ts'
import { openPostgres } from '../../../src/main/service/cluster/database/postgres.ts'
import { WorkQueue } from '../../../src/main/service/cluster/work-queue.ts'
import { Worker } from '../../../src/main/service/cluster/worker/worker.ts'
import { Cluster } from '../../fixtures/cluster.ts'
import { createEngine, say, start } from './electron-main.ts'

const { MIEN_WORKER_DIR: dir = '', MIEN_WORKER_NAME: name = '', MIEN_WORKER_DATABASE: url = '' } = process.env

/** Says what it stores. */
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

  override fail(...[lease, error]: Parameters<WorkQueue['fail']>): ReturnType<WorkQueue['fail']> {
    say({ swap: lease.job.objectId, failed: error })
    return super.fail(lease, error)
  }
}

start(() => {
  const log = (message: string, error?: unknown): void => {
    say({ log: message, error: String(error) })
  }
  const { db, storage } = new Cluster(openPostgres(url, log), dir)
  const engine = createEngine((line) => {
    say({ log: line })
  })
  const worker = new Worker({
    id: { id: name, engine: 'one', host: 'test' },
    dir: join(dir, name),
    ...{ queue: new TellingQueue(db), storage, engine, fetch: globalThis.fetch, free: freeBytes },
    log,
  })
  worker.start()
  process.stdin.resume().on('end', () => {
    app.exit(0)
  })
})
