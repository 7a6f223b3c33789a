/**
 * @file What crosses between the main process (`main/engine`) and the hidden engine window.
 * Requests go in, events come out; both are parsed where they arrive. Pixels, video and pictures
 * do not travel here: the engine reads `media://` addresses and writes files by
 * `PUT media://job/<token>/<name>` with an `x-position` header (byte offset, default 0).
 */
import { z } from 'zod'
import { errorBodySchema } from './errors.ts'

const point = z.tuple([z.number(), z.number()])

/** A face found in a still. All lengths in pixels of the upright picture or frame. */
export const faceOutlineSchema = z.object({
  box: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
  /** The face oval, closed, in order. */
  oval: z.array(point).max(64),
  /** A few landmarks (brows, eyes, nose, lips) for the drawing on the slot. */
  points: z.array(point).max(64),
})
export type FaceOutline = z.infer<typeof faceOutlineSchema>

/** Files the engine may write for a job, by name; anything else is refused. */
export const jobFilePattern =
  /^(?:output\.mp4|segment-\d{4,6}\.(?:bin|json)|cover\.jpg|face\.jpg|face-[0-9]\.jpg|audio\.m4a|before\.jpg|after\.jpg)$/

/** What encodes H.264: the graphics chip, or the processor. */
export const encoderSchema = z.enum(['hardware', 'software'])
export type Encoder = z.infer<typeof encoderSchema>

/** Why it was not the graphics chip that was asked for: it does not take such frames, or it failed. */
const fellBack = z.enum(['refused', 'failed']).nullable()

/** How a swap is encoded. */
export interface EncoderChoice {
  encoder: Encoder
  fellBack: z.infer<typeof fellBack>
}

/** The same as it is told; null: by a Mien that did not tell. */
export const toldEncoding = { encoder: encoderSchema.nullable().default(null), fellBack: fellBack.default(null) }

const jobBase = z.object({
  id: z.string(),
  /** `media://job/<token>`, no slash at the end: the job's own folder, to write and to read. */
  folder: z.string(),
})

export const engineRequestSchema = z.discriminatedUnion('kind', [
  /** Finds faces in a picture; writes `face.jpg`, a 256² crop of the largest one. */
  jobBase.extend({ kind: z.literal('inspect-face'), source: z.string() }),
  /** Reads a video's facts and finds faces on a readable frame; writes `cover.jpg` (that frame, at most 1280 wide). */
  jobBase.extend({ kind: z.literal('inspect-video'), source: z.string() }),
  /**
   * Swaps the largest face; writes `output.mp4`, `cover.jpg` (a swapped frame), `face-N.jpg` (256² crops of the faces
   * found on it, as they were before), `audio.m4a` (first audio track, packets copied; only if there is one) and, at
   * most twice a second while it works, `before.jpg` and `after.jpg` (the same frame, at most 960 wide). What is done is
   * kept every few seconds as `segment-N.bin` and `segment-N.json`; asked again with the same folder, it goes on there.
   * Where the graphics chip's encoder does not do it, the processor's does, and the result says so.
   */
  jobBase.extend({ kind: z.literal('swap'), face: z.string(), video: z.string(), encoder: encoderSchema }),
  /** Tries both encoders on a moving test picture; reads and writes no files. */
  z.object({ id: z.string(), kind: z.literal('probe') }),
])
export type EngineRequest = z.infer<typeof engineRequestSchema>

/** What keeps the used face of a picture from looking as good as it could. */
export const faceFlaws = z.array(z.enum(['turned', 'covered'])).default([])
export type FaceFlaw = z.infer<typeof faceFlaws>[number]

export const faceInspectionSchema = z.object({
  width: z.int(),
  height: z.int(),
  /** Largest first; never empty (no face is the error `no-face-in-picture`). */
  faces: z.array(faceOutlineSchema).max(10),
  flaws: faceFlaws,
})
export type FaceInspection = z.infer<typeof faceInspectionSchema>

/** Codecs of the sound tracks that an MP4 file has no place for. */
export const lostSound = z.array(z.string()).default([])

export const videoInspectionSchema = z.object({
  container: z.string(),
  codec: z.string(),
  /** As shown: after rotation and pixel aspect. */
  width: z.int(),
  height: z.int(),
  durationMs: z.int(),
  /** Average over the whole track. */
  fps: z.number(),
  frames: z.int().nullable(),
  /** Of the first sound track. */
  audioCodec: z.string().nullable(),
  lostSound,
  /** Presentation time of the frame in `cover.jpg`. */
  coverMs: z.int(),
  /** Faces on that frame, largest first, in pixels of `width × height`; may be empty. */
  faces: z.array(faceOutlineSchema).max(10),
})
export type VideoInspection = z.infer<typeof videoInspectionSchema>

/** Runs of frames that were treated alike; together they cover the video without gaps. */
export const qualityRunSchema = z.object({
  /** `damaged`: could not be read, the frame before was repeated. */
  kind: z.enum(['swapped', 'turned', 'none', 'damaged']),
  frames: z.int(),
})
export type QualityRun = z.infer<typeof qualityRunSchema>

export const swapResultSchema = z.object({
  ...toldEncoding,
  width: z.int(),
  height: z.int(),
  frames: z.int(),
  /** Frames whose face was replaced, faded ones included. */
  swappedFrames: z.int(),
  durationMs: z.int(),
  sizeBytes: z.int(),
  /** Frames a second of the video, and of the work. */
  fps: z.number(),
  workFps: z.number(),
  elapsedMs: z.int(),
  videoCodec: z.string(),
  /** Of the first sound track that was kept. */
  audioCodec: z.string().nullable(),
  lostSound,
  /** How many `face-N.jpg` were written. */
  faces: z.int(),
  quality: z.array(qualityRunSchema),
  /** Wall milliseconds by stage, for the benchmark. */
  stages: z.record(z.string(), z.number()),
})
export type SwapResult = z.infer<typeof swapResultSchema>

/** How an encoder did: frames a second of 720p, or what is wrong with it. */
export const encoderTrialSchema = z.object({
  fps: z.number().nullable(),
  /** There is none; it failed; it did not answer; what it made is not what it was given. */
  problem: z.enum(['absent', 'failed', 'silent', 'wrong']).nullable(),
})
export type EncoderTrial = z.infer<typeof encoderTrialSchema>

export const probeResultSchema = z.object({ hardware: encoderTrialSchema, software: encoderTrialSchema })
export type ProbeResult = z.infer<typeof probeResultSchema>

export const engineProgressSchema = z.object({
  /** `preparing` (face, models), `swapping` (frames), `finishing` (index, audio). */
  stage: z.enum(['preparing', 'swapping', 'finishing']),
  /** What the video itself says, as it is shown; null until it was opened. */
  footage: z.object({ width: z.int(), height: z.int(), durationMs: z.int() }).nullable(),
  framesDone: z.int(),
  /** Null while it is not known. */
  framesTotal: z.int().nullable(),
  framesSwapped: z.int(),
  /** Frames a second of the work, over the last seconds; null at first. */
  workFps: z.number().nullable(),
  etaMs: z.number().nullable(),
  /** The frame now in `before.jpg` and `after.jpg`; null before the first. */
  previewFrame: z.int().nullable(),
  /** Up to where in the video everything is on disk: a swap that is interrupted goes on there. */
  savedMs: z.int().default(0),
})
export type EngineProgress = z.infer<typeof engineProgressSchema>

export const engineEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  /** The models of a worker are loaded. */
  z.object({ type: z.literal('warm') }),
  z.object({ type: z.literal('progress'), id: z.string(), progress: engineProgressSchema }),
  z.object({ type: z.literal('face-inspected'), id: z.string(), result: faceInspectionSchema }),
  z.object({ type: z.literal('video-inspected'), id: z.string(), result: videoInspectionSchema }),
  z.object({ type: z.literal('swapped'), id: z.string(), result: swapResultSchema }),
  z.object({ type: z.literal('probed'), id: z.string(), result: probeResultSchema }),
  z.object({ type: z.literal('failed'), id: z.string(), error: errorBodySchema }),
])
export type EngineEvent = z.infer<typeof engineEventSchema>

export { engineChannels } from './engine-channels.ts'
