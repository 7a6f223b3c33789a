/**
 * @file A cluster under load: two servers and four workers as processes, a real PostgreSQL, an S3 server. The engine is one
 * of known time, so that what is measured is the queue.
 *
 * `--swaps N` (10000), `--kills N` (100), `--seed S`, `--only NAME` (chaos, scaling, overhead, deep, fairness, listing, engine, trouble),
 * `--json`.
 * `--pgbouncer session` or `transaction` puts PgBouncer in that mode between the processes and PostgreSQL, and `--deaf`
 * ends all connections that listen for notifications, ten times a second.
 *
 * - chaos: servers and workers are killed at random, PostgreSQL restarts twice, the storage fails for ten seconds. In the
 *   end each swap must be there once, with the result of an undisturbed one.
 * - scaling: swaps a second with 1, 2, 4 and 8 workers.
 * - overhead: what is added to each swap: the queue's statements, transfers, and the rest; and how long a swap waits for a
 *   worker that has nothing to do.
 * - deep: how long a worker takes to get a swap while 100,000 wait.
 * - fairness: how many swaps of others begin before a single swap does, beside batches of 1,000 from ten creators.
 * - listing: `listbyids` of 50 with 1,000 and with 1,000,000 swaps in the tables.
 * - trouble: the database is away for a minute, its disk is full for a minute, it is restored from a backup.
 * - engine: two `mien worker` with the real engine, one of which is killed; and the processor time of swaps by size.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import { seeded } from '../fault/random.ts'
import { PostgresServer } from '../fixtures/postgres.ts'
import { S3Server } from '../fixtures/s3-server.ts'
import { PgBouncer } from './cluster/pgbouncer.ts'
import { ClusterClient, ClusterProcess } from './cluster/processes.ts'
import { realEngine } from './cluster/real-engine.mjs'
import { resultOf } from './cluster/timed-result.ts'
import { trouble } from './cluster/trouble.mjs'
import { buildEngineMain } from './lib/engine-process.mjs'
import { hasOption, numberOf, report, say, wordsOf, workFolder } from './lib/harness.mjs'
import { median, quantile } from './quality/numbers.mjs'

const [only] = wordsOf('--only')
const wanted = numberOf('--swaps', 10_000)
const kills = numberOf('--kills', 100)
const random = seeded(numberOf('--seed', 1))
const work = workFolder('cluster')
const deadlineMs = 60 * 60_000

/** @param {Buffer | Uint8Array} bytes */
const hashOf = (bytes) => createHash('sha256').update(bytes).digest('hex')

const main = await buildEngineMain(join(work, 'main'), 'test/bench/cluster/main.ts')
const postgres = await PostgresServer.start({ durable: true, settings: { max_connections: '200' } })
const s3 = await S3Server.start(join(work, 's3'))
const [mode] = wordsOf('--pgbouncer')
const bouncer = mode === undefined ? null : await PgBouncer.start(postgres.url, mode)
const listeners = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'`
const deafening = setInterval(() => {
  // The database may be restarting.
  if (hasOption('--deaf')) void postgres.query(listeners).catch(() => undefined)
}, 100)
let processes = 0

/** A cluster on a fresh database. @param {{ servers: number, workers: number, engineMs: number, storage?: string, database?: string }} size */
async function startCluster({ servers, workers, engineMs, storage = s3.address(), ...given }) {
  const database = given.database ?? (await postgres.createDatabase())
  /** @param {'server' | 'worker'} role */
  const make = (role) =>
    new ClusterProcess(main, {
      ...{ role, database: bouncer?.through(database) ?? database, storage, environment: s3.env, engineMs },
      dir: join(work, `process-${String((processes += 1))}`),
    })
  // The first server makes the tables and the administrator's key.
  const first = make('server')
  const { adminKey } = await first.ready
  const all = [first, ...Array.from({ length: servers - 1 }, () => make('server'))]
  all.push(...Array.from({ length: workers }, () => make('worker')))
  await Promise.all(all.map(({ ready }) => ready))
  const addresses = () => all.flatMap(({ baseUrl }) => baseUrl ?? [])
  return {
    database,
    all,
    client: new ClusterClient(addresses, adminKey ?? ''),
    /** @param {string} sql */
    query: (sql) => postgres.query(sql, database),
    /** Starts one more. @param {'server' | 'worker'} role */
    add(role) {
      const next = make(role)
      all.push(next)
      return next
    },
    /** Waits until so many swaps are completed. @param {number} count @param {number} [everyMs] reads all swaps so often */
    async completed(count, everyMs = 100) {
      const done = () => postgres.query(`SELECT count(*) FROM swaps WHERE status = 'completed'`, database)
      while (Number(await done()) < count) await wait(everyMs)
    },
    /** Kills one with SIGKILL, and starts another one of its kind. @param {number} at @param {number} afterMs */
    async replace(at, afterMs) {
      const old = all[at]
      if (!old) return
      await old.kill()
      await wait(afterMs)
      const next = make(old.role)
      all[at] = next
      await next.ready.catch(() => undefined)
    },
    stop: () => Promise.all(all.map((each) => each.kill())),
  }
}

/** A creator with a face and a video at the service. @param {Awaited<ReturnType<typeof startCluster>>} cluster @param {number} [userId] */
async function newCreator({ client }, userId = 1) {
  const creator = await client.newCreator(userId)
  /** @type {[face: string, video: string]} */
  const files = [
    await creator.upload('face.jpg', Buffer.from('a face')),
    await creator.upload('video.mp4', Buffer.from('a video')),
  ]
  return { creator, files }
}

async function chaos() {
  const cluster = await startCluster({ servers: 2, workers: 4, engineMs: 100 })
  const { client } = cluster
  const videos = Array.from({ length: 20 }, (_, number) => Buffer.from(`video ${String(number)} ${'x'.repeat(5000)}`))
  const creators = await Promise.all(Array.from({ length: 5 }, (_, number) => client.newCreator(number + 1)))
  const uploads = await Promise.all(
    creators.map(async (creator) => ({
      face: await creator.upload('face.jpg', Buffer.from('a face')),
      videos: await Promise.all(videos.map((video, at) => creator.upload(`${String(at)}.mp4`, video))),
    })),
  )
  const started = performance.now()
  /** @type {{ creator: number, video: number, objectId: string }[]} */
  const swaps = []
  let killed = 0
  const disturbing = (async () => {
    const events = [...Array.from({ length: kills }, () => 'kill'), ...['database', 'database', 'storage']]
      .map((event) => ({ event, place: random() }))
      .toSorted((a, b) => a.place - b.place)
    for (const { event } of events) {
      await wait(300 + random() * 1200)
      if (event === 'database') await postgres.restart()
      else if (event === 'storage') {
        s3.failing = Infinity
        await wait(10_000)
        s3.failing = 0
      } else {
        killed += 1
        await cluster.replace(Math.floor(random() * cluster.all.length), 100 + random() * 900)
      }
    }
  })()
  let next = 0
  const submitting = Array.from({ length: 8 }, async () => {
    while (next < wanted) {
      const number = next++
      const [at, video] = [number % creators.length, Math.floor(random() * videos.length)]
      const [creator, own] = [creators[at], uploads[at]]
      if (!creator || !own) throw new Error('no creator')
      const objectId = await creator.create(`swap ${String(number)}`, own.face, own.videos[video] ?? '')
      swaps.push({ creator: at, video, objectId })
    }
  })
  await Promise.all(submitting)
  await disturbing
  say(`${String(swaps.length)} swaps submitted, ${String(killed)} processes killed`)
  let failed = 0
  const expected = videos.map((video) => hashOf(resultOf(video)))
  let wrong = 0
  const until = Date.now() + deadlineMs
  /** @type {Set<string>} */
  const done = new Set()
  while (done.size < swaps.length) {
    if (Date.now() > until) throw new Error(`Only ${String(done.size)} swaps ended`)
    for (const [at, creator] of creators.entries()) {
      const open = swaps.filter((swap) => swap.creator === at && !done.has(swap.objectId))
      for (let from = 0; from < open.length; from += 200) {
        const items = await creator.list(open.slice(from, from + 200).map(({ objectId }) => objectId))
        for (const item of items.filter(({ status }) => status === 'completed' || status === 'failed')) {
          const swap = open.find(({ objectId }) => objectId === item.objectId)
          if (!swap) continue
          done.add(item.objectId)
          if (item.status === 'failed') failed += 1
          else if (hashOf(await creator.result(item.objectId)) !== expected[swap.video]) wrong += 1
        }
      }
    }
    await wait(500)
  }
  const seconds = (performance.now() - started) / 1000
  const count = async (/** @type {string} */ sql) => Number(await postgres.query(sql, cluster.database))
  const rows = await count('SELECT count(*) FROM swaps')
  const results = await count(`SELECT count(*) FROM swap_files WHERE name LIKE 'result/output%'`)
  const leases = await count('SELECT sum(attempt) FROM swaps')
  await cluster.stop()
  return {
    ...{ swaps: swaps.length, seconds: Math.round(seconds), killed, failed, wrong },
    lost: swaps.length - results,
    doubled: rows - swaps.length,
    distinct: new Set(swaps.map(({ objectId }) => objectId)).size,
    again: leases - swaps.length,
  }
}

/** @typedef {import('./cluster/step-times.ts').StepTimes} StepTimes */

/**
 * Swaps a second with a number of workers, and what the workers spend their time on.
 * @param {number} workers @param {number} engineMs @param {number} count @param {string} [storage]
 */
async function throughput(workers, engineMs, count, storage = s3.address()) {
  const cluster = await startCluster({ servers: 1, workers: 0, engineMs, storage })
  const { creator, files } = await newCreator(cluster)
  for (let number = 0; number < count; number += 1) await creator.create(`swap ${String(number)}`, ...files)
  const made = Array.from({ length: workers }, () => cluster.add('worker'))
  await Promise.all(made.map(({ ready }) => ready))
  await cluster.completed(count)
  // From the first end to the last one, so that the start of the processes doesn't count.
  const times = (await postgres.query('SELECT ended_at FROM swaps ORDER BY ended_at', cluster.database))
    .split('\n')
    .map(Number)
  const steps = (await Promise.all(made.map((each) => each.steps()))).flatMap((each) => each.slice(1))
  await cluster.stop()
  const from = workers
  const span = (times.at(-1) ?? 0) - (times[from - 1] ?? 0)
  return { perSecond: (count - from) / (span / 1000), steps }
}

/**
 * What is added to a swap of one worker: medians, and the tenth of the swaps that other programs disturbed least.
 * @param {StepTimes[]} steps @param {number} engineMs
 */
const overheadOf = (steps, engineMs) => {
  const parts = {
    databaseMs: steps.map(({ database }) => database),
    storageMs: steps.map(({ storage }) => storage),
    ownMs: steps.map(({ own }) => own),
    engineMs: steps.map(({ engine }) => engine - engineMs),
  }
  const at = (/** @type {number} */ share) =>
    Object.fromEntries(Object.entries(parts).map(([name, each]) => [name, quantile(each, share)]))
  return { median: at(0.5), tenth: at(0.1) }
}

/** How long a swap waits for a worker that has nothing to do: the median. @param {number} count */
async function pickup(count) {
  const cluster = await startCluster({ servers: 1, workers: 0, engineMs: 10 })
  const worker = cluster.add('worker')
  await worker.ready
  const { creator, files } = await newCreator(cluster)
  for (let number = 0; number < count; number += 1) {
    await creator.create(`swap ${String(number)}`, ...files)
    await cluster.completed(number + 1)
    // So that swaps come at any time between two polls.
    await wait(random() * 1000)
  }
  const waits = (await worker.steps()).map(({ waited }) => waited)
  await cluster.stop()
  return { median: median(waits), max: Math.max(...waits) }
}

async function scaling() {
  const engineMs = numberOf('--engine-ms', 500)
  /** @type {Record<string, number>} */
  const perSecond = {}
  for (const workers of [1, 2, 4, 8]) {
    perSecond[String(workers)] = (await throughput(workers, engineMs, workers * 30)).perSecond
    say(`${String(workers)} workers: ${(perSecond[String(workers)] ?? 0).toFixed(2)} swaps a second`)
  }
  const one = perSecond['1'] ?? NaN
  return {
    engineMs,
    perSecond,
    linear: Object.fromEntries(
      Object.entries(perSecond).map(([workers, each]) => [workers, each / (one * Number(workers))]),
    ),
    overheadMs: 1000 / one - engineMs,
  }
}

/** What is added to each swap of one worker. */
async function overhead() {
  const engineMs = numberOf('--engine-ms', 100)
  const count = numberOf('--swaps', 60)
  const inBucket = await throughput(1, engineMs, count)
  const inFolder = await throughput(1, engineMs, count, join(work, 'folder'))
  return {
    bucket: overheadOf(inBucket.steps, engineMs),
    folder: overheadOf(inFolder.steps, engineMs),
    waitedMs: await pickup(numberOf('--pickups', 20)),
  }
}

/** A cluster where so many swaps wait. @param {number} waiting */
async function startDeep(waiting) {
  const cluster = await startCluster({ servers: 1, workers: 0, engineMs: 10 })
  const { creator, files } = await newCreator(cluster)
  const template = await creator.create('the first', ...files)
  await postgres.query(
    `INSERT INTO swaps (object_id, user_id, request_hash, status, turn, created_at, updated_at, data)
       SELECT gen_random_uuid()::text, '1', 'h', 'queued', n + 1, created_at, updated_at, data
         FROM swaps, generate_series(1, ${String(waiting)}) n WHERE object_id = '${template}'`,
    cluster.database,
  )
  await postgres.query(
    `INSERT INTO asset_uses SELECT asset_id, s.object_id FROM asset_uses u, swaps s
       WHERE u.object_id = '${template}' AND s.object_id <> u.object_id`,
    cluster.database,
  )
  const ids = (
    await postgres.query(`SELECT object_id, turn FROM swaps WHERE object_id <> '${template}'`, cluster.database)
  ).split('\n')
  const boss = await new PgBoss({
    connectionString: cluster.database,
    schema: 'mien_jobs',
    supervise: false,
    schedule: false,
  }).start()
  const jobs = ids
    .map((line) => line.split('|'))
    .map(([id = '', turn]) => ({ id, data: { objectId: id }, priority: -Number(turn) }))
  for (let from = 0; from < jobs.length; from += 2000) await boss.insert('swaps', jobs.slice(from, from + 2000))
  // What PostgreSQL does by itself while 100,000 swaps come one after the other.
  for (const statement of ['VACUUM ANALYZE', 'CHECKPOINT']) await postgres.query(statement, cluster.database)
  return { cluster, boss }
}

/** Median and 95th percentile. @param {number[]} times */
const spreadOf = (times) => ({ medianMs: median(times), p95Ms: quantile(times, 0.95) })

/**
 * Takes swaps where 400 wait, then where so many wait: one worker after the other, because on two cores they would wait for
 * each other. Then takes jobs from both with pg-boss alone, which is a statement and its commit.
 */
async function deep() {
  const claims = numberOf('--claims', 200)
  const all = [await startDeep(400), await startDeep(numberOf('--waiting', 100_000))]
  const taken = []
  for (const { cluster } of all) {
    const worker = cluster.add('worker')
    await worker.ready
    await cluster.completed(claims, 3000)
    taken.push(spreadOf((await worker.steps()).slice(1).map(({ claim }) => claim)))
  }
  const [few, many] = taken
  /** @type {[number[], number[]]} */
  const times = [[], []]
  for (let number = 0; number < claims - 1; number += 1)
    for (const [at, { boss }] of all.entries()) {
      const from = performance.now()
      await boss.fetch('swaps')
      times[at]?.push(performance.now() - from)
    }
  for (const { boss, cluster } of all) {
    await boss.stop({ graceful: false })
    await cluster.stop()
  }
  return { ...many, few, ofBoss: { ...spreadOf(times[1]), few: spreadOf(times[0]) } }
}

async function fairness() {
  const [workers, others] = [2, numberOf('--creators', 10)]
  const cluster = await startCluster({ servers: 1, workers, engineMs: 100 })
  const single = await newCreator(cluster)
  await Promise.all(
    Array.from({ length: others }, async (_, at) => {
      const { creator, files } = await newCreator(cluster, at + 2)
      for (let number = 0; number < numberOf('--batch', 1000); number += 1)
        await creator.create(`batch ${String(number)}`, ...files)
    }),
  )
  const begunByOthers = `(SELECT coalesce(sum(attempt), 0) FROM swaps WHERE user_id <> '1')`
  /** @type {number[]} */
  const turns = []
  for (let number = 0; number < 10; number += 1) {
    const begun = Number(await postgres.query(`SELECT ${begunByOthers}`, cluster.database))
    const objectId = await single.creator.create(`single ${String(number)}`, ...single.files)
    for (;;) {
      const [attempt = '0', before = '0'] = (
        await postgres.query(
          `SELECT attempt, ${begunByOthers} FROM swaps WHERE object_id = '${objectId}'`,
          cluster.database,
        )
      ).split('|')
      if (Number(attempt) > 0) {
        turns.push(Number(before) - begun)
        break
      }
      await wait(5)
    }
  }
  await cluster.stop()
  return { workers, others, turns, most: Math.max(...turns) }
}

async function listing() {
  const cluster = await startCluster({ servers: 1, workers: 0, engineMs: 100 })
  const { creator, files } = await newCreator(cluster)
  const template = await creator.create('the first', ...files)
  /** @param {number} total */
  const grow = async (total) => {
    await postgres.query(
      `INSERT INTO swaps (object_id, user_id, request_hash, status, turn, created_at, updated_at, ended_at, data, checked)
         SELECT gen_random_uuid()::text, '1', 'h', 'cancelled', 0, created_at, updated_at, created_at, data, 1
           FROM swaps, generate_series(1, ${String(total)} - (SELECT count(*)::int FROM swaps)) WHERE object_id = '${template}'`,
      cluster.database,
    )
    await postgres.query('ANALYZE swaps', cluster.database)
  }
  const measure = async () => {
    const ids = (
      await postgres.query('SELECT object_id FROM swaps ORDER BY md5(object_id) LIMIT 50', cluster.database)
    ).split('\n')
    /** @type {number[]} */
    const times = []
    for (let round = 0; round < 60; round += 1) {
      const from = performance.now()
      const items = await creator.list(ids)
      times.push(performance.now() - from)
      if (items.length !== 50) throw new Error(`${String(items.length)} of 50`)
      // Below the rate limit of a key.
      await wait(60)
    }
    return median(times.slice(10))
  }
  await grow(1000)
  const small = await measure()
  await grow(1_000_000)
  const large = await measure()
  await cluster.stop()
  return { smallMs: small, largeMs: large, ratio: large / small }
}

async function engine() {
  const cluster = await startCluster({ servers: 1, workers: 0, engineMs: 0 })
  const environment = { ...s3.env, MIEN_DATABASE: cluster.database, MIEN_STORAGE: s3.address() }
  try {
    return await realEngine({ cluster, postgres, environment, dir: join(work, 'real') })
  } finally {
    await cluster.stop()
  }
}

/** @type {Record<string, () => Promise<any>>} */
const parts = {
  ...{ scaling, overhead, deep, fairness, listing, engine, chaos },
  trouble: () => trouble({ startCluster, newCreator, postgres, dir: work }),
}
/** Whether a part's result is within its limits. @type {Record<string, (result: any) => boolean>} */
const passes = {
  scaling: ({ linear }) => Object.values(linear).every((share) => share >= 0.9),
  overhead: ({ bucket, folder }) => Math.max(bucket.median.databaseMs, folder.median.databaseMs) <= 20,
  deep: ({ p95Ms }) => p95Ms <= 10,
  // A swap of each other creator, and those that run.
  fairness: ({ most, workers, others }) => most <= workers + others,
  listing: ({ ratio }) => ratio <= 1.5,
  engine: ({ other }) => other === 0,
  trouble: (each) => Object.values(each).every((result) => !result || result.failed + result.wrong === 0),
  chaos: ({ failed, wrong, lost, doubled }) => failed + wrong + lost + doubled === 0,
}
/** @type {Record<string, object>} */
const results = {}
/** @type {string[]} */
const beyond = []
try {
  for (const [name, part] of Object.entries(parts)) {
    if (only !== undefined && only !== name) continue
    results[name] = await part()
    if (!passes[name]?.(results[name])) beyond.push(name)
    say(`${name}: ${JSON.stringify(results[name])}`)
  }
  report({ ...results, beyond }, beyond.length === 0)
} finally {
  clearInterval(deafening)
  await bouncer?.stop()
  await postgres.stop()
  await s3.close()
}
