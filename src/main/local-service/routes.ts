/** @file The embedded service's routes: the interface, and the extras that its capabilities list. */
import { createHash, randomUUID } from 'node:crypto'
import { Hono, type Context } from 'hono'
import type { ErrorBody } from '@shared/errors.ts'
import { MienError } from '@shared/errors.ts'
import { writeExactJson } from '@shared/exact-json.ts'
import {
  capabilitiesSchema,
  createRequestSchema,
  deleteKeyRequestSchema,
  maxU64,
  newKeyRequestSchema,
  type CreateRequest,
} from '@shared/wire.ts'
import { z } from 'zod'
import { mimeTypeOf } from '../protocol/mime-types.ts'
import { addressOf, assetPath, readSource, type Source } from './addresses.ts'
import type { AssetStore } from './asset-store.ts'
import { fileAnswer } from './file-answer.ts'
import { localOnly, withAdminToken, withKey, type Env } from './guard.ts'
import { previewName, resultFiles, type Job } from './job.ts'
import type { JobRunner } from './job-runner.ts'
import type { JobStore } from './job-store.ts'
import type { KeyStore, StoredKey } from './key-store.ts'
import { Refusal } from './problem.ts'
import { RateLimit } from './rate-limit.ts'
import { readJson } from './read-json.ts'
import { taskItem, u64 } from './task-item.ts'

const maxIds = 200
const perSecond = 20
const prefixes = ['/v1/faceswap-openapi', '/v1/faceswap_openapi', '/v1/faceswap-opanpai']

const capabilities = capabilitiesSchema.parse({
  assets: true,
  cancel: true,
  pause: true,
  delete: true,
  idempotency: true,
  progress: true,
  maxIds,
  formats: ['mp4', 'mov', 'webm', 'mkv', 'jpg', 'png', 'webp'],
})

export interface RouteDeps {
  keys: KeyStore
  assets: AssetStore
  jobs: JobStore
  runner: JobRunner
  adminToken: string
  port: () => number
  now: () => number
  sentence: (error: ErrorBody) => string
  log: (message: string, error?: unknown) => void
}

const json = (value: unknown): Response =>
  new Response(writeExactJson(value), {
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })

const objectIdSchema = z.union([
  z.object({ objectID: z.string().min(1) }).transform((body) => body.objectID),
  z.object({ objectId: z.string().min(1) }).transform((body) => body.objectId),
])

/** A user id from a query. */
function userIdOf(text: string | undefined): string {
  if (text === undefined || !/^\d{1,20}$/.test(text) || BigInt(text) > maxU64)
    throw new Refusal(400, 'request-refused', 'userId must be an unsigned 64-bit integer.')
  return String(BigInt(text))
}

const keyView = (key: StoredKey) => ({
  id: key.id,
  userId: u64(key.userId),
  mask: key.mask,
  lastFour: key.lastFour,
  createdAt: new Date(key.createdAt).toISOString(),
})

/** Failures inside the service that have a meaning for the client. */
function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error
  if (!(error instanceof MienError)) return null
  if (error.code === 'disk-full')
    return new Refusal(507, 'disk-full', 'There is not enough room on the disk.', error.details)
  return error.code === 'request-refused' ? new Refusal(400, error.code, 'The request broke off.', error.details) : null
}

class Routes {
  constructor(private readonly deps: RouteDeps) {}

  private get baseUrl(): string {
    return `http://127.0.0.1:${String(this.deps.port())}`
  }

  private source(address: string | null | undefined, field: string, userId: string): Source {
    if (address === null || address === undefined || address === '')
      throw new Refusal(422, 'request-refused', `${field} is needed: this service makes nothing up.`)
    const source = readSource(address)
    if (!source) throw new Refusal(422, 'address-invalid', `${field} must be an http or https address.`, { field })
    if (source.kind === 'asset' && !this.deps.assets.get(source.id, userId))
      throw new Refusal(422, 'file-missing', `${field} names an upload that is not there.`, { field })
    return source
  }

  private videoName(source: Source, userId: string): string | null {
    if (source.kind === 'asset') return this.deps.assets.get(source.id, userId)?.name ?? null
    const last = new URL(source.url).pathname.split('/').at(-1)
    return last === undefined || last === '' ? null : last
  }

  private newJob({ title, imageUrl, videoUrl }: CreateRequest, userId: string): Job {
    const image = this.source(imageUrl, 'imageUrl', userId)
    const video = this.source(videoUrl, 'videoUrl', userId)
    const now = this.deps.now()
    return {
      objectId: randomUUID(),
      taskId: randomUUID(),
      footageId: randomUUID(),
      videoId: randomUUID(),
      userId,
      title,
      image,
      video,
      videoName: this.videoName(video, userId),
      status: 'queued',
      createdAt: now,
      updatedAt: now,
      endedAt: null,
      deletedAt: null,
      footage: null,
      result: null,
      error: null,
      paused: false,
      saved: null,
    }
  }

  create = async (c: Context<Env>): Promise<Response> => {
    const { userId } = c.get('key')
    const { value } = await readJson(c, createRequestSchema)
    const idempotencyKey = c.req.header('idempotency-key')?.slice(0, 255) ?? null
    const requestHash = createHash('sha256').update(writeExactJson(value)).digest('hex')
    const made = idempotencyKey === null ? null : this.deps.jobs.made(userId, idempotencyKey)
    if (made) {
      if (made.requestHash !== requestHash)
        throw new Refusal(422, 'request-refused', 'This Idempotency-Key was used for another request.')
      return json({ objectID: made.objectId })
    }
    const job = this.newJob(value, userId)
    this.deps.jobs.add(job, idempotencyKey, requestHash)
    this.deps.runner.kick()
    return json({ objectID: job.objectId })
  }

  list = (c: Context<Env>): Response => {
    const { userId } = c.get('key')
    const asked = c.req.query('objectID') ?? c.req.query('objectId')
    if (asked === undefined) throw new Refusal(400, 'request-refused', 'The query parameter objectID is needed.')
    const ids = [...new Set(asked.split(',').map((id) => id.trim()))].filter((id) => id !== '')
    if (ids.length > maxIds)
      throw new Refusal(400, 'request-refused', `At most ${String(maxIds)} ids in one request.`, { maxIds })
    const jobs = ids.flatMap((id) => this.deps.jobs.get(id) ?? []).filter((job) => job.userId === userId)
    return json({ list: jobs.map((job) => this.item(job)) })
  }

  private item(job: Job) {
    const { jobs, runner, sentence } = this.deps
    return taskItem(job, jobs.seq(job.objectId), runner.live(job.objectId), this.baseUrl, sentence)
  }

  private async namedJob(c: Context<Env>): Promise<Job> {
    const { value } = await readJson(c, objectIdSchema)
    const job = this.deps.jobs.get(value)
    if (job?.userId !== c.get('key').userId) throw new Refusal(404, 'not-found', 'There is no such swap.')
    return job
  }

  /** What has ended stays as it is; the answer says how that is. */
  cancel = async (c: Context<Env>): Promise<Response> => {
    const job = this.deps.runner.cancel(await this.namedJob(c))
    return json({ objectID: job.objectId, status: job.status })
  }

  /** As with `cancel`: what cannot be held, or has nothing to go on from, stays as it is. */
  pause = async (c: Context<Env>): Promise<Response> => {
    const job = this.deps.runner.pause(await this.namedJob(c))
    return json({ objectID: job.objectId, status: job.status, paused: job.paused })
  }

  resume = async (c: Context<Env>): Promise<Response> => {
    const job = await this.deps.runner.resume(await this.namedJob(c))
    return json({ objectID: job.objectId, status: job.status, paused: job.paused })
  }

  delete = async (c: Context<Env>): Promise<Response> => {
    const job = await this.namedJob(c)
    if (job.deletedAt === null) await this.deps.runner.delete(job)
    return json({ objectID: job.objectId })
  }

  putAsset = async (c: Context<Env>): Promise<Response> => {
    const { incoming, outgoing } = c.env
    const length = c.req.header('content-length')
    async function* chunks(): AsyncGenerator<Uint8Array> {
      // The client sends no byte of the file before it knows that it is wanted (see `checkContinue` in local-service.ts).
      if (incoming.headers.expect === '100-continue' && 'writeContinue' in outgoing) outgoing.writeContinue()
      // By default an iterator that stops early takes the socket, and the answer, with it.
      yield* incoming.iterator({ destroyOnReturn: false })
    }
    const name = (c.req.param('name') ?? '').slice(0, 255)
    const asset = await this.deps.assets
      .put(c.get('key').userId, name, chunks(), length === undefined ? null : Number(length))
      .finally(() => incoming.resume())
    return json({ id: asset.id, url: addressOf({ kind: 'asset', id: asset.id }, this.baseUrl), size: asset.size })
  }

  private file(c: Context<Env>, path: string, name: string): Promise<Response> {
    return fileAnswer(path, mimeTypeOf(name), {
      method: c.req.method,
      range: c.req.header('range') ?? null,
      ifRange: c.req.header('if-range') ?? null,
    })
  }

  getAsset = (c: Context<Env>): Promise<Response> => {
    const asset = this.deps.assets.get(c.req.param('name') ?? '', c.get('key').userId)
    if (!asset) throw new Refusal(404, 'not-found', 'There is no such upload.')
    return this.file(c, this.deps.assets.path(asset.id), asset.name)
  }

  getResult = (c: Context<Env>): Promise<Response> => {
    const job = this.deps.jobs.get(c.req.param('objectId') ?? '')
    const name = c.req.param('file') ?? ''
    const inFolder = previewName.test(name) ? name : resultFiles.get(name)
    if (job?.userId !== c.get('key').userId || job.deletedAt !== null || inFolder === undefined)
      throw new Refusal(404, 'not-found', 'There is no such file.')
    return this.file(c, `${this.deps.runner.folder(job.objectId)}/${inFolder}`, name)
  }

  newKey = async (c: Context<Env>): Promise<Response> => {
    const { value } = await readJson(c, newKeyRequestSchema)
    const key = this.deps.keys.create(String(value.userId))
    return json({ sk: key.sk, ...keyView(key) })
  }

  listKeys = (c: Context<Env>): Response =>
    json({ list: this.deps.keys.list(userIdOf(c.req.query('userId'))).map(keyView) })

  deleteKey = async (c: Context<Env>): Promise<Response> => {
    const { value } = await readJson(c, deleteKeyRequestSchema)
    if (!this.deps.keys.revoke(value)) throw new Refusal(404, 'not-found', 'There is no such key.')
    return json({})
  }
}

/** The app of one start. Every refusal is a problem+json; nothing else leaves as an error. */
export function createApp(deps: RouteDeps): Hono<Env> {
  const routes = new Routes(deps)
  const app = new Hono<Env>()
  const key = withKey(deps.keys)
  const limited = withKey(deps.keys, new RateLimit(perSecond, deps.now))
  const admin = withAdminToken(deps.adminToken)

  app.use(localOnly(deps.port))
  for (const prefix of prefixes) {
    app.post(`${prefix}/create`, limited, routes.create)
    app.get(`${prefix}/listbyids`, limited, routes.list)
    app.post(`${prefix}/cancel`, limited, routes.cancel)
    app.post(`${prefix}/pause`, limited, routes.pause)
    app.post(`${prefix}/resume`, limited, routes.resume)
    app.post(`${prefix}/delete`, limited, routes.delete)
    for (const name of ['create', 'cancel', 'pause', 'resume', 'delete'])
      app.all(`${prefix}/${name}`, wrongMethod('POST'))
    app.all(`${prefix}/listbyids`, wrongMethod('GET'))
  }
  app.post('/v1/openapi_account/new', admin, routes.newKey)
  app.get('/v1/openapi_account/list', admin, routes.listKeys)
  app.post('/v1/openapi_account/delete', admin, routes.deleteKey)
  app.all('/v1/openapi_account/list', wrongMethod('GET'))
  for (const name of ['new', 'delete']) app.all(`/v1/openapi_account/${name}`, wrongMethod('POST'))
  app.put(assetPath(':name'), key, routes.putAsset)
  app.get(assetPath(':name'), key, routes.getAsset)
  app.get('/v1/results/:objectId/:file', key, routes.getResult)
  app.all(assetPath(':name'), wrongMethod('GET, HEAD, PUT'))
  app.all('/v1/results/:objectId/:file', wrongMethod('GET, HEAD'))
  app.get('/v1/capabilities', () => json(capabilities))

  app.notFound(() => new Refusal(404, 'not-found', 'There is no such operation.').answer())
  app.onError((error) => {
    const refusal = refusalOf(error)
    if (refusal) return refusal.answer()
    deps.log('the embedded service failed', error)
    return new Refusal(500, 'internal', 'The service failed.').answer()
  })
  return app
}

const wrongMethod = (allow: string) => (): Response =>
  new Refusal(405, 'request-refused', `Only ${allow} here.`, {}, { allow }).answer()
