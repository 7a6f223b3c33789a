/**
 * @file Messages between the main process (`main/engine/host`) and the hidden engine window: requests in, events out.
 * The receiver parses both. They contain no pixels or files: the engine reads `media://` URLs and writes files with
 * `PUT media://job/<token>/<name>` and an `x-position` header (byte offset, default 0).
 */
import { z } from 'zod'
import { errorBodySchema } from '../errors.ts'
import { encoderSchema, probeResultSchema, toldEncoding } from './encoder.ts'
import { converterSchema, licenceSchema, modelSpecSchema, recogniserSchema, swapperSchema } from './models.ts'
import { clipSchema, maxPeople, partSchema, peopleScanSchema, placeSchema, rangeSchema } from '../people/people.ts'
import { maxPictures, swapOptionsSchema } from '../options/swap-options.ts'

const point = z.tuple([z.number(), z.number()])

/** A face found in a picture. All lengths are in pixels of the upright picture or frame. */
export const faceOutlineSchema = z.object({
  box: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
  /** The face's outline as a closed loop. */
  oval: z.array(point).max(64),
  /** A few landmarks (brows, eyes, nose, lips) for the drawing on the slot. */
  points: z.array(point).max(64),
})
export type FaceOutline = z.infer<typeof faceOutlineSchema>

/** What runs a model: `webgpu` is the graphics chip, `wasm` the processor, `webnn` the processor with its own instructions. */
export const backendSchema = z.enum(['webgpu', 'webnn', 'wasm'])
export type Backend = z.infer<typeof backendSchema>

/** Why wasm was used instead of another backend: there is none, the graphics chip is only emulated, or it failed. */
const backendProblem = z.enum(['absent', 'software', 'failed'])
export type BackendProblem = z.infer<typeof backendProblem>

/** A model's file, as a `media://` URL. */
const modelFile = <S extends z.ZodType>(spec: S): z.ZodObject<{ url: z.ZodString; spec: S }> =>
  z.object({ url: z.string(), spec })

/** A swap by a model of the user's. */
export const modelMethodSchema = z.object({
  swapper: modelFile(swapperSchema),
  /** Models that the swapper needs (`SwapperSpec.needs`). */
  recogniser: modelFile(recogniserSchema).nullable(),
  converter: modelFile(converterSchema).nullable(),
  /** 0…1; 0.5 changes nothing. Ignored for swappers without an embedding. */
  strength: z.number().min(0).max(1),
  backend: backendSchema,
})
export type ModelMethod = z.infer<typeof modelMethodSchema>

/** A face, and whom it replaces. */
export const castSchema = z.object({
  /** `media://` URLs of pictures of one person. */
  pictures: z.array(z.string()).min(1).max(maxPictures),
  /** The clips of the person in the video; null: the largest face, wherever it is. */
  clips: z.array(clipSchema).min(1).max(10_000).nullable(),
})
export type Cast = z.infer<typeof castSchema>

const jobBase = z.object({
  id: z.string(),
  /** `media://job/<token>`, without a slash at the end: the job's folder, to read and write. */
  folder: z.string(),
})

/** What a swap is made of, besides its faces. */
const swapBase = jobBase.extend({
  /** Clips of people who keep their face, so that nobody is mistaken for them. */
  stay: z.array(clipSchema).max(10_000),
  video: z.string(),
  /** Null: the whole video. */
  range: rangeSchema.nullable(),
  encoder: encoderSchema,
  options: swapOptionsSchema,
  method: modelMethodSchema.nullable(),
})

export const engineRequestSchema = z.discriminatedUnion('kind', [
  /** Finds faces in a picture. Writes `face.jpg`, a 256² crop of the largest one. */
  jobBase.extend({
    kind: z.literal('inspect-face'),
    source: z.string(),
    /** A picture of the person that `source` has to show; null: anybody. */
    like: z.string().nullable(),
  }),
  /**
   * Takes pictures of a face from a video. Writes `view-P-N.jpg`: up to `maxPictures` views of each person.
   */
  jobBase.extend({
    kind: z.literal('face-views'),
    source: z.string(),
    /** A picture of the person who is wanted; null: everybody. */
    like: z.string().nullable(),
  }),
  /**
   * Reads the properties of a video, a picture or an animated picture, and finds faces on one frame. Writes `cover.jpg`
   * (that frame, at most 1280 wide).
   */
  jobBase.extend({ kind: z.literal('inspect-video'), source: z.string() }),
  /**
   * Swaps the faces of `cast`. Writes `output.mp4`, `cover.jpg` (a swapped frame), `face-N.jpg` (256² crops of the
   * original faces on it), `audio.m4a` (packets of the first audio track; only if there is one) and, at most once a
   * second, `before.jpg` and `after.jpg` (the same frame, at most 960 wide). Progress is saved every few seconds of
   * video as `segment-N.bin` and `segment-N.json`; a request with the same folder resumes there. If hardware encoding
   * isn't possible, software encoding is used and the result says so. Without a `method` the built-in one draws.
   * A proof writes `output.mp4` and `cover.jpg` only.
   * For a picture, writes `output.jpg`, `output.png` or `output.webp`, and nothing is resumed; `range` is ignored.
   */
  swapBase.extend({
    kind: z.literal('swap'),
    cast: z.array(castSchema).min(1).max(maxPeople),
    /** This shows how a swap of another range will look: faces get the proportions that they get there. */
    proofOf: z.object({ range: rangeSchema.nullable() }).nullable(),
    /** Metadata of the label `china`. Null: empty. */
    aigc: z.object({ contentProducer: z.string(), produceId: z.string() }).nullable(),
  }),
  /**
   * Replaces a part of a finished swap. Writes `joined.mp4`: `result` with the part's frames swapped again, and with
   * those after it encoded again up to the next key frame. All other packets of picture and sound are copied. The part
   * alone is swapped as by `swap`, so the folder has that request's files too.
   */
  swapBase.extend({
    kind: z.literal('re-render'),
    /** Empty: the part shows the video's own frames. */
    cast: z.array(castSchema).max(maxPeople),
    /** The file that `swap` made from `video` and `range`. */
    result: z.string(),
    /** In the result, whose first frame is at 0. Compared with frames as a part of a range. */
    part: partSchema,
  }),
  /** Writes the frame that is shown at a time, in seconds in the file, as `frame.png`: upright and in full size. */
  jobBase.extend({ kind: z.literal('extract-frame'), source: z.string(), time: z.number() }),
  /** Finds the people in a video. Writes `clip-N.jpg`; emits `people` with what it has found so far. */
  jobBase.extend({ kind: z.literal('scan-people'), source: z.string() }),
  /** Takes a picture of a face that a scan found, as `file`. */
  jobBase.extend({ kind: z.literal('picture-face'), source: z.string(), place: placeSchema, file: z.string() }),
  /** Tests both encoders on a moving test picture. Reads and writes no files. */
  z.object({ id: z.string(), kind: z.literal('probe') }),
  /** Runs a model on a fixed input, on the processor and on the graphics chip. Reads and writes no other files. */
  z.object({ id: z.string(), kind: z.literal('check-model'), model: modelFile(modelSpecSchema) }),
])
export type EngineRequest = z.infer<typeof engineRequestSchema>

/** Flaws of the face used that reduce the quality of a swap. */
export const faceFlaws = z.array(z.enum(['turned', 'covered', 'blurred'])).default([])
export type FaceFlaw = z.infer<typeof faceFlaws>[number]

export const faceInspectionSchema = z.object({
  width: z.int(),
  height: z.int(),
  /** Largest first; never empty (no face is the error `no-face-in-picture`). */
  faces: z.array(faceOutlineSchema).max(10),
  flaws: faceFlaws,
})
export type FaceInspection = z.infer<typeof faceInspectionSchema>

/** The pictures that `face-views` wrote, by person; who fills most of the video comes first. The best of each is first. */
export const faceViewsSchema = z.object({ people: z.array(z.array(z.string()).min(1)).min(1) })
export type FaceViews = z.infer<typeof faceViewsSchema>

/**
 * Pictures that were not used, as they show somebody else or can't be used at all: indices in `cast`, and in its
 * `pictures`. Earlier versions told only of somebody else, without the error.
 */
export const oddPictures = z
  .array(
    z.object({
      ...{ face: z.int(), picture: z.int() },
      error: errorBodySchema.default({ code: 'picture-other-person', details: {} }),
    }),
  )
  .default([])

/** Codecs of audio tracks that MP4 doesn't support. */
export const lostSound = z.array(z.string()).default([])

/**
 * What results don't have of a video: chapters and subtitles of kinds that Mien can't read, a cover, which shows the
 * person from before. `edits`: cuts that only the file's index says. `order`: that the index shows parts again, in another
 * order or at another speed. `end`: the file was cut off. `pictures`: further tracks of pictures. `fields`: that its
 * pictures are interlaced. `hdr`: that it is HDR. `original`: which of its tracks have the original language. `timecode`: a
 * track of it. `styles`: those of subtitles. `attachments`: attached files, such as fonts. `motion`: the
 * short video of a Motion Photo.
 */
export const missingKinds = [
  ...(['chapters', 'subtitles', 'cover', 'edits', 'order', 'end', 'pictures', 'fields'] as const),
  ...(['hdr', 'original', 'timecode', 'styles', 'attachments', 'motion'] as const),
] as const
export type Missing = (typeof missingKinds)[number]
/** Versions without this field didn't look. */
export const missing = z.array(z.enum(missingKinds)).default([])

/** What the faces are swapped in. An animation is a GIF, WebP, PNG or AVIF picture with several frames. */
export const targetKinds = ['video', 'picture', 'animation'] as const
export type TargetKind = (typeof targetKinds)[number]
/** Versions without this field had videos only. */
export const targetKind = z.enum(targetKinds).default('video')

export const videoInspectionSchema = z.object({
  kind: targetKind,
  container: z.string(),
  codec: z.string(),
  /** Size in pixels as shown, after rotation and pixel aspect ratio. */
  width: z.int(),
  height: z.int(),
  /** 0 for a picture, as `fps`. */
  durationMs: z.int(),
  /** Average over the whole track. */
  fps: z.number(),
  frames: z.int().nullable(),
  /** Of the track with the frames, in bits per second; null for a picture. */
  bitrate: z.number().nullable(),
  /** Codec of the first audio track; null without audio. */
  audioCodec: z.string().nullable(),
  lostSound,
  missing,
  /** Presentation time of the frame in `cover.jpg`. */
  coverMs: z.int(),
  /** Faces on that frame, largest first, in pixels of `width × height`; may be empty. */
  faces: z.array(faceOutlineSchema).max(10),
})
export type VideoInspection = z.infer<typeof videoInspectionSchema>

/** A run of frames of the same kind. The runs cover the video without gaps. */
export const qualityRunSchema = z.object({
  /** `damaged`: couldn't be decoded, the previous frame was repeated. `outside`: not in a part of the range. */
  kind: z.enum(['swapped', 'turned', 'none', 'damaged', 'outside']),
  frames: z.int(),
})
export type QualityRun = z.infer<typeof qualityRunSchema>

/** Why a part of a swap is weak. */
export const weakKinds = ['turned', 'covered', 'lost', 'unsteady', 'unsure'] as const
export type WeakKind = (typeof weakKinds)[number]

/** Successive frames on which the swap of one face is weak. Parts of one face don't overlap. */
export const weakPartSchema = z.object({
  /**
   * The head turns away; something is in front of the face; the person is there but no face was found; the landmarks
   * jump; somebody else is so near that the face may be theirs.
   */
  kind: z.enum(weakKinds),
  /** Index in `cast`. */
  face: z.int(),
  /** Milliseconds from the result's first frame; `toMs` is exclusive. Frames are in it as in a range (`rangeSchema`). */
  fromMs: z.int(),
  toMs: z.int(),
  frames: z.int(),
})
export type WeakPart = z.infer<typeof weakPartSchema>

/** Ascending by time. Versions without this field didn't look for weak parts. */
export const weakParts = z.array(weakPartSchema).max(10_000).default([])

/** Name and licence of the model that drew a swap. */
export const usedModelSchema = z.object({ name: z.string(), licence: licenceSchema })

/** How the models of a swap ran. */
export const ranOnSchema = z.object({
  /** Both if the graphics chip failed on the way. */
  backends: z.array(backendSchema),
  /** Why the requested graphics chip wasn't used for all frames. */
  fellBack: backendProblem.nullable(),
})
export type RanOn = z.infer<typeof ranOnSchema>

/** Extension of the result. */
export const resultFormat = z.enum(['mp4', 'jpg', 'png', 'webp']).default('mp4')
export type ResultFormat = z.infer<typeof resultFormat>

export const swapResultSchema = z.object({
  ...toldEncoding,
  format: resultFormat,
  /** Null for the built-in method. */
  ranOn: ranOnSchema.nullable().default(null),
  /** The model that drew it; null for the built-in method. Main adds it. */
  model: usedModelSchema.nullish(),
  width: z.int(),
  height: z.int(),
  frames: z.int(),
  /** Frames with a swapped face, including faded ones. */
  swappedFrames: z.int(),
  durationMs: z.int(),
  sizeBytes: z.int(),
  /** Frames per second of the video, and of the processing. */
  fps: z.number(),
  workFps: z.number(),
  elapsedMs: z.int(),
  videoCodec: z.string(),
  /** Codec of the first audio track kept; null without audio. */
  audioCodec: z.string().nullable(),
  lostSound,
  missing,
  /** Number of `face-N.jpg` files. */
  faces: z.int(),
  quality: z.array(qualityRunSchema),
  weak: weakParts,
  oddPictures,
  /** Wall-clock milliseconds by stage, for the benchmark. */
  stages: z.record(z.string(), z.number()),
})
export type SwapResult = z.infer<typeof swapResultSchema>

/** A part that was swapped again. The rest of the result is as before. */
export const reRenderResultSchema = z.object({
  sizeBytes: z.int(),
  /** Index of the part's first frame in the result. */
  firstFrame: z.int(),
  /** Of the part's frames. */
  quality: z.array(qualityRunSchema),
  /** Of the part, at times of the result. */
  weak: weakParts,
})
export type ReRenderResult = z.infer<typeof reRenderResultSchema>

/** Result of a model's check on one backend. */
export const modelTrialSchema = z.object({
  /**
   * Null if it can be used. It can't be loaded or run; the output isn't a number, is the same everywhere, is out of
   * range, or differs from that of wasm.
   */
  problem: z.enum(['absent', 'software', 'failed', 'not-a-number', 'grey', 'scale', 'different']).nullable(),
  /** Why it failed, in the runtime's words. */
  reason: z.string().nullable(),
  /** Time to load the file, and per run; null if it didn't run. */
  loadMs: z.number().nullable(),
  runMs: z.number().nullable(),
})
export type ModelTrial = z.infer<typeof modelTrialSchema>

export const modelCheckSchema = z.object({
  wasm: modelTrialSchema,
  /** Checks of versions before 2026-11-29 lack it. */
  webnn: modelTrialSchema.default({ problem: 'absent', reason: null, loadMs: null, runMs: null }),
  webgpu: modelTrialSchema,
  /** Memory on the processor while the model is loaded. */
  memoryBytes: z.int(),
  /** Name of the graphics chip; '' if unknown. */
  adapter: z.string(),
})
export type ModelCheck = z.infer<typeof modelCheckSchema>

/** What takes the least time for a run; null: the model can't run. */
export function fastest(check: ModelCheck): Backend | null {
  const able = backendSchema.options.filter((backend) => check[backend].problem === null)
  const msOf = (backend: Backend): number => check[backend].runMs ?? Infinity
  return able.sort((one, other) => msOf(one) - msOf(other))[0] ?? null
}

/** Milliseconds on the graphics chip and on the processor; null: it can't run there. */
export type ModelTimes = Record<'chip' | 'processor', number | null>

export const engineProgressSchema = z.object({
  /** `preparing` (face, models), `swapping` (frames), `finishing` (index, audio). */
  stage: z.enum(['preparing', 'swapping', 'finishing']),
  /** The video's size as shown and its duration; null until it is opened. */
  footage: z.object({ width: z.int(), height: z.int(), durationMs: z.int() }).nullable(),
  framesDone: z.int(),
  /** Null if unknown. */
  framesTotal: z.int().nullable(),
  framesSwapped: z.int(),
  /** Frames processed per second, over the last seconds; null at first. */
  workFps: z.number().nullable(),
  etaMs: z.number().nullable(),
  /** Index of the frame now in `before.jpg` and `after.jpg`; null before the first. */
  previewFrame: z.int().nullable(),
  /** Position in the video up to which the swap is saved; an interrupted swap resumes there. */
  savedMs: z.int().default(0),
})
export type EngineProgress = z.infer<typeof engineProgressSchema>

export const engineEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  /** A worker's models are loaded. */
  z.object({ type: z.literal('warm') }),
  z.object({ type: z.literal('progress'), id: z.string(), progress: engineProgressSchema }),
  z.object({ type: z.literal('face-inspected'), id: z.string(), result: faceInspectionSchema }),
  z.object({ type: z.literal('face-views-taken'), id: z.string(), result: faceViewsSchema }),
  z.object({ type: z.literal('video-inspected'), id: z.string(), result: videoInspectionSchema }),
  z.object({ type: z.literal('frame-extracted'), id: z.string(), result: z.null() }),
  z.object({ type: z.literal('face-pictured'), id: z.string(), result: z.null() }),
  z.object({ type: z.literal('people'), id: z.string(), scan: peopleScanSchema }),
  z.object({ type: z.literal('people-scanned'), id: z.string(), result: peopleScanSchema }),
  z.object({ type: z.literal('swapped'), id: z.string(), result: swapResultSchema }),
  z.object({ type: z.literal('re-rendered'), id: z.string(), result: reRenderResultSchema }),
  z.object({ type: z.literal('probed'), id: z.string(), result: probeResultSchema }),
  z.object({ type: z.literal('model-checked'), id: z.string(), result: modelCheckSchema }),
  z.object({ type: z.literal('failed'), id: z.string(), error: errorBodySchema }),
])
export type EngineEvent = z.infer<typeof engineEventSchema>
