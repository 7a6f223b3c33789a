/** @file An upgrade: servers and workers of two releases on the tables of the newer one. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freeBytes } from '../../src/main/machine/disk/files.ts'
import type { Database } from '../../src/main/service/cluster/database/database.ts'
import { migrateTables } from '../../src/main/service/cluster/database/schema.ts'
import { WorkQueue } from '../../src/main/service/cluster/work-queue.ts'
import { Worker } from '../../src/main/service/cluster/worker/worker.ts'
import type { ServiceClient } from '../../src/main/remote/client/service-client.ts'
import { hasPostgres } from '../fixtures/postgres.ts'
import { clusterService, makeSwap, until, type ClusterUnderTest } from './service-under-test.ts'
import { SteadyEngine } from './steady-engine.ts'

const kinds: readonly Database['kind'][] = hasPostgres ? ['sqlite', 'postgres'] : ['sqlite']

const oldColumns = 'object_id, user_id, request_hash, status, created_at, updated_at, data'

/** Makes the tables what they were before there was a queue. */
async function toVersion2(db: Database): Promise<void> {
  const statements = [
    'DROP INDEX swaps_waiting',
    'ALTER TABLE swaps RENAME COLUMN tries TO crashes',
    'ALTER TABLE swaps ADD COLUMN position BIGINT',
    'ALTER TABLE swaps ADD COLUMN lease_until BIGINT',
    'ALTER TABLE swaps DROP COLUMN turn',
    `CREATE INDEX swaps_waiting ON swaps (user_id, coalesce(position, seq), seq) WHERE status = 'queued'`,
    `CREATE INDEX swaps_running ON swaps (lease_until) WHERE status = 'processing'`,
    'DELETE FROM schema_versions WHERE version > 2',
    ...(db.kind === 'postgres' ? ['DELETE FROM mien_jobs.job'] : []),
  ]
  await db.transaction(async (sql) => {
    for (const statement of statements) await sql.query(statement)
  })
}

describe.each(kinds)('an upgrade on %s', (kind) => {
  let service: ClusterUnderTest
  let key: string
  let client: ServiceClient
  let workers: { worker: Worker; engine: SteadyEngine }[]

  beforeEach(async () => {
    service = await clusterService(kind, { workers: 0 })
    key = (await service.client(null).newKey(1n)).shown
    client = service.client(key)
    workers = []
  })
  afterEach(async () => {
    for (const { worker, engine } of workers) {
      engine.release()
      await worker.dispose()
    }
    await service.close()
  })

  /** What the next release does first: a step that only adds. `oldest`: the version of the tables that it still allows. */
  const migrateToNext = async (oldest: (version: number) => number): Promise<void> => {
    const [row] = await service.db.query('SELECT max(version) AS version FROM schema_versions')
    const version = Number(row?.['version'])
    await service.db.transaction(async (sql) => {
      const tables = ['creators', 'swaps', 'swap_files', 'assets', 'uploads', 'upload_chunks', 'asset_uses', 'workers']
      for (const table of [...tables, 'access_keys', 'audit', 'facts', 'dropped_blobs'])
        await sql.query(`ALTER TABLE ${table} ADD COLUMN of_next_release TEXT NOT NULL DEFAULT 'x'`)
      await sql.query('INSERT INTO schema_versions (version, oldest) VALUES ($1, $2)', [version + 1, oldest(version)])
    })
  }
  const startWorker = (release: string): SteadyEngine => {
    const engine = new SteadyEngine()
    const id = { id: randomUUID(), engine: release, host: 'test' }
    const { db, storage, dir } = service
    const worker = new Worker({
      ...{ id, queue: new WorkQueue(db), storage, engine, free: freeBytes, fetch, log: () => undefined },
      dir: join(dir, `worker-${release}`),
    })
    worker.start()
    workers.push({ worker, engine })
    return engine
  }
  const create = (text: string, by = client): Promise<string> => makeSwap(service, by, text)
  const becomes = (id: string, status: string, by = client) =>
    until(
      async () => (await by.fetchTasks([id])).get(id),
      (task) => task?.status === status,
    )

  const itsOn = kind === 'postgres' ? it : () => undefined
  // With SQLite there is one process.
  itsOn('leaves old servers and workers at work while new ones start and take over', async () => {
    const old = startWorker('old')
    const begun = await create('HOLD begun')
    await until(
      async () => (await client.fetchTasks([begun])).get(begun),
      (task) => task?.work?.framesDone === 10,
    )
    await migrateToNext((version) => version)
    const next = service.client(key, { baseUrl: (await service.another()).baseUrl })
    const fresh = startWorker('next')
    const [byOld, byNext] = [await create('old server'), await create('new server', next)]
    await becomes(byOld, 'succeeded', next)
    await becomes(byNext, 'succeeded')
    // The old worker still has its own swap.
    expect(fresh.swaps.toSorted()).toEqual(['new server', 'old server'])
    old.release()
    await becomes(begun, 'succeeded', next)
    expect(fresh.swaps).not.toContain('HOLD begun')
    await service.client(null).deleteKey({ sk: key })
    await expect(next.fetchTasks([begun])).rejects.toMatchObject({ code: 'key-refused' })
  })

  it('moves open swaps of tables without a queue into it, once, and lets older servers and workers do nothing', async () => {
    const ids = [await create('one'), await create('two'), await create('paused'), await create('begun')]
    const [one = '', two = '', paused = '', begun = ''] = ids
    await client.pause(paused)
    await toVersion2(service.db)
    await service.db.query('UPDATE swaps SET position = 0 WHERE object_id = $1', [two])
    await service.db.query(`UPDATE swaps SET status = 'processing', attempt = 1 WHERE object_id = $1`, [begun])
    await Promise.all([migrateTables(service.db), migrateTables(service.db)])
    if (kind === 'postgres') {
      await expect(
        service.db.query(`INSERT INTO swaps (${oldColumns}) VALUES ('x', '1', '', '', 0, 0, '')`),
      ).rejects.toThrow('turn')
      await expect(service.db.query('UPDATE swaps SET lease_until = 0')).rejects.toThrow('lease_until')
    }
    const queue = new WorkQueue(service.db)
    const taken: string[] = []
    for (let lease; (lease = await queue.claim({ id: 'w', engine: 'e', host: 'h' }));) taken.push(lease.job.objectId)
    expect(taken).toEqual([two, one, begun])
  })

  it('moves swaps out of the queues of engine versions, also begun ones', async () => {
    const [begun, fresh] = [await create('begun'), await create('fresh')]
    const statements = [
      `ALTER TABLE swaps ADD COLUMN queue TEXT NOT NULL DEFAULT 'swaps'`,
      'DELETE FROM schema_versions WHERE version > 3',
      ...(kind === 'postgres' ? ['DELETE FROM mien_jobs.job'] : []),
    ]
    for (const statement of statements) await service.db.query(statement)
    await service.db.query(
      `UPDATE swaps SET status = 'processing', attempt = 1, engine = 'e', queue = 'swaps-e' WHERE object_id = $1`,
      [begun],
    )
    await migrateTables(service.db)
    const queue = new WorkQueue(service.db)
    const taken: string[] = []
    for (let lease; (lease = await queue.claim({ id: 'w', engine: 'e', host: 'h' }));) taken.push(lease.job.objectId)
    expect(taken).toEqual([begun, fresh])
  })

  it('refuses to start an old server on tables that it can’t use, and leaves them alone', async () => {
    await migrateToNext((version) => version + 1)
    await expect(service.another()).rejects.toMatchObject({ code: 'data-newer' })
    await expect(service.restart()).rejects.toMatchObject({ code: 'data-newer' })
  })
})
