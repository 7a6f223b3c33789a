/**
 * @file A swap as the app sees it (a "task" in code, a "swap" in words), its states, and the media
 * it is made from. Pure data: main keeps it in SQLite, the studio shows it.
 *
 * queued → uploading → submitting → waiting → processing → succeeded → kept
 *                           ↘ unconfirmed (only the user leaves it)  ↘ failed | cancelled | missing
 * Any active state can be held by a `pause`; the state under it stays what it was.
 * A swap that is still being put together is a `Draft`, not a task: it has no state to keep.
 */
import { z } from 'zod'
import { errorBodySchema } from './errors.ts'
import { faceFlaws, faceOutlineSchema, lostSound, qualityRunSchema, toldEncoding } from './engine.ts'
import { pauseReasons, taskStates } from './task-states.ts'

export * from './task-states.ts'

/**
 * A face picture that was taken in. Lengths in pixels of the upright picture. What is null is not known: the picture has an
 * address that only its service can open (see isUnseen).
 */
export const faceMediaSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Where it came from, if from an address. */
  address: z.string().nullable().default(null),
  width: z.int().nullable(),
  height: z.int().nullable(),
  sizeBytes: z.int().nullable(),
  /** Largest first; the first is the one that is used. */
  faces: z.array(faceOutlineSchema),
  flaws: faceFlaws,
  /** Media id of a 256² crop. */
  thumbnailId: z.string(),
  /** Whether the user said "I may use this face" (kept by the picture's content, not its name), epoch ms. */
  confirmedAt: z.int().nullable(),
  /** `sample`: the picture that comes with Mien, in the public domain; nobody has to be asked. */
  origin: z.enum(['sample']).nullable().default(null),
})
export type FaceMedia = z.infer<typeof faceMediaSchema>

/** A video that was taken in; null as with a face. */
export const videoMediaSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Where it came from, if from an address. */
  address: z.string().nullable(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  durationMs: z.int().nullable(),
  fps: z.number().nullable(),
  sizeBytes: z.int().nullable(),
  codec: z.string().nullable(),
  audioCodec: z.string().nullable(),
  lostSound,
  /** Media id of a representative frame, and its time in the video. */
  coverId: z.string(),
  coverMs: z.int(),
  /** Faces on that frame; empty is possible. */
  faces: z.array(faceOutlineSchema),
})
export type VideoMedia = z.infer<typeof videoMediaSchema>

/** What the composer submits. */
export const draftSchema = z.object({
  faceId: z.string().max(64),
  videoId: z.string().max(64),
  title: z.string().trim().min(1).max(200),
  profileId: z.string().max(64),
})
export type Draft = z.infer<typeof draftSchema>

export const taskProgressSchema = z.object({
  /** 0–1; null while it is not known. */
  share: z.number().nullable(),
  etaMs: z.number().nullable(),
  /** True: learned from earlier swaps, not told by the service; shown striped and with "about". */
  estimated: z.boolean(),
  framesDone: z.int().nullable(),
  framesTotal: z.int().nullable(),
  framesSwapped: z.int().nullable(),
  workFps: z.number().nullable(),
  /** Up to where in the video the service has it safe. */
  savedMs: z.int().nullable().default(null),
  /** While uploading or fetching. */
  bytesDone: z.int().nullable(),
  bytesTotal: z.int().nullable(),
})
export type TaskProgress = z.infer<typeof taskProgressSchema>

/** How long the service is likely to take, learned from earlier swaps; for where it tells no progress. */
export const expectedSchema = z.object({
  /** When the clock began, epoch ms. */
  since: z.int(),
  /** The middle of what is likely, and its spread, in ms from `since`. */
  ms: z.int(),
  lowMs: z.int(),
  highMs: z.int(),
})
export type Expected = z.infer<typeof expectedSchema>

/** The newest swapped frame beside the same frame as it came; media ids change with each new one. */
export const taskPreviewSchema = z.object({ frame: z.int(), beforeId: z.string(), afterId: z.string() })

export const taskResultSchema = z.object({
  /** Media id of the video that was kept. */
  mediaId: z.string(),
  /** File name, and the folder as a person says it ("Movies / Mien"). */
  fileName: z.string(),
  folderName: z.string(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  durationMs: z.int().nullable(),
  sizeBytes: z.int(),
  fps: z.number().nullable(),
  videoCodec: z.string().nullable(),
  audioCodec: z.string().nullable(),
  lostSound,
  frames: z.int().nullable(),
  swappedFrames: z.int().nullable(),
  workFps: z.number().nullable(),
  ...toldEncoding,
  quality: z.array(qualityRunSchema).nullable(),
})
export type TaskResult = z.infer<typeof taskResultSchema>

/** One line of "What happened". The sentence is made by the studio from `what` and `details`. */
export const taskEventSchema = z.object({
  at: z.int(),
  what: z.enum([
    'added',
    'uploaded',
    'sent',
    'unconfirmed',
    'sent-again',
    'id-given',
    'started',
    'paused',
    'resumed',
    'restarted',
    'succeeded',
    'kept',
    'failed',
    'cancelled',
    'missing',
  ]),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
})
export type TaskEvent = z.infer<typeof taskEventSchema>

export const taskSchema = z.object({
  /** The app's own id (UUID). */
  id: z.string(),
  profileId: z.string(),
  title: z.string(),
  face: faceMediaSchema,
  video: videoMediaSchema,
  state: z.enum(taskStates),
  pause: z.enum(pauseReasons).nullable(),
  /** The service's id, once it gave one. */
  objectId: z.string().nullable(),
  /** The service's own word, verbatim. */
  serviceStatus: z.string().nullable(),
  /** The service's own `taskId`. */
  serviceTaskId: z.string().nullable(),
  progress: taskProgressSchema.nullable(),
  expected: expectedSchema.nullable().default(null),
  /** Place in its service's queue while it is not sent; smaller goes first. */
  position: z.int().nullable().default(null),
  preview: taskPreviewSchema.nullable(),
  error: errorBodySchema.nullable(),
  result: taskResultSchema.nullable(),
  /** Media ids: a swapped frame, and the people found in the video. */
  coverId: z.string().nullable(),
  peopleIds: z.array(z.string()),
  createdAt: z.int(),
  updatedAt: z.int(),
  /** When the service took it up, and when it ended (kept, failed, cancelled, missing). */
  startedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
  events: z.array(taskEventSchema),
})
export type Task = z.infer<typeof taskSchema>
