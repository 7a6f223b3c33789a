/** @file Routes of a service: the interface, and the extras listed in its capabilities. */
import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { targetKinds } from '@shared/engine/engine.ts'
import { MienError, type ErrorBody, type ErrorCode } from '@shared/errors.ts'
import type { MethodView } from '@shared/engine/models.ts'
import { maxPeople } from '@shared/people/people.ts'
import { maxPictures, swapOptionsSchema } from '@shared/options/swap-options.ts'
import { capabilitiesSchema, deleteKeyRequestSchema, maxU64, newKeyRequestSchema } from '@shared/service/wire.ts'
import { serviceHeader, type Capabilities } from '@shared/service/wire.ts'
import { nameDiskFull } from '../../machine/disk/disk-errors.ts'
import type { ClusterFiles } from '../cluster/cluster-files.ts'
import { DatabaseUnavailable, type Database } from '../cluster/database/database.ts'
import type { KeyTable, SignedLinks, StoredKey } from '../cluster/key-table.ts'
import type { BlobStorage } from '../cluster/storage/blob-storage.ts'
import type { SwapTable } from '../cluster/swap-table.ts'
import { u64 } from '../jobs/task-item.ts'
import { addAdminRoutes, RequestMetrics } from './admin-routes.ts'
import { onlyHosts, RateLimit, withAdminToken, withKey, withKeyOrLink } from './guard.ts'
import type { Connections, Env, WrongKeys } from './guard.ts'
import { addFileRoutes } from './file-routes.ts'
import type { Hosts } from './hosts.ts'
import { json, HttpProblem, notFound, readJson, refused } from './json.ts'
import { addSwapRoutes, maxIds } from './swap-routes.ts'

const usualRate = 20

const common = {
  assets: true,
  cancel: true,
  pause: true,
  order: true,
  delete: true,
  idempotency: true,
  progress: true,
  maxIds,
  formats: ['mp4', 'mov', 'webm', 'mkv', 'jpg', 'png', 'webp', 'gif'],
  targets: [...targetKinds],
  pictures: maxPictures,
  options: Object.keys(swapOptionsSchema.shape),
  cast: maxPeople,
  range: true,
} satisfies Partial<Capabilities>

export interface RouteDeps {
  db: Database
  storage: BlobStorage
  swaps: SwapTable
  files: ClusterFiles
  keys: KeyTable
  connections: Connections
  wrongKeys: WrongKeys
  hosts: Hosts
  /** Swap methods besides the built-in one. */
  methods: () => Promise<MethodView[]>
  /** Null: the service in the app, which also has no resumable uploads and no routes for an administrator. */
  links: SignedLinks | null
  /** Converts an error to text for a task's `error`. */
  sentence: (error: ErrorBody) => string
  /** Max requests of a key per second. Defaults to 20. */
  requestsPerSecond?: number | undefined
  log: (message: string, error?: unknown) => void
}

/** Creates the app. Every error is answered as problem+json. */
export function createApp(deps: RouteDeps): Hono<Env> {
  const { keys, links, requestsPerSecond = usualRate } = deps
  const capabilities = capabilitiesSchema.parse({ ...common, uploads: links !== null })
  const app = new Hono<Env>()
  const metrics = new RequestMetrics()
  const key = withKey(deps)
  const limited = withKey(deps, new RateLimit(requestsPerSecond, () => performance.now()))
  const admin = withAdminToken(deps)

  app.use(async (c, next) => {
    await next()
    c.res.headers.set(serviceHeader, '1')
  })
  app.use(metrics.middleware, onlyHosts(deps.hosts))
  app.use(methodNotAllowed({ app, onMethodNotAllowed: (_, methods) => wrongMethod(methods) }))
  addSwapRoutes(app, deps, limited)
  app.post('/v1/openapi_account/new', admin, async (c) => {
    const { userId } = await readJson(c, newKeyRequestSchema)
    const key = await keys.create(String(userId))
    return json({ sk: key.sk, ...keyView(key) })
  })
  app.get('/v1/openapi_account/list', admin, async (c) => {
    const list = await keys.list(userIdOf(c.req.query('userId')))
    return json({ list: list.map(keyView) })
  })
  app.post('/v1/openapi_account/delete', admin, async (c) => {
    if (await keys.revoke(await readJson(c, deleteKeyRequestSchema))) return json({})
    throw notFound('This key doesn’t exist.')
  })
  addFileRoutes(app, deps, key, links ? withKeyOrLink(deps, links) : key)
  app.get('/v1/capabilities', async () => json({ ...capabilities, methods: await deps.methods() }))
  if (links) addAdminRoutes(app, deps, metrics)

  app.notFound(() => notFound('This path doesn’t exist.').answer())
  app.onError((error) => {
    const refusal = problemOf(nameDiskFull(error))
    if (refusal) return refusal.answer()
    deps.log('a request failed', error)
    return new HttpProblem(500, 'internal', 'Something went wrong. See Mien’s log.').answer()
  })
  return app
}

const unavailable = (detail: string): HttpProblem =>
  new HttpProblem(503, 'service-trouble', detail, {}, { 'retry-after': '5' })

/** Storage errors after which a retry may succeed. */
const storageErrors: ReadonlySet<ErrorCode> = new Set(['folder-missing', 'folder-read-only', 'save-failed'])

/** Errors that are meaningful to the client; null for others. */
function problemOf(error: unknown): HttpProblem | null {
  if (error instanceof HttpProblem) return error
  if (error instanceof DatabaseUnavailable) return unavailable('The database can’t be reached. Try again.')
  if (!(error instanceof MienError)) return null
  const { code, details } = error
  if (storageErrors.has(code) || code.startsWith('storage-'))
    return unavailable('The storage can’t be used. Try again.')
  if (code === 'disk-full')
    return new HttpProblem(507, code, 'The disk is full. Free up some space, then try again.', details)
  if (code === 'request-refused') return refused(400, 'The upload ended early. Send the file again.')
  if (code === 'not-found') return notFound('This file doesn’t exist.')
  if (code === 'file-missing') return new HttpProblem(422, code, 'A file was deleted. Upload it again.', details)
  if (code !== 'quota-reached') return null
  const { quota, limit, used, seconds } = details
  const detail = `The limit is reached: ${String(used)} of ${String(limit)} ${String(quota)}.`
  return new HttpProblem(429, code, detail, details, seconds === null ? {} : { 'retry-after': String(seconds) })
}

/** Parses a user id from a query. @throws HttpProblem 400 */
export function userIdOf(text: string | undefined): string {
  if (text === undefined || !/^\d{1,20}$/.test(text) || BigInt(text) > maxU64)
    throw refused(400, 'userId isn’t valid. It must be an unsigned 64-bit integer.')
  return String(BigInt(text))
}

const keyView = ({ id, userId, mask, lastFour, createdAt }: StoredKey) => ({
  ...{ id, userId: u64(userId), mask, lastFour },
  createdAt: new Date(createdAt).toISOString(),
})

function wrongMethod(allowed: readonly string[]): Response {
  const allow = allowed.join(', ')
  return refused(405, `This method isn’t supported. Use ${allow}.`, { allow }).answer()
}
