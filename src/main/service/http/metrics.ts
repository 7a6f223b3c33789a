/** @file Metrics for Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { Env } from './guard.ts'
import type { Database, Row } from '../cluster/database/database.ts'

/** Upper limits of the histogram's buckets, in seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

type Labels = Readonly<Record<string, string | number>>

const line = (name: string, labels: Labels, value: number): string => {
  const pairs = Object.entries(labels).map(([key, each]) => `${key}=${JSON.stringify(String(each))}`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${String(value)}`
}
const head = (name: string, type: 'counter' | 'gauge' | 'histogram', help: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]

/** Requests to this server since its start. */
export class RequestMetrics {
  /** By their labels, as text. */
  readonly #requests = new Map<string, { labels: Labels; count: number }>()
  readonly #durations = buckets.map(() => 0)
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
    for (const [at, limit] of buckets.entries())
      if (seconds <= limit) this.#durations[at] = (this.#durations[at] ?? 0) + 1
    this.#count += 1
    this.#seconds += seconds
    this.#receivedBytes += Number(c.req.header('content-length') ?? 0) || 0
    this.#sentBytes += Number(c.res.headers.get('content-length') ?? 0)
  }

  text(): string[] {
    const duration = 'mien_request_duration_seconds'
    return [
      ...head('mien_requests_total', 'counter', 'Requests to this server.'),
      ...[...this.#requests.values()].map(({ labels, count }) => line('mien_requests_total', labels, count)),
      ...head(duration, 'histogram', 'Time until the answer of a request began.'),
      ...buckets.map((limit, at) => line(`${duration}_bucket`, { le: limit }, this.#durations[at] ?? 0)),
      line(`${duration}_bucket`, { le: '+Inf' }, this.#count),
      line(`${duration}_sum`, {}, this.#seconds),
      line(`${duration}_count`, {}, this.#count),
      ...head('mien_received_bytes_total', 'counter', 'Bytes of request bodies with a known length.'),
      line('mien_received_bytes_total', {}, this.#receivedBytes),
      ...head('mien_sent_bytes_total', 'counter', 'Bytes of answers with a known length.'),
      line('mien_sent_bytes_total', {}, this.#sentBytes),
    ]
  }
}

/** Workers that haven't reported for this long aren't counted. */
const workerGoneMs = 60_000
const dayMs = 86_400_000

/** Metrics of the queue. They come from the database, so they are the same on all servers. */
export async function queueMetrics(db: Database): Promise<string[]> {
  const open = await db.query(
    `SELECT status, paused, count(*) AS count FROM swaps WHERE status IN ('queued', 'processing') GROUP BY status, paused`,
  )
  const ended = await db.query(
    `SELECT status, count(*) AS count FROM swaps WHERE status IN ('completed', 'failed', 'cancelled')
       AND ended_at > now_ms() - ${String(dayMs)} AND ended_at IS NOT NULL AND deleted_at IS NULL GROUP BY status`,
  )
  const [oldest] = await db.query(
    `SELECT now_ms() - min(created_at) AS age FROM swaps WHERE status = 'queued' AND paused = 0`,
  )
  const workers = await db.query(
    `SELECT engine, count(*) AS count FROM workers WHERE seen_at > now_ms() - ${String(workerGoneMs)} GROUP BY engine`,
  )
  const count = (rows: readonly Row[], status: string, paused?: number): number =>
    Number(rows.find((row) => row['status'] === status && row['paused'] === paused)?.['count'] ?? 0)
  return [
    ...head('mien_swaps', 'gauge', 'Swaps that have not ended.'),
    line('mien_swaps', { status: 'queued' }, count(open, 'queued', 0)),
    line('mien_swaps', { status: 'paused' }, count(open, 'queued', 1)),
    line('mien_swaps', { status: 'processing' }, count(open, 'processing', 0)),
    ...head('mien_swaps_ended_day', 'gauge', 'Swaps that ended in the last 24 hours and are not deleted.'),
    ...['completed', 'failed', 'cancelled'].map((status) =>
      line('mien_swaps_ended_day', { status }, count(ended, status)),
    ),
    ...head('mien_queue_oldest_seconds', 'gauge', 'Age of the oldest swap that waits.'),
    line('mien_queue_oldest_seconds', {}, Number(oldest?.['age'] ?? 0) / 1000),
    ...head('mien_workers', 'gauge', 'Workers, by version of their engine.'),
    ...workers.map((row) => line('mien_workers', { engine: String(row['engine']) }, Number(row['count']))),
  ]
}
