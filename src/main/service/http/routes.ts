/** @file Routes of a service: the interface, and the extras listed in its capabilities. */
import { Hono, type MiddlewareHandler } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { targetKinds } from '@shared/engine/engine.ts'
import { MienError, type ErrorBody } from '@shared/errors.ts'
import type { MethodView } from '@shared/engine/models.ts'
import { maxPeople } from '@shared/people/people.ts'
import { maxPictures, swapOptionsSchema } from '@shared/options/swap-options.ts'
import {
  capabilitiesSchema,
  deleteKeyRequestSchema,
  maxU64,
  newKeyRequestSchema,
  serviceHeader,
  type Capabilities,
} from '@shared/service/wire.ts'
import { nameDiskFull } from '../../machine/disk/disk-errors.ts'
import type { ClusterFiles } from '../cluster/cluster-files.ts'
import type { KeyTable, StoredKey } from '../cluster/key-table.ts'
import type { SignedLinks } from '../cluster/signed-links.ts'
import type { SwapTable } from '../cluster/swap-table.ts'
import type { Uploads } from '../cluster/uploads.ts'
import { u64 } from '../jobs/task-item.ts'
import { type Connections, withAdminToken, withKey, withKeyOrLink, type BaseUrl, type Env } from './guard.ts'
import { addFileRoutes } from './file-routes.ts'
import { json, HttpProblem, readJson } from './json.ts'
import { RateLimit, type WrongKeys } from './rate-limit.ts'
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
  swaps: SwapTable
  files: ClusterFiles
  keys: KeyTable
  methods: () => Promise<MethodView[]>
  /** Absent: there are no resumable uploads. */
  uploads?: Uploads
  connections: Connections
  wrongKeys: WrongKeys
  /** Absent: files are served with a key only. */
  links?: SignedLinks
  /** Refuses requests from elsewhere; the first of all. */
  access: MiddlewareHandler<Env>
  baseUrl: BaseUrl
  /** Whether an address is one of this service. */
  isHere: (url: URL) => boolean
  /** Converts an error to text for a task's `error`. */
  sentence: (error: ErrorBody) => string
  /** Max requests of a key per second. Defaults to 20. */
  requestsPerSecond?: number | undefined
  log: (message: string, error?: unknown) => void
  /** Errors of the backend that are meaningful to the client; null for others. */
  problemOf?: (error: unknown) => HttpProblem | null
}

/** Internal errors that are meaningful to the client; null for others. */
function problemOf(error: unknown): HttpProblem | null {
  if (error instanceof HttpProblem) return error
  if (!(error instanceof MienError)) return null
  if (error.code === 'disk-full')
    return new HttpProblem(507, 'disk-full', 'The disk is full. Free up some space, then try again.', error.details)
  return error.code === 'request-refused'
    ? new HttpProblem(400, error.code, 'The upload ended early. Send the file again.')
    : null
}

/** Creates the app. Every error is answered as problem+json. */
export function createApp(deps: RouteDeps): Hono<Env> {
  const { keys, requestsPerSecond = usualRate } = deps
  const capabilities = capabilitiesSchema.parse({ ...common, uploads: deps.uploads !== undefined })
  const app = new Hono<Env>()
  const key = withKey(deps)
  const limited = withKey(deps, new RateLimit(requestsPerSecond, () => performance.now()))
  const admin = withAdminToken(deps)

  app.use(async (c, next) => {
    await next()
    c.res.headers.set(serviceHeader, '1')
  })
  app.use(deps.access)
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
    throw new HttpProblem(404, 'not-found', 'This key doesn’t exist.')
  })
  addFileRoutes(app, deps, key, deps.links ? withKeyOrLink(deps, deps.links) : key)
  app.get('/v1/capabilities', async () => json({ ...capabilities, methods: await deps.methods() }))

  app.notFound(() => new HttpProblem(404, 'not-found', 'This path doesn’t exist.').answer())
  app.onError((error) => {
    const refusal = deps.problemOf?.(error) ?? problemOf(nameDiskFull(error))
    if (refusal) return refusal.answer()
    deps.log('a request failed', error)
    return new HttpProblem(500, 'internal', 'Something went wrong. See Mien’s log.').answer()
  })
  return app
}

/** Parses a user id from a query. @throws HttpProblem 400 */
export function userIdOf(text: string | undefined): string {
  if (text === undefined || !/^\d{1,20}$/.test(text) || BigInt(text) > maxU64)
    throw new HttpProblem(400, 'request-refused', 'userId isn’t valid. It must be an unsigned 64-bit integer.')
  return String(BigInt(text))
}

const keyView = ({ id, userId, mask, lastFour, createdAt }: StoredKey) => ({
  ...{ id, userId: u64(userId), mask, lastFour },
  createdAt: new Date(createdAt).toISOString(),
})

function wrongMethod(allowed: readonly string[]): Response {
  const allow = allowed.join(', ')
  return new HttpProblem(405, 'request-refused', `This method isn’t supported. Use ${allow}.`, {}, { allow }).answer()
}
