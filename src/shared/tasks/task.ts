/**
 * @file A swap (a "task" in code, a "swap" in texts), its states and its media. Pure data: main stores it in SQLite and
 * the studio shows it.
 *
 * queued → uploading → submitting → waiting → processing → succeeded → kept
 *                           ↘ unconfirmed (only the user leaves it)  ↘ failed | cancelled | missing
 * Any active state can have a `pause`, which doesn't change the state.
 * A swap that isn't submitted yet is a `Draft`, not a task: it has no state to store.
 */
import { z } from 'zod'
import { errorBodySchema } from '../errors.ts'
import {
  faceFlaws,
  faceOutlineSchema,
  lostSound,
  missing,
  oddPictures,
  qualityRunSchema,
  ranOnSchema,
  targetKind,
  usedModelSchema,
  weakParts,
} from '../engine/engine.ts'
import { toldEncoding } from '../engine/encoder.ts'
import { maxPeople, partSchema, rangeSchema } from '../people/people.ts'
import { maxPictures, swapOptionsSchema, defaultOptions } from '../options/swap-options.ts'
import { pauseReasons, taskStates } from './task-states.ts'

export * from './task-states.ts'

/**
 * An imported face picture. Lengths are in pixels of the upright picture. Null fields are unknown, because only the
 * service can open the picture's address (see isUnseen).
 */
export const faceMediaSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** URL it was imported from; null for a file. */
  address: z.string().nullable().default(null),
  width: z.int().nullable(),
  height: z.int().nullable(),
  sizeBytes: z.int().nullable(),
  /** Largest first; the first one is used. */
  faces: z.array(faceOutlineSchema),
  flaws: faceFlaws,
  /** Media id of a 256² crop. */
  thumbnailId: z.string(),
  /** SHA-256 of its content, or of the address of one that wasn't opened, in hex. Earlier versions didn't tell it. */
  sha256: z.string().nullish(),
  /** When the user confirmed "I may use this face", epoch ms. Stored by the picture's content, not its name. */
  confirmedAt: z.int().nullable(),
  /** When the consent was withdrawn, epoch ms; the face can't be used then, and `confirmedAt` is null. */
  withdrawnAt: z.int().nullish(),
  /** `sample`: the public-domain picture that comes with Mien, which needs no confirmation. */
  origin: z.enum(['sample']).nullable().default(null),
})
export type FaceMedia = z.infer<typeof faceMediaSchema>

/**
 * An imported video, picture or animated picture. Null fields are unknown, as in `faceMediaSchema`. A picture has no
 * duration and no frame rate, so they are null too.
 */
export const videoMediaSchema = z.object({
  id: z.string(),
  kind: targetKind,
  name: z.string(),
  /** URL it was imported from; null for a file. */
  address: z.string().nullable(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  durationMs: z.int().nullable(),
  fps: z.number().nullable(),
  sizeBytes: z.int().nullable(),
  /** Without sound, in bits per second; null also for videos that earlier versions imported. */
  bitrate: z.number().nullable().default(null),
  codec: z.string().nullable(),
  audioCodec: z.string().nullable(),
  lostSound,
  missing,
  /** Media id of a representative frame, and its time in the video. */
  coverId: z.string(),
  coverMs: z.int(),
  /** Faces on that frame; may be empty. */
  faces: z.array(faceOutlineSchema),
})
export type VideoMedia = z.infer<typeof videoMediaSchema>

/** Media ids of a face's picture, and of more pictures of the same person. */
const draftFace = {
  faceId: z.string().max(64),
  pictureIds: z
    .array(z.string().max(64))
    .max(maxPictures - 1)
    .default([]),
}

/** What the composer submits. */
export const draftSchema = z.object({
  ...draftFace,
  videoId: z.string().max(64),
  title: z.string().trim().min(1).max(200),
  profileId: z.string().max(64),
  options: swapOptionsSchema.default(defaultOptions),
  /**
   * Who becomes whom: people of the video (VideoPeople) and faces. Empty: the largest face becomes `faceId`. Otherwise
   * its first entry repeats `faceId` and `pictureIds`.
   */
  cast: z
    .array(z.object({ personId: z.string().max(64), ...draftFace }))
    .max(maxPeople)
    .default([]),
  range: rangeSchema.nullable().default(null),
})
export type Draft = z.input<typeof draftSchema>

export const taskProgressSchema = z.object({
  /** 0–1; null if unknown. */
  share: z.number().nullable(),
  etaMs: z.number().nullable(),
  /** True if estimated from earlier swaps instead of reported by the service; shown striped and with "about". */
  estimated: z.boolean(),
  framesDone: z.int().nullable(),
  framesTotal: z.int().nullable(),
  framesSwapped: z.int().nullable(),
  workFps: z.number().nullable(),
  /** Position in the video up to which the service has saved the swap. */
  savedMs: z.int().nullable().default(null),
  /** True while the service reads what it saved before a stop, before it goes on. */
  isChecking: z.boolean().default(false),
  /** While uploading or downloading. */
  bytesDone: z.int().nullable(),
  bytesTotal: z.int().nullable(),
})
export type TaskProgress = z.infer<typeof taskProgressSchema>

/** Expected duration, estimated from earlier swaps; for services that report no progress. */
export const expectedSchema = z.object({
  /** Start of the estimate, epoch ms. */
  since: z.int(),
  /** Expected duration and its range, in ms from `since`. */
  ms: z.int(),
  lowMs: z.int(),
  highMs: z.int(),
})
export type Expected = z.infer<typeof expectedSchema>

/** The latest frame before and after the swap. The media ids change with each preview. */
export const taskPreviewSchema = z.object({ frame: z.int(), beforeId: z.string(), afterId: z.string() })

/** Whether a result carries content credentials. `off`: turned off. `unsupported`: such a file has no place for them. */
export const credentialsState = z.enum(['signed', 'off', 'unsupported', 'failed'])
export type CredentialsState = z.infer<typeof credentialsState>

export const taskResultSchema = z.object({
  /** Media id of the saved video. */
  mediaId: z.string(),
  /** File name, and the folder as shown to people ("Movies / Mien"). */
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
  missing,
  frames: z.int().nullable(),
  swappedFrames: z.int().nullable(),
  workFps: z.number().nullable(),
  ...toldEncoding,
  ranOn: ranOnSchema.nullish(),
  model: usedModelSchema.nullish(),
  quality: z.array(qualityRunSchema).nullable(),
  weak: weakParts,
  oddPictures,
  /** Null: saved before there were credentials. */
  credentials: credentialsState.nullable().default(null),
})
export type TaskResult = z.infer<typeof taskResultSchema>

/** A file of a finished swap, of which parts may have been swapped again. */
export const taskVersionSchema = z.object({
  /** From 1. */
  number: z.int().positive(),
  at: z.int(),
  /** What was done to the version before, in ms of the result; null for the first one. */
  change: z.object({ kind: z.enum(['swapped', 'left']), ...partSchema.shape }).nullable(),
  /** What its result has of its own. */
  ...taskResultSchema.pick({ sizeBytes: true, swappedFrames: true, quality: true, weak: true, credentials: true })
    .shape,
})
export type TaskVersion = z.infer<typeof taskVersionSchema>

/** The files of a swap of which a part was swapped again (see main/swaps/versions). */
export const taskVersionsSchema = z.object({
  /** Ascending by number; the first one is always there. */
  list: z.array(taskVersionSchema).min(1),
  /** Number of the one that `result` is. */
  current: z.int(),
  /** The one that is about to become the current one, and whether it was just made; null: none. */
  placing: z.object({ number: z.int(), isNew: z.boolean() }).nullable(),
})

/** How a part of a finished swap is made again. */
export const partChangeSchema = z.object({
  part: partSchema,
  /**
   * For each person of the swap's cast (one without a cast), whose face they get: an index in the cast, or the media id
   * of a picture; null: their own.
   */
  faces: z.array(z.union([z.int().nonnegative(), z.string().min(1).max(200)]).nullable()).max(maxPeople),
  options: swapOptionsSchema,
})
export type PartChange = z.infer<typeof partChangeSchema>

/** One line of "What happened". The studio makes the sentence from `what` and `details`. */
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
    'part-swapped',
    'part-left',
    'went-back',
  ]),
  details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
})
export type TaskEvent = z.infer<typeof taskEventSchema>

/** A person in the video, and the face that replaces theirs. The person's clips are stored apart (`CastClips`). */
export const taskCastSchema = z.object({
  personId: z.string(),
  personName: z.string().nullable(),
  /** Media id of the person's face in the video. */
  personFaceId: z.string(),
  face: faceMediaSchema,
  pictures: z.array(faceMediaSchema),
})
export type TaskCast = z.infer<typeof taskCastSchema>

/** A consent that a swap uses: what it was when the swap was added. */
export const usedConsentSchema = z.object({
  id: z.string(),
  /** SHA-256 of the picture's content, or of its address if it was never opened. */
  face: z.string(),
  /** When it was given, epoch ms. */
  at: z.int(),
  /** SHA-256 of the release; null without one. */
  release: z.string().nullable(),
})
export type UsedConsent = z.infer<typeof usedConsentSchema>

export const taskSchema = z.object({
  /** The app's own id (UUID). */
  id: z.string(),
  profileId: z.string(),
  title: z.string(),
  face: faceMediaSchema,
  /** More pictures of the same person. */
  pictures: z.array(faceMediaSchema).default([]),
  options: swapOptionsSchema.default(defaultOptions),
  video: videoMediaSchema,
  /** Who becomes whom; empty: the largest face becomes `face`. `face` and `pictures` repeat the first entry's. */
  cast: z.array(taskCastSchema).default([]),
  /** Consents for its pictures. None for pictures that come with Mien, and in swaps of earlier versions. */
  consents: z.array(usedConsentSchema).default([]),
  range: rangeSchema.nullable().default(null),
  /** The batch that it was submitted with, its number in it (from 1), and their count. */
  batch: z
    .object({ id: z.string(), number: z.int().min(1), count: z.int().min(1) })
    .nullable()
    .default(null),
  state: z.enum(taskStates),
  pause: z.enum(pauseReasons).nullable(),
  /** The service's id; null before it assigns one. */
  objectId: z.string().nullable(),
  /** The service's status word, verbatim. */
  serviceStatus: z.string().nullable(),
  /** The service's `taskId`. */
  serviceTaskId: z.string().nullable(),
  progress: taskProgressSchema.nullable(),
  expected: expectedSchema.nullable().default(null),
  /** Position in its service's queue until it is sent; lower is sent first. */
  position: z.int().nullable().default(null),
  preview: taskPreviewSchema.nullable(),
  error: errorBodySchema.nullable(),
  result: taskResultSchema.nullable(),
  /** Null until a part was swapped again. */
  versions: taskVersionsSchema.nullable().default(null),
  /** Media ids: a swapped frame, and the people found in the video. */
  coverId: z.string().nullable(),
  peopleIds: z.array(z.string()),
  createdAt: z.int(),
  updatedAt: z.int(),
  /** When the service started it, and when it ended (kept, failed, cancelled, missing). */
  startedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
  events: z.array(taskEventSchema),
})
export type Task = z.infer<typeof taskSchema>
