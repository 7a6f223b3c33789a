/** @file Routes of a server for its administrator and for monitoring. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { u64Schema } from '@shared/service/wire.ts'
import { clientAddress, hasAdminToken, noAdminToken, withAdminToken, type Env } from './guard.ts'
import { json, readJson, refused } from './json.ts'
import { userIdOf, type RouteDeps } from './routes.ts'
import { u64 } from '../jobs/task-item.ts'
import { auditAfter } from '../cluster/audit-log.ts'
import { limitsOf, limitsSchema, setLimits } from '../cluster/creators.ts'
import { queueMetrics, type RequestMetrics } from './metrics.ts'

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
