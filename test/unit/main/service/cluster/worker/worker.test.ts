import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { MienError } from '@shared/errors.ts'
import { freeBytes } from '../../../../../../src/main/machine/disk/files.ts'
import type { Database, Sql } from '../../../../../../src/main/service/cluster/database/database.ts'
import { openPostgres } from '../../../../../../src/main/service/cluster/database/postgres.ts'
import { openSqlite } from '../../../../../../src/main/service/cluster/database/sqlite.ts'
import { removeDropped } from '../../../../../../src/main/service/cluster/storage/blob-storage.ts'
import { Worker, type WorkerDeps } from '../../../../../../src/main/service/cluster/worker/worker.ts'
import type { EnginePort, SwapJob } from '../../../../../../src/main/engine/host/engine-host.ts'
import type { Job } from '../../../../../../src/main/service/cluster/job.ts'
import { Cluster } from '../../../../../fixtures/cluster.ts'
import { databases, waitOf } from '../../../../../fixtures/cluster-database.ts'
import { close, listen } from '../../../../../fixtures/listen.ts'
import { hasPostgres, PostgresServer, sharedPostgres } from '../../../../../fixtures/postgres.ts'
import { SegmentEngine, type SegmentEngineOptions } from '../../../../../fixtures/segment-engine.ts'
import { tempDir } from '../../../../../fixtures/temp-dir.ts'

const video = 'a video'
const segments = 5
const whole = SegmentEngine.resultOf(Buffer.from(video), segments)

let dir: string
let cluster: Cluster
let logged: string[]
let workers: Worker[]

/** Starts a worker. */
function work(engine: EnginePort, given: Partial<WorkerDeps> = {}): Worker {
  const number = workers.length
  const worker = new Worker({
    id: { id: `worker-${String(number)}`, engine: 'one', host: 'test' },
    dir: join(dir, `worker-${String(number)}`),
    ...{ queue: cluster.queue, storage: cluster.storage, engine, fetch: globalThis.fetch, free: freeBytes },
    log: (message) => logged.push(message),
    ...{ beatMs: 100, previewMs: 100, troubleMs: 100 },
    ...given,
  })
  workers.push(worker)
  worker.start()
  return worker
}

/** Resolves when the engine has to stop. */
const aborted = ({ signal }: SwapJob): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })

/** An engine of this many segments; `onSaved` is called after each. */
const engineOf = (onSaved?: SegmentEngineOptions['onSaved']): SegmentEngine =>
  new SegmentEngine(onSaved ? { segments, onSaved } : { segments })
/** An engine that hangs after a segment. */
const hangingAfter = (last: number): SegmentEngine =>
  engineOf((index, job) => (index === last ? aborted(job) : undefined))

const namesOf = async (job: Job): Promise<string[]> => (await cluster.files(job)).map(({ name }) => name)
const stored = (job: Job, count: number): Promise<void> =>
  vi.waitFor(async () => {
    expect(await namesOf(job)).toContain(`work/segment-${String(count - 1).padStart(4, '0')}.json`)
  })

const becomes = (job: Job, status: string): Promise<void> =>
  vi.waitFor(async () => expect((await cluster.row(job))['status']).toBe(status))

/** The swap is made, and is what an undisturbed run makes. */
async function made(job: Job): Promise<void> {
  await becomes(job, 'completed')
  expect(await cluster.content(job, 'result/output.mp4')).toEqual(whole)
}

/** Files that the swaps don't need any more are gone after a server removed what is no longer listed. */
async function nothingUnlisted(): Promise<void> {
  await removeDropped(cluster.db, cluster.storage)
  expect(await cluster.unlisted()).toEqual([])
}

async function open(db: Database): Promise<void> {
  dir = tempDir()
  logged = []
  workers = []
  cluster = new Cluster(db, dir)
  await cluster.prepare()
}

async function end(): Promise<void> {
  await Promise.all(workers.map((worker) => worker.drain()))
  // Nobody's files stay on this computer, unless its worker is the only one.
  for (const number of workers.keys()) {
    const swaps = join(dir, `worker-${String(number)}`)
    const names = existsSync(swaps) ? readdirSync(swaps) : []
    const kept = cluster.queue.isShared ? new Set() : await cluster.queue.unfinished(names)
    expect(names.filter((name) => !kept.has(name))).toEqual([])
  }
  await cluster.db.close()
}

/** When a worker reported last. */
async function reportedAt(): Promise<number> {
  const [row] = await cluster.db.query('SELECT max(updated_at) AS time FROM swaps')
  return Number(row?.['time'])
}

describe.each(databases)('a worker with %s', (kind, openDb) => {
  beforeEach(async () => {
    await open(await openDb())
  })
  afterEach(end)

  // SQLite has one worker, which keeps its work in its folder.
  const itShared = kind === 'SQLite' ? () => undefined : it

  it('makes a swap', async () => {
    work(engineOf())
    const job = await cluster.add(video)
    await made(job)
    const names = await namesOf(job)
    const result = ['result/audio.m4a', 'result/cover.jpg', 'result/face-0.jpg', 'result/output.mp4']
    expect(names).toEqual(expect.arrayContaining(result))
    expect(names.filter((name) => !result.includes(name) && name !== 'footage/cover.jpg')).toEqual([])
    const row = await cluster.row(job)
    expect(JSON.parse(String(row['result']))).toMatchObject({ hasAudio: true, hasCover: true, frames: 50 })
    expect(row).toMatchObject({ attempt: 1, tries: 0 })
    await nothingUnlisted()
  })

  itShared('goes on where another worker was stopped, with exactly its segments, also the last one', async () => {
    const job = await cluster.add(video)
    const { promise: isSaved, resolve } = Promise.withResolvers<undefined>()
    const first = engineOf(async (index, swap) => {
      if (index === 1) await stored(job, 2)
      if (index < 2) return
      resolve(undefined)
      await aborted(swap)
    })
    const worker = work(first)
    await isSaved
    const segment = await cluster.content(job, 'work/segment-0001.bin')
    await worker.drain()
    const row = await cluster.row(job)
    expect(row).toMatchObject({ status: 'queued', attempt: 1, tries: 0 })
    expect(JSON.parse(String(row['saved']))).toEqual({ frames: 30, framesTotal: 50, savedMs: 3000 })
    expect(await cluster.content(job, 'work/segment-0001.bin')).toEqual(segment)
    const second = engineOf()
    work(second)
    await made(job)
    expect(first.made).toEqual([0, 1, 2])
    expect(second.made).toEqual([3, 4])
    await nothingUnlisted()
  })

  itShared('makes work again that is damaged in the storage', async () => {
    const job = await cluster.add(video)
    const worker = work(hangingAfter(2))
    await stored(job, 3)
    await worker.drain()
    const file = (await cluster.files(job)).find(({ name }) => name === 'work/segment-0001.bin')
    if (!file) throw new Error('the segment is not listed')
    appendFileSync(cluster.pathOf(file), 'damage')
    const second = engineOf()
    work(second)
    await made(job)
    // The segment after it follows from the same frames, so it is still good.
    expect(second.made).toEqual([1, 3, 4])
  })

  itShared('stops when the user pauses, cancels or deletes the swap, and goes on with its work', async () => {
    const engines = [hangingAfter(0), hangingAfter(1), engineOf()]
    let used = -1
    const swap: EnginePort['swap'] = (job) => {
      used += 1
      return (engines[used] ?? engineOf()).swap(job)
    }
    work({ swap })
    const job = await cluster.add(video)
    await stored(job, 1)
    await cluster.swaps.pause(job)
    const other = await cluster.add('another video')
    await stored(other, 2)
    await cluster.swaps.delete(other, '1')
    const third = await cluster.add(video)
    await made(third)
    expect((await cluster.row(job))['status']).toBe('queued')
    await cluster.swaps.cancel(job)
    await cluster.swaps.resume(await cluster.swaps.cancel(job))
    const last = engineOf()
    engines[3] = last
    await made(job)
    expect(last.made).toEqual([1, 2, 3, 4])
    expect(await cluster.files(other)).toEqual([])
  })

  itShared('keeps the swap while the storage fails, and stores everything afterwards', async () => {
    const job = await cluster.add(video)
    const engine = engineOf(async (index) => {
      if (index === 0) await stored(job, 1)
      if (index !== 1) return
      cluster.storage.isDown = true
      await vi.waitFor(() => expect(cluster.storage.failed).toBeGreaterThan(0))
      const before = await reportedAt()
      await vi.waitFor(async () => expect(await reportedAt()).toBeGreaterThan(before))
      cluster.storage.isDown = false
    })
    work(engine)
    await made(job)
    expect(engine.made).toEqual([0, 1, 2, 3, 4])
    expect(await cluster.row(job)).toMatchObject({ attempt: 1 })
  })

  itShared('puts the swap back when the storage fails for too long, and makes it later', async () => {
    const job = await cluster.add(video)
    const engine = engineOf(async (index, swap) => {
      if (index === 0) await stored(job, 1)
      if (index !== 1 || cluster.storage.failed > 0) return
      cluster.storage.isDown = true
      await aborted(swap)
    })
    work(engine, { patienceMs: 400 })
    await vi.waitFor(async () => {
      expect(cluster.storage.isDown).toBe(true)
      expect(await cluster.row(job)).toMatchObject({ status: 'queued', tries: 0 })
    })
    cluster.storage.isDown = false
    await made(job)
    expect(engine.made).toEqual([0, 1, 1, 2, 3, 4])
  })

  it('retries after a crash of the engine, and puts the swap back after three without progress', async () => {
    const job = await cluster.add(video)
    let asked = 0
    const engine = engineOf()
    const swap: EnginePort['swap'] = async (given) => {
      asked += 1
      if (asked <= 2 || asked === 4) throw new MienError('engine-crashed', { reason: 'killed' })
      if (asked === 3) {
        const begun = engineOf((index) => {
          if (index === 1) throw new MienError('engine-crashed', { reason: 'killed' })
        })
        return begun.swap(given)
      }
      return engine.swap(given)
    }
    work({ swap })
    await made(job)
    expect([asked, engine.made]).toEqual([5, [2, 3, 4]])
    expect(await cluster.row(job)).toMatchObject({ attempt: 1 })

    const broken = await cluster.add('another video')
    let failed = 0
    engine.swap = async (given) => {
      if (failed === 3) await aborted(given)
      failed += 1
      throw new MienError('engine-failed')
    }
    await vi.waitFor(async () =>
      expect(await cluster.row(broken)).toMatchObject({ status: 'processing', attempt: 2, tries: 2 }),
    )
    expect(failed).toBe(3)
  })

  itShared('is not given a swap behind one that is getting another turn', async () => {
    const [first] = [await cluster.add(video), await cluster.add('another video')]
    const turn = Number((await cluster.row(first))['turn'])
    const { claimed } = await cluster.db.transaction(async (sql) => {
      await cluster.db.jobs.lockOrder(sql)
      await cluster.db.jobs.update(sql, { objectId: first.objectId, turn })
      const claim = cluster.queue.claim({ id: 'worker', engine: 'one', host: 'test' })
      // Long enough for a claim that doesn't wait.
      await Promise.race([claim, delay(500)])
      return { claimed: claim }
    })
    expect((await claimed)?.job.objectId).toBe(first.objectId)
  })

  it('fails a swap for its own errors only', async () => {
    const [none, gone] = [await cluster.add('NOVIDEO'), await cluster.add(video)]
    const [upload] = await cluster.db.query(
      'SELECT a.blob FROM assets a JOIN asset_uses u ON u.asset_id = a.id WHERE u.object_id = $1',
      [gone.objectId],
    )
    await cluster.storage.remove(String(upload?.['blob']))
    const full = await cluster.add('a third video')
    const engine = engineOf()
    work({
      swap: async (job) => {
        if (job.id === full.objectId) throw new MienError('disk-full')
        return engine.swap(job)
      },
    })
    await becomes(none, 'failed')
    await becomes(gone, 'failed')
    expect(JSON.parse(String((await cluster.row(none))['error']))).toMatchObject({ code: 'not-a-video' })
    expect(JSON.parse(String((await cluster.row(gone))['error']))).toMatchObject({ code: 'file-missing' })
    await vi.waitFor(async () => {
      const row = await cluster.row(full)
      expect(row).toMatchObject({ status: 'queued', tries: 0, error: null })
      // It waits for a minute.
      expect(await waitOf(cluster.db, full.objectId)).toBeGreaterThan(50_000)
    })
    expect(logged.join()).toContain('the disk of this computer is full')
  })

  it('stores previews, and keeps the two newest', async () => {
    const job = await cluster.add(video)
    const frames: number[] = []
    const engine = engineOf(async (index) => {
      if (index > 2) return
      await vi.waitFor(async () => {
        const live: unknown = JSON.parse(String((await cluster.row(job))['live']))
        expect(live).toMatchObject({ previewFrame: 10 * index })
      })
      frames.push(10 * index)
      const names = (await namesOf(job)).filter((name) => /^(?:be|af)/.test(name))
      const kept = frames.slice(-2)
      expect(names.toSorted()).toEqual(
        kept.flatMap((frame) => [`after-${String(frame)}.jpg`, `before-${String(frame)}.jpg`]).toSorted(),
      )
    })
    work(engine)
    await made(job)
    await nothingUnlisted()
    expect((await cluster.content(job, 'footage/cover.jpg'))?.toString()).toBe('before 0')
    const footage: unknown = JSON.parse(String((await cluster.row(job))['footage']))
    expect(footage).toEqual({ width: 320, height: 180, durationMs: 5000, frames: 50, hasCover: true })
  })

  itShared('keeps inputs from the web, whose address may expire', async () => {
    let asked = 0
    const server = createServer((_request, response) => {
      asked += 1
      response.setHeader('content-type', 'video/mp4').end(video)
    })
    const url = `http://127.0.0.1:${String(await listen(server))}/clip.mp4`
    onTestFinished(() => close(server))
    const job = await cluster.add({ kind: 'web', url })
    const worker = work(hangingAfter(1))
    await stored(job, 2)
    await vi.waitFor(async () => expect(await namesOf(job)).toContain('work/input-video'))
    await worker.drain()
    const second = engineOf()
    work(second)
    await made(job)
    expect(second.made).toEqual([2, 3, 4])
    expect(asked).toBe(1)
  })

  it('removes what a killed process left', async () => {
    const left = join(dir, 'worker-0', 'old', 'work')
    mkdirSync(left, { recursive: true })
    writeFileSync(join(left, 'output.mp4'), 'old')
    work(engineOf())
    await vi.waitFor(() => expect(existsSync(left)).toBe(false))
  })
})

describe('the worker of this computer, whose disk is full', () => {
  /** Which statements don't fit. */
  let isFull: (statement: string) => boolean
  const local = { failsAlways: true, emptyMs: 60_000 }

  beforeEach(async () => {
    isFull = () => false
    const db = openSqlite(join(tempDir(), 'cluster.db'))
    const fitting = (sql: Sql): Sql => ({
      query: async (statement, values) => {
        // As node:sqlite says it.
        if (isFull(statement)) throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
        return sql.query(statement, values)
      },
    })
    await open({
      ...{ ...db, ...fitting(db) },
      transaction: (doing, options) => db.transaction((sql) => doing(fitting(sql)), options),
    })
  })
  afterEach(end)

  it('makes a swap that could not be taken, and one whose end could not be written, when there is space', async () => {
    isFull = (statement) => statement.includes("SET status = 'processing'")
    const job = await cluster.add(video)
    work(engineOf(), local)
    await vi.waitFor(() => expect(logged).toContain('no swap could be leased'))
    isFull = (statement) =>
      statement.includes("SET status = 'completed'") || statement.includes("SET status = 'failed'")
    await vi.waitFor(() => expect(logged.join()).toContain(`${job.objectId}, lease 1 failed: disk-full`))
    expect(await cluster.row(job)).toMatchObject({ status: 'processing' })
    // Another one is made meanwhile.
    const other = await cluster.add(video)
    isFull = () => false
    await Promise.all([made(other), made(job)])
  })

  it('fails a swap whose result does not fit, keeps its work, and resumes it at once', async () => {
    isFull = (statement) => statement.includes("SET status = 'completed'")
    const job = await cluster.add(video)
    const engine = engineOf()
    work(engine, local)
    await becomes(job, 'failed')
    expect(await cluster.row(job)).toMatchObject({ error: '{"code":"disk-full","details":{}}' })
    const second = await cluster.add(video)
    isFull = () => false
    await cluster.swaps.resume(job)
    await Promise.all([made(job), made(second)])
    expect(engine.made).toEqual([...Array(segments).keys(), ...Array(segments).keys()])
  })

  it('deletes what fills it', async () => {
    const job = await cluster.add(video)
    const uploads = await cluster.db.query('SELECT blob FROM assets')
    const isThere = (): boolean => uploads.some((row) => existsSync(cluster.storage.pathOf(String(row['blob'])) ?? ''))
    isFull = (statement) => statement.includes('deleted_at = ') && isThere()
    expect([uploads.length, isThere()]).toEqual([2, true])
    await cluster.swaps.delete(job, 'key')
    expect(isThere()).toBe(false)
    expect((await cluster.row(job))['deleted_at']).not.toBeNull()
  })
})

describe.runIf(hasPostgres)('a worker whose PostgreSQL restarts (on Linux only)', () => {
  afterEach(end)

  it('goes on with the same lease', async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.stop())
    await open(openPostgres(server.url, () => undefined))
    const job = await cluster.add(video)
    const engine = engineOf(async (index) => {
      if (index === 1) await server.restart()
      if (index === 3) {
        await stored(job, 4)
        await server.kill()
        await server.launch()
      }
    })
    work(engine)
    await made(job)
    expect(engine.made).toEqual([0, 1, 2, 3, 4])
    expect(await cluster.row(job)).toMatchObject({ attempt: 1 })
  })
})

describe.runIf(hasPostgres)('a worker whose PostgreSQL has no space (on Linux only)', () => {
  beforeEach(async () => {
    await open(openPostgres(await (await sharedPostgres()).createDatabase(), () => undefined))
    await cluster.db.query(
      `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql
         AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`,
    )
  })
  afterEach(end)

  const fill = () => cluster.db.query('CREATE TRIGGER full_disk BEFORE UPDATE ON swaps EXECUTE FUNCTION full_disk()')
  const makeSpace = () => cluster.db.query('DROP TRIGGER full_disk ON swaps')

  it('keeps its swap, and stores what it has when there is space', async () => {
    const job = await cluster.add(video)
    const engine = engineOf(async (index) => {
      if (index === 1) {
        await stored(job, 2)
        await fill()
      }
      // Longer than between two reports.
      if (index === 3) await delay(500)
      if (index === 4) await makeSpace()
    })
    work(engine)
    await made(job)
    expect(engine.made).toEqual([0, 1, 2, 3, 4])
    expect(await cluster.row(job)).toMatchObject({ attempt: 1, tries: 0 })
  })

  it('takes a swap within seconds when there is space, however long there was none', async () => {
    const job = await cluster.add(video)
    await fill()
    work(engineOf(), { troubleMs: 3_600_000 })
    await vi.waitFor(() => expect(logged).toContain('no swap could be leased'))
    await makeSpace()
    await made(job)
  })
})
