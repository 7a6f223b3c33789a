/** @file A swap's row and its job in the queue never differ, wherever a process that changes them ends. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Database, Sql } from '../../../../../src/main/service/cluster/database/database.ts'
import { openPostgres } from '../../../../../src/main/service/cluster/database/postgres.ts'
import { migrateTables } from '../../../../../src/main/service/cluster/database/schema.ts'
import { FolderStorage } from '../../../../../src/main/service/cluster/storage/folder-storage.ts'
import { SwapTable } from '../../../../../src/main/service/cluster/swap-table.ts'
import { WorkQueue, type Lease } from '../../../../../src/main/service/cluster/work-queue.ts'
import type { Job } from '../../../../../src/main/service/cluster/job.ts'
import { makeJob } from '../../../../fixtures/cluster.ts'
import { endAttempts, makeResult } from '../../../../fixtures/cluster-database.ts'
import { hasPostgres, sharedPostgres } from '../../../../fixtures/postgres.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'

class Killed extends Error {}
const v2 = { id: 'v2', engine: 'v2', host: 'test' }

/** Ends with an error instead of running statement number `at`, and the transaction is undone, as when a process ends. */
function killedAt(db: Database, at: number): Database {
  let statements = 0
  const counting = (sql: Sql): Sql => ({
    query: (statement, values) => {
      statements += 1
      return statements === at ? Promise.reject(new Killed()) : sql.query(statement, values)
    },
  })
  return { ...db, ...counting(db), transaction: (work) => db.transaction((sql) => work(counting(sql))) }
}

describe.runIf(hasPostgres)('a process that ends between any two statements (on Linux only)', () => {
  let db: Database

  beforeAll(async () => {
    db = openPostgres(await (await sharedPostgres()).createDatabase(), () => undefined)
    await migrateTables(db)
  })
  afterEach(() => db.query('TRUNCATE swaps, creators, workers, mien_jobs.job CASCADE'))
  afterAll(() => db.close())

  const swapsOf = (on: Database): SwapTable => new SwapTable({ db: on, storage: new FolderStorage(tempDir()) })
  const add = async (on = db, change: Partial<Job> = {}): Promise<Job> => {
    const job = makeJob(change)
    await swapsOf(on).add(job, null, 'hash', null)
    return job
  }
  const claim = async (on = db, engine = 'v1'): Promise<Lease> => {
    const lease = await new WorkQueue(on).claim({ id: engine, engine, host: 'test' })
    if (!lease) throw new Error('nothing to claim')
    return lease
  }
  const claimed = async (): Promise<Lease> => {
    await add()
    return claim()
  }
  /** Begun by v1, and waiting for it in its group. */
  const handedOver = async (): Promise<void> => {
    const queue = new WorkQueue(db)
    await queue.report(await claimed(), { saved: { frames: 1, framesTotal: 2, savedMs: 40 } })
    await endAttempts(db)
    await queue.claim(v2)
  }

  /** Swaps whose job isn't what their row says. */
  const different = (): Promise<unknown[]> =>
    db.query(
      `SELECT s.object_id, s.status, s.paused, s.engine, array_agg(j.state) AS jobs
         FROM swaps s LEFT JOIN mien_jobs.job j ON j.id = CAST(s.object_id AS uuid) AND j.state < 'completed'
         GROUP BY s.seq
         HAVING count(*) FILTER (WHERE CASE s.status WHEN 'processing' THEN j.state = 'active'
             WHEN 'queued' THEN j.state < 'active' AND s.paused = 0 ELSE FALSE END)
           <> CASE WHEN s.status IN ('queued', 'processing') AND s.paused = 0 THEN 1 ELSE 0 END
           OR count(j.id) > 1 OR (count(j.id) > 0 AND (s.paused = 1 OR s.status NOT IN ('queued', 'processing')))`,
    )

  /** What begins, and what is then done with it. */
  type Case = [name: string, prepare: () => Promise<unknown>, act: (on: Database, prepared: never) => Promise<unknown>]
  const work = (act: (queue: WorkQueue, lease: Lease) => Promise<unknown>) => (on: Database, lease: Lease) =>
    act(new WorkQueue(on), lease)
  const table = (act: (swaps: SwapTable, job: Job) => Promise<unknown>) => (on: Database, job: Job) =>
    act(swapsOf(on), job)

  const running = async (): Promise<Job> => (await claimed()).job
  /** A swap that v1 began, and nobody has. */
  const left = async (): Promise<void> => {
    await claimed()
    await endAttempts(db)
    await db.query(`UPDATE swaps SET status = 'queued'`)
  }
  const ofGoneVersion = async (): Promise<void> => {
    await handedOver()
    await db.query(`UPDATE workers SET seen_at = 0 WHERE id = 'v1'`)
  }
  const afterFive = async (): Promise<Lease> => {
    const lease = await claimed()
    await db.query('UPDATE swaps SET tries = 5')
    return lease
  }
  const two = async (): Promise<Job[]> => [await running(), await add()].toReversed()

  it.each<Case>([
    ['adds a swap', async () => undefined, (on) => add(on)],
    ['takes a swap', () => add(), (on) => claim(on)],
    ['takes a swap that its version began', handedOver, (on) => claim(on)],
    ['leaves a swap to the version that began it', left, (on) => new WorkQueue(on).claim(v2)],
    ['takes a swap of a version that is gone', ofGoneVersion, (on) => claim(on, 'v2')],
    ['reports', claimed, work((queue, lease) => queue.report(lease, { files: [{ name: 'a', blob: 'b', size: 1 }] }))],
    ['completes a swap', claimed, work((queue, lease) => queue.complete(lease, makeResult(), []))],
    ['fails a swap', claimed, work((queue, lease) => queue.fail(lease, { code: 'not-a-video', details: {} }))],
    ['puts a swap back', claimed, work((queue, lease) => queue.release(lease, { waitMs: 10 }))],
    ['puts a swap back after a crash', claimed, work((queue, lease) => queue.release(lease, { isCrash: true }))],
    ['fails a swap at its last crash', afterFive, work((queue, lease) => queue.release(lease, { isCrash: true }))],
    ['pauses a waiting swap', () => add(), table((swaps, job) => swaps.pause(job))],
    ['pauses a running swap', running, table((swaps, job) => swaps.pause(job))],
    ['cancels a running swap', running, table((swaps, job) => swaps.cancel(job))],
    ['deletes a running swap', running, table((swaps, job) => swaps.delete(job, 'key'))],
    ['resumes a swap', async () => swapsOf(db).pause(await add()), table((swaps, job) => swaps.resume(job))],
    ['puts another swap before a running one', two, (on, jobs: Job[]) => swapsOf(on).reorder(jobs)],
  ])('leaves row and job alike when it %s', { timeout: 60_000 }, async (_name, prepare, act) => {
    const prepared = await prepare()
    let at = 1
    for (; ; at += 1) {
      const error: unknown = await act(killedAt(db, at), prepared as never).then(
        () => null,
        (thrown: unknown) => thrown,
      )
      expect(await different()).toEqual([])
      if (error === null) break
      expect(error).toBeInstanceOf(Killed)
    }
    expect(at).toBeGreaterThan(2)
  })

  /** Another process acts after this one has found its swaps. */
  const racing = (act: () => Promise<unknown>): Database => ({
    ...db,
    query: async <T extends object>(...given: Parameters<Database['query']>) => {
      const rows = await db.query<T>(...given)
      await act()
      return rows
    },
  })

  it('leaves a swap that is resumed while it is deleted, because it was cancelled long ago', async () => {
    const job = await add()
    await swapsOf(db).cancel(job)
    await db.query('UPDATE swaps SET ended_at = 0')
    await swapsOf(racing(() => swapsOf(db).resume(job))).deleteOld(0)
    expect(await different()).toEqual([])
    expect((await claim()).job.objectId).toBe(job.objectId)
  })
})

it.runIf(hasPostgres)('an older Mien adds no queue to the tables of a newer one (on Linux only)', async () => {
  const db = openPostgres(await (await sharedPostgres()).createDatabase(), () => undefined)
  await db.query('CREATE TABLE schema_versions (version BIGINT PRIMARY KEY, oldest BIGINT NOT NULL)')
  await db.query('INSERT INTO schema_versions VALUES (99, 99)')
  await expect(migrateTables(db)).rejects.toMatchObject({ code: 'data-newer' })
  expect(await db.query(`SELECT nspname FROM pg_namespace WHERE nspname = 'mien_jobs'`)).toEqual([])
  await db.close()
})
