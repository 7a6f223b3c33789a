/**
 * @file The API's resources as strict schemas: what the embedded service reads and sends. The client parses any
 * service's responses more tolerantly (main/remote/client/parsing/read-task.ts).
 *
 * The embedded service adds only these fields to a task item: `progress` (0–1), `etaMs`, `errorCode` and `errorDetails`
 * (see errors.ts) in addition to the sentence in `error`, and `work`. To a create it adds `pictureUrls`, `options`, `cast` and `range`. Times are RFC 3339 in UTC with milliseconds, or
 * null. `avatars` is a JSON array of addresses as text. Fields that the service can't know are null or 0.
 */
import { z } from 'zod'
import { engineProgressSchema, swapResultSchema } from '../engine/engine.ts'
import { errorBodySchema, errorCodes } from '../errors.ts'
import { clipSchema, maxPeople, rangeSchema } from '../people/people.ts'
import { maxPictures, swapOptionsSchema } from '../options/swap-options.ts'

/** Header of every answer of Mien's service, in the app or on a server. Lower case. */
export const serviceHeader = 'x-mien-service'

export const maxU64 = 2n ** 64n - 1n

/** An unsigned 64-bit integer as exact-json.ts parses it: a number if that is exact, otherwise a bigint. */
export const u64Schema = z.union([z.int().nonnegative(), z.bigint().nonnegative().max(maxU64)])
export type U64 = z.infer<typeof u64Schema>

const uint = z.int().nonnegative()
const time = z.iso.datetime({ precision: 3 }).nullable()
const address = z.string().nullable()
const address4k = z.string().max(4000)

export const createRequestSchema = z.object({
  title: z.string().min(1).max(10_000),
  imageUrl: address4k.nullish(),
  videoUrl: address4k.nullish(),
  /** Milliseconds. Ignored in favour of the file's own duration. */
  duration: u64Schema.nullish(),
  /**
   * Extras of the embedded service. Without `cast`, the largest face is replaced by the one in `imageUrl`.
   * `pictureUrls` are more pictures of that person.
   */
  pictureUrls: z
    .array(address4k)
    .max(maxPictures - 1)
    .nullish(),
  options: swapOptionsSchema.nullish(),
  /** Faces, and the clips of the people that they replace. Then `imageUrl` and `pictureUrls` are ignored. */
  cast: z
    .array(
      z.object({
        imageUrls: z.array(address4k).min(1).max(maxPictures),
        clips: z.array(clipSchema).min(1).max(10_000),
      }),
    )
    .min(1)
    .max(maxPeople)
    .nullish(),
  /** Clips of people who keep their face. */
  stay: z.array(clipSchema).max(10_000).nullish(),
  range: rangeSchema.nullish(),
})
export type CreateRequest = z.infer<typeof createRequestSchema>

export const createResponseSchema = z.object({ objectID: z.string() })

/** Properties of a finished swap for which Task, Footage and Video have no field. */
export const workResultSchema = swapResultSchema.pick({
  frames: true,
  swappedFrames: true,
  fps: true,
  workFps: true,
  videoCodec: true,
  audioCodec: true,
  lostSound: true,
  missing: true,
  quality: true,
  weak: true,
  encoder: true,
  fellBack: true,
  ranOn: true,
  model: true,
  oddPictures: true,
})

export const workSchema = engineProgressSchema
  .pick({ stage: true, framesDone: true, framesTotal: true, framesSwapped: true, workFps: true, savedMs: true })
  .extend({
    /** Frame `frame` before and after the swap. The URLs change with each preview and need the key. */
    preview: z.object({ frame: z.int(), beforeUrl: z.string(), afterUrl: z.string() }).nullable(),
    result: workResultSchema.nullable(),
  })
export type Work = z.infer<typeof workSchema>

export const footageSchema = z.object({
  id: uint,
  type: z.string().nullable(),
  name: z.string().nullable(),
  card: z.string().nullable(),
  cardId: z.string().nullable(),
  workflowId: z.string().nullable(),
  status: z.string(),
  cover: address,
  objectId: z.string(),
  userId: u64Schema,
  webId: z.string().nullable(),
  createdAt: time,
  updatedAt: time,
  trashedAt: time,
  removedAt: time,
  videoQty: uint,
})

export const videoSchema = z.object({
  id: u64Schema,
  userId: u64Schema,
  objectId: z.string(),
  footageId: z.string(),
  name: z.string().nullable(),
  width: uint,
  height: uint,
  size: uint,
  duration: uint,
  suffix: z.string().nullable(),
  webId: z.string().nullable(),
  status: z.string(),
  originUrl: address,
  videoUrl: address,
  coverUrl: address,
  audioUrl: address,
  avatars: z.string().nullable(),
  audioText: z.string().nullable(),
  uploadAt: time,
})

/** The embedded service's status words. */
export const statusWords = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const

export const taskItemSchema = z.object({
  id: z.object({}),
  imageUrl: address,
  videoUrl: address,
  userId: u64Schema,
  objectId: z.string(),
  title: z.string(),
  status: z.enum(statusWords),
  taskId: z.string(),
  footageId: z.string(),
  videoId: z.string(),
  createdAt: time,
  updatedAt: time,
  deletedAt: time,
  publishStatus: z.literal([0, 1]),
  duration: uint,
  error: z.string().nullable(),
  Footage: footageSchema,
  Video: videoSchema,
  progress: z.number().min(0).max(1).nullable(),
  etaMs: z.number().nonnegative().nullable(),
  errorCode: z.enum(errorCodes).nullable(),
  errorDetails: errorBodySchema.shape.details.nullable(),
  work: workSchema.nullable(),
})
export type TaskItem = z.infer<typeof taskItemSchema>

export const taskListSchema = z.object({ list: z.array(taskItemSchema) })

/** RFC 9457, with `code` and `details` from errors.ts as extensions. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(errorCodes),
  details: errorBodySchema.shape.details,
})
export type Problem = z.infer<typeof problemSchema>

export const newKeyRequestSchema = z.object({ userId: u64Schema })
const keySchema = z.object({ id: z.string(), userId: u64Schema, mask: z.string(), lastFour: z.string() })
/** `sk` is returned only here; afterwards only the mask is available. */
export const newKeyResponseSchema = keySchema.extend({ sk: z.string() })
export const keyItemSchema = keySchema.extend({ createdAt: time })
export const keyListSchema = z.object({ list: z.array(keyItemSchema) })
/** The key's id, or the key itself. */
export const deleteKeyRequestSchema = z.union([
  z.object({ id: z.string().min(1) }),
  z.object({ sk: z.string().min(1) }),
])

export const assetSchema = z.object({ id: z.string(), url: z.string(), size: uint })

/** Uploads in chunks; `received` is the next byte to send. */
export const begunUploadSchema = z.object({ id: z.string().min(1).max(200) })
export const uploadSchema = z.object({ received: uint })

/** Results of `cancel` and of `resume`. */
export const endedSchema = z.object({ objectID: z.string(), status: z.string() })
export const resumedSchema = z.object({ objectID: z.string(), status: z.string(), paused: z.boolean() })

export const capabilitiesSchema = z.object({
  assets: z.boolean().default(false),
  cancel: z.boolean().default(false),
  /** True if a running swap can be paused (`pause` and `resume`). */
  pause: z.boolean().default(false),
  /** True if the order of swaps that are not finished can be changed. */
  order: z.boolean().default(false),
  delete: z.boolean().default(false),
  idempotency: z.boolean().default(false),
  progress: z.boolean().default(false),
  maxIds: z.int().positive().nullable().default(null),
  formats: z.array(z.string()).default([]),
  /** What `videoUrl` may be besides a video. Unknown values are of newer versions. */
  targets: z.array(z.string()).default([]),
  /** Pictures of one person that a create may have, and the names of its options (swap-options.ts). */
  pictures: z.int().positive().default(1),
  options: z.array(z.string()).default([]),
  /** Values of the option `method`: models on the service's computer. */
  methods: z.array(z.object({ id: z.string(), name: z.string() })).default([]),
  /** Max faces of `cast`; 0: it isn't known. */
  cast: z.int().nonnegative().default(0),
  range: z.boolean().default(false),
  /** True if uploads can be resumed (`/v1/uploads`). */
  uploads: z.boolean().default(false),
})
export type Capabilities = z.infer<typeof capabilitiesSchema>
