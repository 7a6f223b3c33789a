/**
 * @file Routes of a server for its administrator and for monitoring. Metrics are for Prometheus
 * (https://prometheus.io/docs/instrumenting/exposition_formats/).
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { z } from 'zod'
import { u64Schema } from '@shared/service/wire.ts'
import { clientAddress, hasAdminToken, noAdminToken, withAdminToken, type Env } from './guard.ts'
import { json, readJson, refused } from './json.ts'
import { userIdOf, type RouteDeps } from './routes.ts'
import { u64 } from '../cluster/task-item.ts'
import { auditAfter } from '../cluster/key-table.ts'
import { limitsOf, limitsSchema, setLimits } from '../cluster/creators.ts'
import type { Database } from '../cluster/database/database.ts'

const limitsRequest = z.object({ userId: u64Schema, limits: limitsSchema })
/** Timeout of a readiness check. */
const readyMs = 5000
/** How long a readiness result is cached, because the check writes to the storage. */
const readyLastsMs = 15_000

export function addAdminRoutes(app: Hono<Env>, deps: RouteDeps, metrics: RequestMetrics): void {
  const { db } = deps
  const admin = withAdminToken(deps)

  app.get('/v1/openapi_account/limits', admin, async (c) => {
    const userId = userIdOf(c.req.query('userId'))
    return json({ userId: u64(userId), limits: await limitsOf(db, userId) })
  })
  app.post('/v1/openapi_account/limits', admin, async (c) => {
    const { userId, limits } = await readJson(c, limitsRequest)
    await setLimits(db, String(userId), limits)
    return json({ userId, limits })
  })
  app.get('/v1/audit', admin, async (c) => {
    const after = Number(c.req.query('after') ?? 0)
    if (!Number.isSafeInteger(after)) throw refused(400, 'after isn’t a whole number.')
    const list = await auditAfter(db, after)
    return json({ list: list.map((entry) => ({ ...entry, at: new Date(Number(entry['at'])).toISOString() })) })
  })

  const ready = readiness(deps)
  app.get('/healthz', () => json({ ok: true }))
  app.get('/readyz', async (c) => {
    const found = await ready()
    const ok = found.database && found.storage
    // The admin token can't be checked while the database is unavailable, nor after too many wrong ones.
    const isTold = isLocal(c) || (found.database && (await hasAdminToken(c, deps).catch(() => false)))
    return json({ ok, ...(isTold ? found : {}) }, {}, ok ? 200 : 503)
  })
  app.get('/metrics', async (c) => {
    if (!isLocal(c) && !(await hasAdminToken(c, deps))) throw noAdminToken()
    const lines = [...(await queueMetrics(db)), ...metrics.lines()]
    return new Response(`${lines.join('\n')}\n`, { headers: { 'content-type': 'text/plain; version=0.0.4' } })
  })
}

/** Whether a request comes from this computer and not through a proxy. */
function isLocal(c: Context<Env>): boolean {
  const { headers } = c.env.incoming
  const isPassedOn = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
  return !isPassedOn && ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(clientAddress(c))
}

interface Readiness {
  database: boolean
  storage: boolean
}

/** Checks whether the database and the storage answer. */
function readiness({ db, storage, log }: RouteDeps): () => Promise<Readiness> {
  const answers = async (name: string, work: Promise<unknown>): Promise<boolean> => {
    const late = wait(readyMs, 'late', { ref: false })
    try {
      if ((await Promise.race([work, late])) === 'late') throw new Error('no answer')
      return true
    } catch (error) {
      log(`not ready: ${name}`, error)
      return false
    }
  }
  const look = async (): Promise<Readiness> => {
    const looks = [answers('database', db.query('SELECT 1')), answers('storage', storage.check())]
    const [database = false, stored = false] = await Promise.all(looks)
    return { database, storage: stored }
  }
  let last: { at: number; found: Promise<Readiness> } | null = null
  return () => {
    if (!last || performance.now() - last.at >= readyLastsMs) last = { at: performance.now(), found: look() }
    return last.found
  }
}

/** Upper limits of the histogram's buckets, in seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

type Labels = Readonly<Record<string, string | number>>

/** @param suffix of the name, as `_bucket` */
type Sample = readonly [value: number, labels?: Labels, suffix?: string]

const lines = (name: string, type: string, help: string, samples: readonly Sample[]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...samples.map(([value, labels = {}, suffix = '']) => {
    const pairs = Object.entries(labels).map(([key, each]) => `${key}=${JSON.stringify(String(each))}`)
    return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${String(value)}`
  }),
]

/** Requests to this server since its start. */
export class RequestMetrics {
  /** By their labels, as text. */
  readonly #requests = new Map<string, { labels: Labels; count: number }>()
  readonly #durations = buckets.map((limit) => ({ limit, count: 0 }))
  #count = 0
  #seconds = 0
  #receivedBytes = 0
  #sentBytes = 0

  /** Counts each request. */
  readonly middleware = createMiddleware<Env>(async (c, next) => {
    const began = performance.now()
    await next()
    this.#add(c, (performance.now() - began) / 1000)
  })

  #add(c: Context<Env>, seconds: number): void {
    const labels = { method: c.req.method, route: routePath(c, -1), status: c.res.status }
    const id = JSON.stringify(labels)
    const counted = this.#requests.get(id) ?? { labels, count: 0 }
    counted.count += 1
    this.#requests.set(id, counted)
    for (const bucket of this.#durations) if (seconds <= bucket.limit) bucket.count += 1
    this.#count += 1
    this.#seconds += seconds
    this.#receivedBytes += Number(c.req.header('content-length') ?? 0) || 0
    this.#sentBytes += Number(c.res.headers.get('content-length') ?? 0)
  }

  lines(): string[] {
    const durations: Sample[] = [
      ...this.#durations.map(({ limit, count }): Sample => [count, { le: limit }, '_bucket']),
      ...([
        [this.#count, { le: '+Inf' }, '_bucket'],
        [this.#seconds, {}, '_sum'],
        [this.#count, {}, '_count'],
      ] as const),
    ]
    const requests = [...this.#requests.values()].map(({ labels, count }): Sample => [count, labels])
    const [received, sent] = [[[this.#receivedBytes]], [[this.#sentBytes]]] as const
    return [
      ...lines('mien_requests_total', 'counter', 'Requests to this server.', requests),
      ...lines('mien_request_duration_seconds', 'histogram', 'Time until the answer of a request began.', durations),
      ...lines('mien_received_bytes_total', 'counter', 'Bytes of request bodies with a known length.', received),
      ...lines('mien_sent_bytes_total', 'counter', 'Bytes of answers with a known length.', sent),
    ]
  }
}

/** Workers that haven't reported for this long aren't counted. */
const workerGoneMs = 60_000
const dayMs = 86_400_000

/** Metrics of the queue. They come from the database, so they are the same on all servers. */
async function queueMetrics(db: Database): Promise<string[]> {
  const counts = await db.query<{ status: string; count: number; oldest: number }>(
    `SELECT CASE WHEN paused = 1 AND status = 'queued' THEN 'paused' ELSE status END AS status, count(*) AS count,
       now_ms() - min(created_at) AS oldest FROM swaps WHERE status IN ('queued', 'processing') GROUP BY 1
     UNION ALL SELECT status, count(*), 0 FROM swaps WHERE status IN ('completed', 'failed', 'cancelled')
       AND ended_at > now_ms() - ${String(dayMs)} AND ended_at IS NOT NULL AND deleted_at IS NULL GROUP BY status`,
  )
  const workers = await db.query<{ engine: string; count: number }>(
    `SELECT engine, count(*) AS count FROM workers WHERE seen_at > now_ms() - ${String(workerGoneMs)} GROUP BY engine`,
  )
  const of = (name: string) => counts.find(({ status }) => status === name)
  const samples = (...names: string[]) => names.map((status): Sample => [of(status)?.count ?? 0, { status }])
  const ended = samples('completed', 'failed', 'cancelled')
  const oldest: Sample = [(of('queued')?.oldest ?? 0) / 1000]
  const versions = workers.map(({ engine, count }): Sample => [count, { engine }])
  return [
    ...lines('mien_swaps', 'gauge', 'Swaps that have not ended.', samples('queued', 'paused', 'processing')),
    ...lines('mien_swaps_ended_day', 'gauge', 'Swaps that ended in the last 24 hours and are not deleted.', ended),
    ...lines('mien_queue_oldest_seconds', 'gauge', 'Age of the oldest swap that waits.', [oldest]),
    ...lines('mien_workers', 'gauge', 'Workers, by version of their engine.', versions),
  ]
}
