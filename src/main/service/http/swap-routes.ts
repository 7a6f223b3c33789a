/** @file Swap routes of a service: create, list, cancel, pause, resume, order, delete. */
import { createHash, randomUUID } from 'node:crypto'
import type { Context, Hono, MiddlewareHandler } from 'hono'
import { writeExactJson } from '@shared/service/exact-json.ts'
import { rangeProblem } from '@shared/people/range.ts'
import { defaultOptions } from '@shared/options/swap-options.ts'
import { createRequestSchema, type CreateRequest } from '@shared/service/wire.ts'
import { z } from 'zod'
import { readSource, type Source, isOpen, type Job, type NewJob } from '../jobs/job.ts'
import { baseUrlOf, type Env } from './guard.ts'
import { json, HttpProblem, notFound, readJson, refused } from './json.ts'
import { taskItem } from '../jobs/task-item.ts'
import type { RouteDeps } from './routes.ts'

/** Max ids per request. */
export const maxIds = 200

/** Max bytes of a create. An hour of one person, with 2.5 places a second, takes 0.2 MB. */
const maxCreateBytes = 8_000_000

const objectIdSchema = z.union([
  z.object({ objectID: z.string().min(1) }).transform((body) => body.objectID),
  z.object({ objectId: z.string().min(1) }).transform((body) => body.objectId),
])

const orderSchema = z.object({ objectIDs: z.array(z.string().min(1)).min(1).max(maxIds) })

const prefixes = ['/v1/faceswap-openapi', '/v1/faceswap_openapi', '/v1/faceswap-opanpai']

/** @param key requires a key */
export function addSwapRoutes(app: Hono<Env>, deps: RouteDeps, key: MiddlewareHandler<Env>): void {
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
    const requestHash = createHash('sha256').update(writeExactJson(request)).digest('hex')
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
