/**
 * @file Routes of a service: create, list, cancel, pause, resume, order, delete; keys; and the extras listed in its
 * capabilities.
 */
import { hash, randomUUID } from 'node:crypto'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { writeExactJson } from '@shared/service/exact-json.ts'
import { rangeProblem } from '@shared/people/range.ts'
import { defaultOptions, maxPictures, swapOptionsSchema } from '@shared/options/swap-options.ts'
import {
  createRequestSchema,
  type CreateRequest,
  capabilitiesSchema,
  deleteKeyRequestSchema,
  maxU64,
  newKeyRequestSchema,
  serviceHeader,
  type Capabilities,
} from '@shared/service/wire.ts'
import { z } from 'zod'
import { readSource, type Source, isOpen, type Job, type NewJob } from '../cluster/job.ts'
import {
  baseUrlOf,
  type Env,
  onlyHosts,
  RateLimit,
  withAdminToken,
  withKey,
  withKeyOrLink,
  type Connections,
  type WrongKeys,
  type Hosts,
} from './guard.ts'
import { json, HttpProblem, notFound, readJson, refused } from './json.ts'
import { taskItem, u64 } from '../cluster/task-item.ts'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { targetKinds } from '@shared/engine/engine.ts'
import { MienError, type ErrorBody, type ErrorCode } from '@shared/errors.ts'
import type { MethodView } from '@shared/engine/models.ts'
import { maxPeople } from '@shared/people/people.ts'
import { nameDiskFull } from '../../machine/disk/disk-errors.ts'
import type { ClusterFiles } from '../cluster/cluster-files.ts'
import { DatabaseUnavailable, type Database } from '../cluster/database/database.ts'
import type { KeyTable, SignedLinks, StoredKey } from '../cluster/key-table.ts'
import type { BlobStorage } from '../cluster/storage/blob-storage.ts'
import type { SwapTable } from '../cluster/swap-table.ts'
import { addAdminRoutes, RequestMetrics } from './admin-routes.ts'
import { addFileRoutes } from './file-routes.ts'

/** Max ids per request. */
const maxIds = 200

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

/** Max bytes of a create. An hour of one person, with 2.5 places a second, takes 0.2 MB. */
const maxCreateBytes = 8_000_000

const objectIdSchema = z.union([
  z.object({ objectID: z.string().min(1) }).transform((body) => body.objectID),
  z.object({ objectId: z.string().min(1) }).transform((body) => body.objectId),
])

const orderSchema = z.object({ objectIDs: z.array(z.string().min(1)).min(1).max(maxIds) })

const prefixes = ['/v1/faceswap-openapi', '/v1/faceswap_openapi', '/v1/faceswap-opanpai']

/** @param key requires a key */
function addSwapRoutes(app: Hono<Env>, deps: RouteDeps, key: MiddlewareHandler<Env>): void {
  const { swaps, files, hosts, links, sentence } = deps
  const route = (method: 'GET' | 'POST', name: string, answer: (c: Context<Env>) => Promise<Response>): void => {
    for (const prefix of prefixes) app.on(method, `${prefix}/${name}`, key, answer)
  }

  /** With the name of its file, if it has one. */
  const findSource = async (
    c: Context<Env>,
    address: string | null | undefined,
    field: string,
  ): Promise<{ source: Source; name: string | null }> => {
    if (!address) throw refused(422, `${field} is missing. Send the address of a file.`)
    const source = readSource(address, hosts.isHere)
    if (!source) throw new HttpProblem(422, 'address-invalid', `${field} isn’t an http or https address.`, { field })
    if (source.kind === 'web') return { source, name: new URL(source.url).pathname.split('/').at(-1) || null }
    const asset = await files.asset(c.get('userId'), source.id)
    if (asset) return { source, name: asset.name }
    throw new HttpProblem(422, 'file-missing', `The file in ${field} doesn’t exist. Upload it again.`, { field })
  }
  const sourcesOf = (c: Context<Env>, addresses: readonly string[], field: string): Promise<Source[]> =>
    Promise.all(addresses.map(async (address) => (await findSource(c, address, field)).source))

  const newJob = async (c: Context<Env>, request: CreateRequest): Promise<NewJob> => {
    const { title, imageUrl, videoUrl, pictureUrls, options, range } = request
    const cast = await Promise.all((request.cast ?? []).map(({ imageUrls }) => sourcesOf(c, imageUrls, 'cast')))
    const image = cast[0]?.[0] ?? (await findSource(c, imageUrl, 'imageUrl')).source
    const pictures = cast[0] ? [] : await sourcesOf(c, pictureUrls ?? [], 'pictureUrls')
    const reason = range ? rangeProblem(range, null) : null
    if (reason !== null)
      throw new HttpProblem(422, 'range-invalid', 'The parts of range must be in order and apart.', { reason })
    const { source: video, name: videoName } = await findSource(c, videoUrl, 'videoUrl')
    return {
      ...{ objectId: randomUUID(), taskId: randomUUID(), footageId: randomUUID(), videoId: randomUUID() },
      ...{ userId: c.get('userId'), title, image, pictures, cast, video, videoName },
      ...{ range: range ?? null, options: options ?? defaultOptions },
    }
  }

  route('POST', 'create', async (c) => {
    const request = await readJson(c, createRequestSchema, maxCreateBytes)
    const idempotencyKey = c.req.header('idempotency-key')?.slice(0, 255) ?? null
    const requestHash = hash('sha256', writeExactJson(request))
    let made = idempotencyKey === null ? null : await swaps.made(c.get('userId'), idempotencyKey)
    if (!made) {
      const job = await newJob(c, request)
      const { cast, stay } = request
      const clips = cast ? { cast: cast.map((face) => face.clips), stay: stay ?? [] } : null
      made = await swaps.add(job, idempotencyKey, requestHash, clips)
    }
    if (made.requestHash !== requestHash)
      throw refused(422, 'This Idempotency-Key belongs to another request. Use a new one.')
    return json({ objectID: made.objectId })
  })

  route('GET', 'listbyids', async (c) => {
    const asked = c.req.query('objectID') ?? c.req.query('objectId')
    if (asked === undefined) throw refused(400, 'The query parameter objectID is missing.')
    const ids = [...new Set(asked.split(',').map((id) => id.trim()))].filter((id) => id !== '')
    if (ids.length > maxIds)
      throw new HttpProblem(400, 'request-refused', `Send at most ${String(maxIds)} ids in a request.`, { maxIds })
    const link = (path: string): string =>
      baseUrlOf(c, deps) + (links?.sign(path, c.get('keyId'), c.get('foundAt')) ?? path)
    const found = await swaps.find(c.get('userId'), ids)
    return json({ list: found.map(({ job, seq, live }) => taskItem(job, seq, live, link, sentence)) })
  })

  const namedJob = async (c: Context<Env>): Promise<Job> => {
    const [found] = await swaps.find(c.get('userId'), [await readJson(c, objectIdSchema)])
    if (!found) throw notFound('This swap doesn’t exist.')
    return found.job
  }

  // A job that can't be cancelled, paused or resumed stays unchanged; the answer has its status.
  for (const name of ['cancel', 'pause', 'resume'] as const)
    route('POST', name, async (c) => {
      const named = await namedJob(c)
      if (name === 'resume' && named.deletedAt !== null) throw notFound('This swap was deleted.')
      const { objectId, status, paused } = await swaps[name](named)
      return json({ objectID: objectId, status, ...(name === 'cancel' ? {} : { paused }) })
    })

  // Jobs that have ended are left out.
  route('POST', 'order', async (c) => {
    const { objectIDs } = await readJson(c, orderSchema)
    const ids = [...new Set(objectIDs)]
    const jobs = (await swaps.find(c.get('userId'), ids)).map(({ job }) => job)
    if (jobs.length < ids.length) throw notFound('One of these swaps doesn’t exist.')
    await swaps.reorder(jobs)
    return json({ objectIDs: jobs.filter(isOpen).map(({ objectId }) => objectId) })
  })

  route('POST', 'delete', async (c) => {
    const { objectId, deletedAt } = await namedJob(c)
    if (deletedAt === null) await swaps.delete({ objectId }, c.get('keyId'))
    return json({ objectID: objectId })
  })
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
