/**
 * @file A job of a service, the sources of its face and video, and the URLs of uploads; and its row in the shared tables, for
 * the routes and the workers.
 */
import { z } from 'zod'
import { engineProgressSchema, swapResultSchema } from '@shared/engine/engine.ts'
import { errorBodySchema } from '@shared/errors.ts'
import { clipSchema, rangeSchema } from '@shared/people/people.ts'
import { defaultOptions, swapOptionsSchema } from '@shared/options/swap-options.ts'
import { statusWords } from '@shared/service/wire.ts'
import { placeColumns, type Place, type Row, type Sql, type Value } from './database/database.ts'

const assetId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

/** Source of a job's face or video. An asset is stored by its id, because the port changes with each start. */
const sourceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('asset'), id: z.string() }),
  z.object({ kind: z.literal('web'), url: z.string() }),
])
export type Source = z.infer<typeof sourceSchema>

export const assetPath = (id: string): string => `/v1/assets/${id}`

/** Null: not an http(s) URL, or one with credentials. @param isHere whether an address is one of this service */
export function readSource(address: string, isHere: (url: URL) => boolean): Source | null {
  const text = address.trim()
  const url = text.startsWith('/') ? URL.parse(text, 'http://127.0.0.1') : URL.parse(text)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  if (url.username !== '' || url.password !== '') return null
  const isOwn = /^\/(?!\/)/.test(text) || isHere(url)
  const own = isOwn ? /^\/v1\/assets\/([^/]+)$/.exec(url.pathname)?.[1] : undefined
  if (own !== undefined && assetId.test(own)) return { kind: 'asset', id: own }
  return text.startsWith('/') ? null : { kind: 'web', url: url.href }
}

/** Current URL of a source. @param link makes the URL of a path of this service */
export const addressOf = (source: Source, link: (path: string) => string): string =>
  source.kind === 'asset' ? link(assetPath(source.id)) : source.url

/** What a client wants, which never changes. */
const wishSchema = z.object({
  taskId: z.string(),
  footageId: z.string(),
  videoId: z.string(),
  title: z.string(),
  image: sourceSchema,
  /** More pictures of the same person. */
  pictures: z.array(sourceSchema).default([]),
  /** Pictures of each face; empty: `image` and `pictures` replace the largest face. See JobClips. */
  cast: z.array(z.array(sourceSchema)).default([]),
  range: rangeSchema.nullable().default(null),
  options: swapOptionsSchema.default(defaultOptions),
  video: sourceSchema,
  /** File name of the video, from the upload or the URL. */
  videoName: z.string().nullable(),
})

export const jobSchema = wishSchema.extend({
  objectId: z.string(),
  /** Decimal digits of an unsigned 64-bit integer. */
  userId: z.string(),
  status: z.enum(statusWords),
  /** All times in epoch ms. */
  createdAt: z.number(),
  updatedAt: z.number(),
  endedAt: z.number().nullable(),
  deletedAt: z.number().nullable(),
  /** Facts about the video; null until it was inspected. */
  footage: z
    .object({ width: z.int(), height: z.int(), durationMs: z.int(), frames: z.int().nullable(), hasCover: z.boolean() })
    .nullable(),
  result: swapResultSchema.extend({ hasAudio: z.boolean(), hasCover: z.boolean() }).nullable(),
  error: errorBodySchema.nullable(),
  /** Paused by the user: `queued`, but not started. */
  paused: z.boolean().default(false),
  /** Partial work on disk: frames done, total frames, and position in the video (ms). */
  saved: z.object({ frames: z.int(), framesTotal: z.int().nullable(), savedMs: z.int() }).nullable().default(null),
})
export type Job = z.infer<typeof jobSchema>
export type NewJob = z.infer<typeof wishSchema> & Pick<Job, 'objectId' | 'userId'>

/** Live state of the running job. `previewFrame`: frame of the available preview. */
const liveSchema = z.object({ progress: engineProgressSchema.nullable(), previewFrame: z.number().nullable() })
export type Live = z.infer<typeof liveSchema>

/** Clips of the people in a job's video. Stored apart from the job, which is parsed with each status request. */
export const jobClips = z.object({
  /** Of each face of the job's cast. */
  cast: z.array(z.array(clipSchema)),
  /** Of people who keep their face. */
  stay: z.array(clipSchema),
})
export type JobClips = z.infer<typeof jobClips>

/** The media that a job needs. */
export const sourcesOf = ({ image, pictures, cast, video }: NewJob): Source[] => [
  image,
  ...pictures,
  ...cast.flat(),
  video,
]

export const isOpen = (job: Job): boolean => job.status === 'queued' || job.status === 'processing'

/** Names under `/v1/results/<objectId>/`, and their paths in the job's folder. */
export const resultFiles: ReadonlyMap<string, string> = new Map([
  ['video.mp4', 'result/output.mp4'],
  ...['jpg', 'png', 'webp'].map((format): [string, string] => [`picture.${format}`, `result/output.${format}`]),
  ['cover.jpg', 'result/cover.jpg'],
  ['audio.m4a', 'result/audio.m4a'],
  ['footage.jpg', 'footage/cover.jpg'],
  ...Array.from({ length: 10 }, (_, n): [string, string] => [`face-${String(n)}.jpg`, `result/face-${String(n)}.jpg`]),
])

/** A preview's name contains its frame number, so that it isn't overwritten while it is read. */
export const previewName = /^(?:before|after)-\d{1,9}\.jpg$/

/** JSON of a column; null: empty. */
const json = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : null)

export const toJson = (value: unknown): Value => (value === null ? null : JSON.stringify(value))

/** @param row with `footage` */
export const footageOf = (row: Row): Job['footage'] => jobSchema.shape.footage.parse(json(row['footage']))

/** The columns of `swaps` that `jobOf` and `liveOf` read. */
export const jobColumns = `seq, object_id AS "objectId", user_id AS "userId", status, paused, created_at AS "createdAt",
  updated_at AS "updatedAt", ended_at AS "endedAt", deleted_at AS "deletedAt", footage, saved, live, result, error,
  checked, data`

/** SQL condition: a swap that failed can be resumed, from partial work or because its disk was full. */
export const hasWork = `(saved IS NOT NULL OR error LIKE '%"disk-full"%')`

/**
 * The row's own columns come last: in rows of the first release, `data` has all of the job.
 * @param row of `swaps`, with `jobColumns`
 */
export const jobOf = (row: Row): Job =>
  jobSchema.parse({
    ...z.looseObject({}).parse(json(row['data'])),
    ...row,
    paused: row['paused'] === 1,
    footage: json(row['footage']),
    saved: json(row['saved']),
    result: json(row['result']),
    error: json(row['error']),
  })

/** Null: nothing is known yet. */
export const liveOf = (row: Row): Live | null => liveSchema.safeParse(json(row['live'])).data ?? null

export const wishOf = (job: NewJob): string => JSON.stringify(wishSchema.parse(job))

/** Changes a swap if `condition` is true; undefined: it isn't. Values of both begin with `$2`. */
export async function changeSwap(
  sql: Sql,
  objectId: string,
  set: string,
  condition = 'TRUE',
  values: readonly Value[] = [],
): Promise<(Place & { status: string; badResults: number }) | undefined> {
  const [row] = await sql.query<Place & { status: string; badResults: number }>(
    `UPDATE swaps SET ${set} WHERE object_id = $1 AND ${condition}
       RETURNING status, bad_results AS "badResults", ${placeColumns}`,
    [objectId, ...values],
  )
  return row
}
