/** @file Routes of a service: the interface, and the extras listed in its capabilities. */
import { Hono, type MiddlewareHandler } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { targetKinds } from '@shared/engine/engine.ts'
import { MienError, type ErrorBody } from '@shared/errors.ts'
import type { MethodView } from '@shared/engine/models.ts'
import { maxPeople } from '@shared/people/people.ts'
import { maxPictures, swapOptionsSchema } from '@shared/options/swap-options.ts'
import { capabilitiesSchema, serviceHeader, type Capabilities } from '@shared/service/wire.ts'
import { nameDiskFull } from '../../machine/disk/disk-errors.ts'
import { assetPath } from '../jobs/job.ts'
import type { Backend } from '../backend.ts'
import {
  type Connections,
  withAdminToken,
  withKey,
  withKeyOrLink,
  type BaseUrl,
  type Env,
  type Links,
} from './guard.ts'
import { FileRoutes } from './file-routes.ts'
import { json, HttpProblem } from './json.ts'
import { KeyRoutes } from './key-routes.ts'
import { RateLimit, type WrongKeys } from './rate-limit.ts'
import { maxIds, SwapRoutes } from './swap-routes.ts'

const usualRate = 20
const prefixes = ['/v1/faceswap-openapi', '/v1/faceswap_openapi', '/v1/faceswap-opanpai']

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
  backend: Backend
  methods: () => Promise<MethodView[]>
  /** Capabilities besides those that every service has. */
  more?: Partial<Capabilities>
  connections: Connections
  wrongKeys?: WrongKeys
  /** Absent: files are served with a key only. */
  links?: Links
  /** Refuses requests from elsewhere; the first of all. */
  access: MiddlewareHandler<Env>
  baseUrl: BaseUrl
  /** Whether an address is one of this service. */
  isHere: (url: URL) => boolean
  now: () => number
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
  const { backend } = deps
  const swaps = new SwapRoutes({ ...deps, ...backend })
  const files = new FileRoutes({ ...deps, ...backend })
  const keys = new KeyRoutes(backend.keys)
  const capabilities = capabilitiesSchema.parse({ ...common, ...deps.more })
  const app = new Hono<Env>()
  const { connections, wrongKeys, requestsPerSecond = usualRate } = deps
  const guard = { keys: backend.keys, connections, wrongKeys }
  const key = withKey(guard)
  const limited = withKey(guard, new RateLimit(requestsPerSecond, () => performance.now()))
  const forFiles = deps.links ? withKeyOrLink(guard, deps.links) : key
  const admin = withAdminToken(guard)

  app.use(async (c, next) => {
    await next()
    c.res.headers.set(serviceHeader, '1')
  })
  app.use(deps.access)
  app.use(methodNotAllowed({ app, onMethodNotAllowed: (_, methods) => wrongMethod(methods) }))
  for (const prefix of prefixes) {
    app.post(`${prefix}/create`, limited, swaps.create)
    app.get(`${prefix}/listbyids`, limited, swaps.list)
    app.post(`${prefix}/cancel`, limited, swaps.cancel)
    app.post(`${prefix}/pause`, limited, swaps.pause)
    app.post(`${prefix}/resume`, limited, swaps.resume)
    app.post(`${prefix}/order`, limited, swaps.order)
    app.post(`${prefix}/delete`, limited, swaps.delete)
  }
  app.post('/v1/openapi_account/new', admin, keys.create)
  app.get('/v1/openapi_account/list', admin, keys.list)
  app.post('/v1/openapi_account/delete', admin, keys.delete)
  app.get(assetPath(':name'), forFiles, files.getAsset)
  app.put(assetPath(':name'), key, files.putAsset)
  app.get('/v1/results/:objectId/:file', forFiles, files.getResult)
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

function wrongMethod(allowed: readonly string[]): Response {
  const allow = allowed.join(', ')
  return new HttpProblem(405, 'request-refused', `This method isn’t supported. Use ${allow}.`, {}, { allow }).answer()
}
