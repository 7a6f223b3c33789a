/** @file An upgrade: servers and workers of two releases on the tables of the newer one. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freeBytes } from '../../src/main/data/free-bytes.ts'
import type { Database } from '../../src/main/service/cluster/database/database.ts'
import { SqlWorkQueue } from '../../src/main/service/cluster/work-queue.ts'
import { Worker } from '../../src/main/service/cluster/worker/worker.ts'
import type { ServiceClient } from '../../src/main/service-client/service-client.ts'
import { hasPostgres } from '../fixtures/postgres.ts'
import { clusterService, until, type ClusterUnderTest } from './service-under-test.ts'
import { SteadyEngine } from './steady-engine.ts'

const kinds: readonly Database['kind'][] = hasPostgres ? ['sqlite', 'postgres'] : ['sqlite']

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
      ...{ id, queue: new SqlWorkQueue(db), storage, engine, free: freeBytes, fetch, log: () => undefined },
      dir: join(dir, `worker-${release}`),
    })
    worker.start()
    workers.push({ worker, engine })
    return engine
  }
  const create = async (text: string, by = client): Promise<string> => {
    const [imageUrl, videoUrl] = [
      await by.uploadAsset(await service.file('face.jpg', 'a face'), 'face.jpg'),
      await by.uploadAsset(await service.file('clip.mp4', text), 'clip.mp4'),
    ]
    const outcome = await by.create({ title: text, imageUrl, videoUrl, durationMs: null, idempotencyKey: randomUUID() })
    if (outcome.kind !== 'created') throw new Error(JSON.stringify(outcome))
    return outcome.objectId
  }
  const becomes = (id: string, status: string, by = client) =>
    until(
      async () => (await by.fetchTasks([id])).found.get(id),
      (task) => task?.status === status,
    )

  it('leaves old servers and workers at work while new ones start and take over', async () => {
    const old = startWorker('old')
    const begun = await create('HOLD begun')
    await until(
      async () => (await client.fetchTasks([begun])).found.get(begun),
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

  it('refuses to start an old server on tables that it can’t use, and leaves them alone', async () => {
    await migrateToNext((version) => version + 1)
    await expect(service.another()).rejects.toMatchObject({ code: 'data-newer' })
    await expect(service.restart()).rejects.toMatchObject({ code: 'data-newer' })
  })
})
