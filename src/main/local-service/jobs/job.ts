/** @file A swap as the embedded service keeps it. */
import { z } from 'zod'
import { swapResultSchema } from '@shared/engine.ts'
import { errorBodySchema } from '@shared/errors.ts'
import { statusWords } from '@shared/wire.ts'

const sourceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('asset'), id: z.string() }),
  z.object({ kind: z.literal('web'), url: z.string() }),
])

export const jobSchema = z.object({
  objectId: z.string(),
  taskId: z.string(),
  footageId: z.string(),
  videoId: z.string(),
  /** Decimal digits of an unsigned 64-bit integer. */
  userId: z.string(),
  title: z.string(),
  image: sourceSchema,
  video: sourceSchema,
  /** File name of the video, as uploaded or as in its address. */
  videoName: z.string().nullable(),
  status: z.enum(statusWords),
  /** Epoch ms, all of them. */
  createdAt: z.number(),
  updatedAt: z.number(),
  endedAt: z.number().nullable(),
  deletedAt: z.number().nullable(),
  /** What the video itself says; null until it was looked at. */
  footage: z
    .object({ width: z.int(), height: z.int(), durationMs: z.int(), frames: z.int().nullable(), hasCover: z.boolean() })
    .nullable(),
  result: swapResultSchema.extend({ hasAudio: z.boolean(), hasCover: z.boolean() }).nullable(),
  error: errorBodySchema.nullable(),
  /** Held by the user: it is `queued` and nobody takes it up. */
  paused: z.boolean().default(false),
  /** What is on disk of an unfinished swap: frames, of how many, and up to where in the video. */
  saved: z.object({ frames: z.int(), framesTotal: z.int().nullable(), savedMs: z.int() }).nullable().default(null),
})
export type Job = z.infer<typeof jobSchema>

export const isOpen = (job: Job): boolean => job.status === 'queued' || job.status === 'processing'

/** Names under `/v1/results/<objectId>/`, and where each lies in the job's folder. */
export const resultFiles: ReadonlyMap<string, string> = new Map([
  ['video.mp4', 'result/output.mp4'],
  ['cover.jpg', 'result/cover.jpg'],
  ['audio.m4a', 'result/audio.m4a'],
  ['footage.jpg', 'footage/cover.jpg'],
  ...Array.from({ length: 10 }, (_, n): [string, string] => [`face-${String(n)}.jpg`, `result/face-${String(n)}.jpg`]),
])

/** A preview is copied under the number of its frame, so that nobody reads it while the next one is written. */
export const previewName = /^(?:before|after)-\d{1,9}\.jpg$/
