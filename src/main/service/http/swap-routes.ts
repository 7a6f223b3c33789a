/** @file Swap routes of the embedded service: create, list, cancel, pause, resume, order, delete. */
import { createHash, randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import type { ErrorBody } from '@shared/errors.ts'
import { writeExactJson } from '@shared/exact-json.ts'
import { rangeProblem } from '@shared/range.ts'
import { defaultOptions } from '@shared/swap-options.ts'
import { createRequestSchema, type CreateRequest } from '@shared/wire.ts'
import { z } from 'zod'
import { readSource, type Source } from '../jobs/media-source.ts'
import type { AssetStore } from '../embedded/asset-store.ts'
import type { Env } from './guard.ts'
import { isOpen, type Job } from '../jobs/job.ts'
import type { JobRunner } from '../embedded/job-runner.ts'
import type { JobStore } from '../embedded/job-store.ts'
import { json } from './json-answer.ts'
import { HttpProblem } from './problem.ts'
import { readJson } from './read-json.ts'
import { taskItem } from '../jobs/task-item.ts'

/** Max ids per request. */
export const maxIds = 200

/** Max bytes of a create. An hour of one person, with 2.5 places a second, takes 0.2 MB. */
const maxCreateBytes = 8_000_000

export interface SwapRoutesDeps {
  assets: AssetStore
  jobs: JobStore
  runner: JobRunner
  baseUrl: () => string
  now: () => number
  sentence: (error: ErrorBody) => string
}

const objectIdSchema = z.union([
  z.object({ objectID: z.string().min(1) }).transform((body) => body.objectID),
  z.object({ objectId: z.string().min(1) }).transform((body) => body.objectId),
])

const orderSchema = z.object({ objectIDs: z.array(z.string().min(1)).min(1).max(maxIds) })

export class SwapRoutes {
  constructor(private readonly deps: SwapRoutesDeps) {}

  private source(address: string | null | undefined, field: string, userId: string): Source {
    if (address === null || address === undefined || address === '')
      throw new HttpProblem(422, 'request-refused', `${field} is missing. Send the address of a file.`)
    const source = readSource(address)
    if (!source) throw new HttpProblem(422, 'address-invalid', `${field} isn’t an http or https address.`, { field })
    if (source.kind === 'asset' && !this.deps.assets.get(source.id, userId))
      throw new HttpProblem(422, 'file-missing', `The file in ${field} doesn’t exist. Upload it again.`, { field })
    return source
  }

  private videoName(source: Source, userId: string): string | null {
    if (source.kind === 'asset') return this.deps.assets.get(source.id, userId)?.name ?? null
    const last = new URL(source.url).pathname.split('/').at(-1)
    return last === undefined || last === '' ? null : last
  }

  private newJob(request: CreateRequest, userId: string): Job {
    const { title, imageUrl, videoUrl, pictureUrls, options, range } = request
    const cast = (request.cast ?? []).map(({ imageUrls }) => imageUrls.map((url) => this.source(url, 'cast', userId)))
    const image = cast[0]?.[0] ?? this.source(imageUrl, 'imageUrl', userId)
    const pictures = cast[0] ? [] : (pictureUrls ?? []).map((url) => this.source(url, 'pictureUrls', userId))
    const problem = range ? rangeProblem(range, null) : null
    if (problem !== null)
      throw new HttpProblem(422, 'range-invalid', 'The parts of range must be in order and apart.', { reason: problem })
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
      ...{ pictures, cast, range: range ?? null },
      options: options ?? defaultOptions,
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
      ...{ paused: false, position: null },
      saved: null,
    }
  }

  create = async (c: Context<Env>): Promise<Response> => {
    const { userId } = c.get('key')
    const { value } = await readJson(c, createRequestSchema, maxCreateBytes)
    const idempotencyKey = c.req.header('idempotency-key')?.slice(0, 255) ?? null
    const requestHash = createHash('sha256').update(writeExactJson(value)).digest('hex')
    const made = idempotencyKey === null ? null : this.deps.jobs.made(userId, idempotencyKey)
    if (made) {
      if (made.requestHash !== requestHash)
        throw new HttpProblem(422, 'request-refused', 'This Idempotency-Key belongs to another request. Use a new one.')
      return json({ objectID: made.objectId })
    }
    const job = this.newJob(value, userId)
    const { cast, stay } = value
    const clips = cast ? { cast: cast.map((face) => face.clips), stay: stay ?? [] } : null
    this.deps.jobs.add(job, idempotencyKey, requestHash, clips)
    this.deps.runner.kick()
    return json({ objectID: job.objectId })
  }

  list = (c: Context<Env>): Response => {
    const { userId } = c.get('key')
    const asked = c.req.query('objectID') ?? c.req.query('objectId')
    if (asked === undefined) throw new HttpProblem(400, 'request-refused', 'The query parameter objectID is missing.')
    const ids = [...new Set(asked.split(',').map((id) => id.trim()))].filter((id) => id !== '')
    if (ids.length > maxIds)
      throw new HttpProblem(400, 'request-refused', `Send at most ${String(maxIds)} ids in a request.`, { maxIds })
    const jobs = ids.flatMap((id) => this.deps.jobs.get(id) ?? []).filter((job) => job.userId === userId)
    return json({ list: jobs.map((job) => this.item(job)) })
  }

  private item(job: Job) {
    const { jobs, runner, sentence } = this.deps
    return taskItem(job, jobs.seq(job.objectId), runner.live(job.objectId), this.deps.baseUrl(), sentence)
  }

  private async namedJob(c: Context<Env>): Promise<Job> {
    const { value } = await readJson(c, objectIdSchema)
    const job = this.deps.jobs.get(value)
    if (job?.userId !== c.get('key').userId) throw new HttpProblem(404, 'not-found', 'This swap doesn’t exist.')
    return job
  }

  /** An ended job stays unchanged; the answer has its status. */
  cancel = async (c: Context<Env>): Promise<Response> => {
    const job = this.deps.runner.cancel(await this.namedJob(c))
    return json({ objectID: job.objectId, status: job.status })
  }

  /** As with `cancel`: a job that can't be paused or resumed stays unchanged. */
  pause = async (c: Context<Env>): Promise<Response> => {
    const job = this.deps.runner.pause(await this.namedJob(c))
    return json({ objectID: job.objectId, status: job.status, paused: job.paused })
  }

  resume = async (c: Context<Env>): Promise<Response> => {
    const named = await this.namedJob(c)
    if (named.deletedAt !== null) throw new HttpProblem(404, 'not-found', 'This swap was deleted.')
    const job = await this.deps.runner.resume(named)
    return json({ objectID: job.objectId, status: job.status, paused: job.paused })
  }

  /** Jobs that have ended are left out. */
  order = async (c: Context<Env>): Promise<Response> => {
    const { value } = await readJson(c, orderSchema)
    const { userId } = c.get('key')
    const jobs = [...new Set(value.objectIDs)].flatMap((id) => this.deps.jobs.get(id) ?? [])
    if (jobs.some((job) => job.userId !== userId) || jobs.length < new Set(value.objectIDs).size)
      throw new HttpProblem(404, 'not-found', 'One of these swaps doesn’t exist.')
    this.deps.runner.reorder(jobs)
    return json({ objectIDs: jobs.filter(isOpen).map(({ objectId }) => objectId) })
  }

  delete = async (c: Context<Env>): Promise<Response> => {
    const job = await this.namedJob(c)
    if (job.deletedAt === null) await this.deps.runner.delete(job)
    return json({ objectID: job.objectId })
  }
}
