/** @file Routes of a server for its administrator and for monitoring. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { u64Schema } from '@shared/service/wire.ts'
import { clientAddress, hasAdminToken, noAdminToken, withAdminToken, type Env, type KeyGuardDeps } from './guard.ts'
import { json, HttpProblem, readJson } from './json.ts'
import { userIdOf } from './routes.ts'
import { u64 } from '../jobs/task-item.ts'
import { auditAfter } from '../cluster/audit-log.ts'
import type { Database } from '../cluster/database/database.ts'
import { limitsOf, limitsSchema, setLimits } from '../cluster/creators.ts'
import { queueMetrics, type RequestMetrics } from './metrics.ts'
import type { BlobStorage } from '../cluster/storage/blob-storage.ts'

export interface AdminRoutesDeps extends Pick<KeyGuardDeps, 'keys' | 'wrongKeys'> {
  db: Database
  storage: BlobStorage
  metrics: RequestMetrics
  log: (message: string, error?: unknown) => void
}

const limitsRequest = z.object({ userId: u64Schema, limits: limitsSchema })
/** Timeout of a readiness check. */
const readyMs = 5000
/** How long a readiness result is cached, because the check writes to the storage. */
const readyLastsMs = 15_000

export function addAdminRoutes(app: Hono<Env>, deps: AdminRoutesDeps): void {
  const { db, metrics } = deps
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
    if (!Number.isSafeInteger(after)) throw new HttpProblem(400, 'request-refused', 'after isn’t a whole number.')
    const list = await auditAfter(db, after)
    return json({ list: list.map((entry) => ({ ...entry, at: new Date(Number(entry['at'])).toISOString() })) })
  })

  const ready = readiness(deps)
  app.get('/healthz', () => json({ ok: true }))
  app.get('/readyz', async (c) => {
    const found = await ready()
    const isReady = Object.values(found).every((each) => each)
    // The admin token can't be checked while the database is unavailable, nor after too many wrong ones.
    const details = isLocal(c) || (found.database && (await hasAdminToken(c, deps).catch(() => false))) ? found : {}
    return new Response(JSON.stringify({ ok: isReady, ...details }), {
      status: isReady ? 200 : 503,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    })
  })
  app.get('/metrics', async (c) => {
    if (!isLocal(c) && !(await hasAdminToken(c, deps))) throw noAdminToken()
    const lines = [...(await queueMetrics(db)), ...metrics.text()]
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
function readiness({ db, storage, log }: AdminRoutesDeps): () => Promise<Readiness> {
  const answers = (name: string, work: Promise<unknown>): Promise<boolean> => {
    const late = wait(readyMs, undefined, { ref: false }).then(() => {
      throw new Error('no answer')
    })
    return Promise.race([work, late]).then(
      () => true,
      (error: unknown) => {
        log(`not ready: ${name}`, error)
        return false
      },
    )
  }
  let last: { at: number; found: Promise<Readiness> } | null = null
  return () => {
    if (last && performance.now() - last.at < readyLastsMs) return last.found
    const found = Promise.all([answers('database', db.query('SELECT 1')), answers('storage', storage.check())]).then(
      ([database, isStored]) => ({ database, storage: isStored }),
    )
    last = { at: performance.now(), found }
    return found
  }
}
