/** @file The queue of a cluster on both databases: attempts, turns, crashes, versions of the engine. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Database } from '../../../../../src/main/service/cluster/database/database.ts'
import { setLimits } from '../../../../../src/main/service/cluster/creators.ts'
import { migrateTables } from '../../../../../src/main/service/cluster/database/schema.ts'
import { SwapTable } from '../../../../../src/main/service/cluster/swap-table.ts'
import { filesOf, WorkQueue, type Lease, type SwapFile } from '../../../../../src/main/service/cluster/work-queue.ts'
import type { Job } from '../../../../../src/main/service/cluster/job.ts'
import { makeJob } from '../../../../fixtures/cluster.ts'
import { databases, endAttempts, endWaits, makeResult, waitOf } from '../../../../fixtures/cluster-database.ts'
import { openLocked, sqliteDatabase } from '../../../../../src/main/service/cluster/database/sqlite.ts'
import { FolderStorage } from '../../../../../src/main/service/cluster/storage/folder-storage.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'

const worker = (id: string, engine = 'v1') => ({ id, engine, host: 'test' })
const saved = { frames: 5, framesTotal: 20, savedMs: 200 }
const file = (name: string): SwapFile => ({ name, blob: `blob of ${name}`, size: 1 })

describe.each(databases)('the queue on %s', (_name, open) => {
  let db: Database
  let queue: WorkQueue
  let swaps: SwapTable

  beforeEach(async () => {
    db = await open()
    queue = new WorkQueue(db)
    const storage = new FolderStorage(tempDir())
    swaps = new SwapTable({ db, storage })
  })
  afterEach(() => db.close())

  const add = async (change: Partial<Job> = {}): Promise<Job> => {
    const job = makeJob(change)
    await swaps.add(job, null, 'hash', null)
    return job
  }
  const claim = async (id = 'w1', engine?: string): Promise<Lease> => {
    const lease = await queue.claim(worker(id, engine))
    if (!lease) throw new Error('nothing to claim')
    return lease
  }
  const rowOf = async (objectId: string) =>
    (await db.query('SELECT * FROM swaps WHERE object_id = $1', [objectId]))[0] ?? {}
  const errorOf = async (objectId: string): Promise<unknown> => JSON.parse(String((await rowOf(objectId))['error']))
  /** Names of files that nothing needs any more. */
  const dropped = async (): Promise<unknown[]> =>
    (await db.query('SELECT blob FROM dropped_blobs ORDER BY blob')).map((row) => row['blob'])

  it('fails a swap whose video is too much for the minutes of the day, also of swaps that began together', async () => {
    await setLimits(db, '1', { swapsPerDay: null, minutesPerDay: 1, bytes: null })
    for (let n = 0; n < 3; n += 1) await add({ userId: '1' })
    const other = await add({ userId: '2' })
    const leases = [await claim(), await claim(), await claim(), await claim()]
    const footage = { width: 1, height: 1, durationMs: 40_000, frames: 1, hasCover: false }
    const may = await Promise.all(leases.map((lease) => queue.report(lease, { footage })))
    const failed = leases.filter((_, at) => !may[at])
    expect(failed).toHaveLength(1)
    expect(failed[0]?.job.objectId).not.toBe(other.objectId)
    const { objectId = '' } = failed[0]?.job ?? {}
    expect(await rowOf(objectId)).toMatchObject({ status: 'failed', footage: null })
    const error = { code: 'quota-reached', details: { quota: 'minutes', limit: 1, used: 2 } }
    expect(await errorOf(objectId)).toMatchObject(error)
    // What was counted once goes on.
    const [first] = leases.filter((_, at) => may[at])
    if (!first) throw new Error('none may go on')
    expect(await queue.report(first, { footage: { ...footage, hasCover: true } })).toBe(true)
  })

  it('gives each swap to one of eight workers that claim at the same time', async () => {
    for (let n = 0; n < 40; n += 1) await add({ userId: String(n % 3) })
    const taken = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const mine: Lease[] = []
        for (;;) {
          const lease = await queue.claim(worker(`w${String(n)}`))
          if (!lease) return mine
          mine.push(lease)
        }
      }),
    )
    const all = taken.flat()
    expect(new Set(all.map(({ job }) => job.objectId)).size).toBe(40)
    expect(all.map(({ attempt }) => attempt)).toEqual(all.map(() => 1))
  })

  it.each([1, 4])('lets a single swap beside %i batches wait for at most one swap of each', async (count) => {
    for (let batch = 0; batch < count; batch += 1)
      for (let n = 0; n < 5; n += 1) await add({ userId: `batch ${String(batch)}` })
    for (let n = 0; n < 2 * count; n += 1) await claim()
    await add({ userId: 'single' })
    const users: string[] = []
    while (!users.includes('single')) users.push((await claim()).job.userId)
    expect(users.length).toBeLessThanOrEqual(count + 1)
  })

  it('gives each of three creators every third turn', async () => {
    for (const userId of ['a', 'b', 'c']) for (let n = 0; n < 3; n += 1) await add({ userId })
    const users: string[] = []
    for (let n = 0; n < 9; n += 1) users.push((await claim()).job.userId)
    for (let n = 0; n < 9; n += 3) expect(users.slice(n, n + 3).sort()).toEqual(['a', 'b', 'c'])
  })

  it('gives a swap of a silent worker to another, with what was stored, and refuses the first worker', async () => {
    const { objectId } = await add()
    const first = await claim('w1')
    expect(await queue.report(first, { saved, files: [file('work/segment-0000.bin')] })).toBe(true)
    expect(await queue.claim(worker('w2'))).toBeNull()
    await endAttempts(db)
    const second = await claim('w2')
    expect(second).toMatchObject({ attempt: 2, job: { objectId, saved }, files: [file('work/segment-0000.bin')] })
    expect(await queue.report(first, { saved: { ...saved, frames: 19 }, files: [file('work/late.bin')] })).toBe(false)
    expect(await queue.complete(first, makeResult(), [file('result/output.mp4')])).toBe(false)
    await queue.fail(first, { code: 'not-a-video', details: {} })
    await queue.release(first, { isCrash: true })
    expect(await rowOf(objectId)).toMatchObject({ status: 'processing', attempt: 2, tries: 1, worker: 'w2' })
    expect(await filesOf(db, objectId)).toEqual([file('work/segment-0000.bin')])
    expect(await queue.report(second, {})).toBe(true)
  })

  it('takes a result once, also if its answer was lost, and keeps only its files', async () => {
    const { objectId } = await add()
    const lease = await claim()
    await queue.report(lease, { files: [file('work/a'), file('after-1.jpg'), file('footage/cover.jpg')] })
    const result = [file('result/output.mp4'), file('work/b')]
    expect(await queue.complete(lease, makeResult(), result)).toBe(true)
    expect(await queue.complete(lease, makeResult(), result)).toBe(true)
    expect((await filesOf(db, objectId)).map(({ name }) => name)).toEqual(['footage/cover.jpg', 'result/output.mp4'])
    expect(await dropped()).toEqual(['blob of after-1.jpg', 'blob of work/a'])
    expect(await queue.claim(worker('w2'))).toBeNull()
  })

  it('notes the file before when a new version of it is stored, and files that are gone', async () => {
    await add()
    const lease = await claim()
    await queue.report(lease, { files: [{ ...file('work/a'), blob: 'old' }, file('after-1.jpg')] })
    await queue.report(lease, { files: [{ ...file('work/a'), blob: 'new' }], gone: ['after-1.jpg'] })
    await queue.report(lease, { files: [{ ...file('work/a'), blob: 'new' }] })
    expect(await dropped()).toEqual(['blob of after-1.jpg', 'old'])
    expect(await filesOf(db, lease.job.objectId)).toEqual([{ name: 'work/a', blob: 'new', size: 1 }])
  })

  it('keeps work for workers of its engine’s version, until there are none', async () => {
    const { objectId } = await add()
    await queue.report(await claim('w1', 'v1'), { saved, files: [file('work/a')] })
    await endAttempts(db)
    if (db.kind === 'postgres') {
      const next = await add()
      expect((await claim('w2', 'v2')).job.objectId).toBe(next.objectId)
      expect(await queue.claim(worker('w2', 'v2'))).toBeNull()
      const again = await claim('w3', 'v1')
      expect(again).toMatchObject({ attempt: 2, files: [file('work/a')], job: { objectId, saved } })
      await queue.release(again)
      expect(await queue.claim(worker('w2', 'v2'))).toBeNull()
      await db.query(`UPDATE workers SET seen_at = seen_at - 660000 WHERE engine = 'v1'`)
    }
    expect(await claim('w2', 'v2')).toMatchObject({ files: [], job: { objectId, saved: null } })
    expect(await dropped()).toEqual(['blob of work/a'])
  })

  it('waits longer after each crash, and fails a swap at the fifth without progress', async () => {
    await db.jobs.onDeadLetter((objectId) => queue.failOrRetry(objectId))
    const { objectId } = await add()
    for (let crashes = 1; crashes <= 5; crashes += 1) {
      await queue.release(await claim(), { isCrash: true })
      expect(await queue.claim(worker('w1'))).toBeNull()
      if (crashes === 5) break
      const seconds = (await waitOf(db, objectId)) / 1000
      expect(seconds).toBeGreaterThan(0.4 * 2 ** (crashes - 1))
      expect(seconds).toBeLessThanOrEqual(2 ** crashes)
      await endWaits(db)
    }
    await vi.waitFor(async () => expect(await rowOf(objectId)).toMatchObject({ status: 'failed' }), 20_000)
    expect(await errorOf(objectId)).toEqual({ code: 'engine-crashed', details: {} })
  })

  it('counts attempts of silent workers, and begins anew after progress', async () => {
    await db.jobs.onDeadLetter((objectId) => queue.failOrRetry(objectId))
    const { objectId } = await add()
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      const lease = await vi.waitFor(() => claim(), { timeout: 20_000, interval: 100 })
      expect(lease.attempt).toBe(attempt)
      if (attempt === 4) expect(await queue.report(lease, { saved })).toBe(true)
      await endAttempts(db)
    }
    expect(await rowOf(objectId)).toMatchObject({ tries: 4 })
    await claim()
    await endAttempts(db)
    await vi.waitFor(async () => expect(await rowOf(objectId)).toMatchObject({ status: 'failed' }), 20_000)
  })

  it.each<[string, (job: Job) => Promise<unknown>]>([
    ['cancelled', (job) => swaps.cancel(job)],
    ['paused', (job) => swaps.pause(job)],
    ['deleted', (job) => swaps.delete(job, 'key')],
  ])('ends the lease of a swap that is %s', async (_what, change) => {
    const job = await add()
    const lease = await claim()
    await change(job)
    expect(await queue.report(lease, { files: [file('work/a')] })).toBe(false)
    expect(await queue.complete(lease, makeResult(), [])).toBe(false)
    expect(await queue.claim(worker('w2'))).toBeNull()
    expect(await filesOf(db, job.objectId)).toEqual([])
  })

  it('goes on with a paused swap, and with one that was cancelled', async () => {
    const job = await add()
    for (const change of [() => swaps.pause(job), () => swaps.cancel(job)]) {
      await queue.report(await claim(), { files: [file('work/a')] })
      await change()
      expect((await swaps.resume(job)).status).toBe('queued')
    }
    expect(await claim()).toMatchObject({ attempt: 3, files: [file('work/a')] })
  })

  it.each([
    ['its turn', false],
    ['the creator’s next turn if its own has passed and others wait', true],
  ])('gives a swap that is resumed %s', async (_which, others) => {
    const [first, second, third] = [await add(), await add(), await add()]
    for (const job of [first, third]) await swaps.pause(job)
    expect((await claim()).job.objectId).toBe(second.objectId)
    const other = others ? await add({ userId: 'other' }) : null
    for (const job of [third, first]) await swaps.resume(job)
    const order = [await claim(), await claim()]
    if (other) order.push(await claim())
    expect(order.map(({ job }) => job.objectId)).toEqual(
      other ? [other.objectId, third.objectId, first.objectId] : [first.objectId, third.objectId],
    )
  })

  it('does what creators want first', async () => {
    const [first, second, third] = [await add(), await add(), await add()]
    await swaps.reorder([third, first, second])
    const order = [await claim(), await claim(), await claim()].map(({ job }) => job.objectId)
    expect(order).toEqual([third, first, second].map(({ objectId }) => objectId))
  })

  it('uses no clock but the database’s', async () => {
    const { objectId } = await add()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    const lease = await claim('w1')
    expect(await queue.claim(worker('w2'))).toBeNull()
    vi.setSystemTime(Date.now() - 7_200_000)
    expect(await queue.claim(worker('w2'))).toBeNull()
    expect(await queue.report(lease, {})).toBe(true)
    expect(await queue.complete(lease, makeResult(), [])).toBe(true)
    vi.useRealTimers()
    const row = await rowOf(objectId)
    for (const column of ['created_at', 'ended_at'])
      expect(Math.abs(Number(row[column]) - Date.now())).toBeLessThan(120_000)
  })

  it('reads the clock once in a statement', async () => {
    const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)`
    const rows = await db.query(`${numbers} SELECT DISTINCT now_ms() AS time FROM n`)
    expect(rows).toHaveLength(1)
  })

  it('is refused by an older version only if that can’t use the tables', async () => {
    await db.query('INSERT INTO schema_versions (version, oldest) VALUES (98, 1)')
    await migrateTables(db)
    await db.query('INSERT INTO schema_versions (version, oldest) VALUES (99, 99)')
    await expect(migrateTables(db)).rejects.toMatchObject({ code: 'data-newer' })
  })

  it('is set up once by servers that start together', async () => {
    await Promise.all(Array.from({ length: 4 }, () => migrateTables(db)))
    const rows = await db.query('SELECT version FROM schema_versions ORDER BY version')
    expect(rows.map((row) => row['version'])).toEqual([1, 2, 3, 4])
  })

  it('keeps an upload that is used while another swap with it is deleted', async () => {
    const asset = '6a19fd05-f731-4b4a-8a10-c6617f90fee3'
    const insert = () =>
      db.query(
        `INSERT INTO assets (id, user_id, name, blob, size, created_at) VALUES ($1, '1', 'a', 'b', 1, 1)
           ON CONFLICT (id) DO NOTHING`,
        [asset],
      )
    for (let n = 0; n < 10; n += 1) {
      await insert()
      const before = await add({ image: { kind: 'asset', id: asset } })
      const adding = add({ image: { kind: 'asset', id: asset } })
      const [added] = await Promise.allSettled([adding, swaps.delete(before, 'key')])
      const isThere = (await db.query('SELECT id FROM assets')).length === 1
      if (added.status === 'rejected') expect(added.reason).toMatchObject({ code: 'file-missing' })
      expect(isThere).toBe(added.status === 'fulfilled')
      if (added.status === 'fulfilled') await swaps.delete(added.value, 'key')
    }
  })
})

it('gives swaps away, also after a wait, on a computer whose clock is set back, and at once after a restart', async () => {
  const dir = tempDir()
  let now = Date.now()
  const db = sqliteDatabase(openLocked(join(dir, 'service.db')), () => now)
  await migrateTables(db)
  const queue = new WorkQueue(db)
  const job = makeJob()
  await new SwapTable({ db, storage: new FolderStorage(dir) }).add(job, null, 'hash', null)
  now -= 86_400_000
  const lease = await queue.claim(worker('w1'))
  expect(lease?.job.objectId).toBe(job.objectId)
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const crash = async (found: Lease | null): Promise<void> => {
    if (found) await queue.release(found, { isCrash: true })
    now -= 86_400_000
    expect(await queue.claim(worker('w1'))).toBeNull()
  }
  await crash(lease)
  await vi.advanceTimersByTimeAsync(2000)
  const again = await queue.claim(worker('w1'))
  expect(again?.job.objectId).toBe(job.objectId)
  await crash(again)
  vi.useRealTimers()
  await migrateTables(db)
  expect((await queue.claim(worker('w1')))?.job.objectId).toBe(job.objectId)
  await db.close()
})
