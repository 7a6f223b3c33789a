/**
 * @file Looks at a few frames before a swap starts: for the first preview, and for the proportions of the person in the
 * video.
 */
import { EncodedPacketSink, VideoSampleSink, type VideoSample } from 'mediabunny'
import type { Clip } from '@shared/people/people.ts'
import { identity } from '../../common/affine.ts'
import { medianFace } from '../../face/align.ts'
import { codedPoints, regionOfPoints, yawOf, type Points } from '../../face/landmarks.ts'
import { glassesOn } from '../../face/glasses.ts'
import { regionBounds } from '../../face/region.ts'
import { readFrame } from '../../media/pixels/frame-planes.ts'
import { keyTimes } from '../../media/demux/key-frames.ts'
import type { MediaInput } from '../../media/demux/media-input.ts'
import { cutPatch, planesByteLength, planesOver } from '../../media/pixels/planes.ts'
import { stillOf } from '../../media/pixels/picture.ts'
import { mouthOpenness } from '../../track/shape-change.ts'
import { fadingYaw, opacityAtYaw } from '../../track/track.ts'
import { browDepthOn } from '../../source/brow-strength.ts'
import { strides } from '../../track/follow.ts'
import type { PersonPath } from '../../track/person-path.ts'
import { Tracker } from '../../track/tracker.ts'
import type { JobContext } from '../job-context.ts'
import type { RenderWorkers } from '../frames/render-workers.ts'
import { previewWidth, type Still } from '../frames/stills.ts'
import type { DecodedFrame, EarlyFrames } from './early-frames.ts'

/** Positions to try, as shares of what is swapped. */
const moments = [0.1, 0.3, 0.5, 0.7, 0.9]
/** Minimum face size, as a share of the largest face found, to judge a swap by. */
const readable = 0.5

export interface AnalysedFrame extends DecodedFrame {
  /** Approximate frame index, derived from the time. */
  index: number
  points: Points
  /** As of `browDepthOn`. */
  browDepth: number | null
}

/** What is known of a face without its frame. */
type FoundFace = Pick<AnalysedFrame, 'timestamp' | 'points' | 'browDepth'>

/** Opening of a wide-open mouth, in face heights. It weighs as much as a yaw of `fadingYaw`. */
const openMouth = 0.2

/** Who is looked for: a person of the video, or the largest face. */
export interface Wanted {
  clips: readonly Clip[] | null
  path: PersonPath | null
}

/** What was found of a person before the swap starts. */
export interface SeenPerson {
  /** Key frames with the face. */
  frames: readonly AnalysedFrame[]
  /** More faces, if those frames are few. */
  more: readonly FoundFace[]
}

/** Never throws: the swap itself reports errors in the video. @param early frames that needn't be decoded again */
export async function seePerson(
  media: MediaInput,
  context: JobContext,
  wanted: Wanted,
  early: EarlyFrames,
): Promise<SeenPerson> {
  const looker = new Looker(media, context, wanted, early)
  const times = await timesOf(media, wanted).catch(() => [])
  // In parallel, so that decoding overlaps with analysis. An unreadable frame doesn't affect the others.
  const looking = times.map((time) => looker.lookAt(time).catch(() => null))
  const enough = enoughFaces(wanted)
  const further = async (known: number): Promise<SeenPerson['more']> =>
    known < enough ? looker.lookFurther(enough - known, looking[0] ?? null).catch(() => []) : []
  const [found, more] = await Promise.all([Promise.all(looking), further(times.length)])
  const frames = found.filter((frame) => frame !== null)
  return { frames, more: times.length < enough ? more : await further(frames.length) }
}

/** The landmarks that were found, by time in seconds. */
export const seenPoints = ({ frames, more }: SeenPerson): ReadonlyMap<number, Points> =>
  new Map([...frames, ...more].map(({ timestamp, points }) => [timestamp, points]))

/** Times to look at: key frames are cheap to decode, but only those between the person's cuts show the person. */
async function timesOf(media: MediaInput, { clips }: Wanted): Promise<number[]> {
  if (!clips) return keyTimes(media, moments)
  const sink = new EncodedPacketSink(media.video)
  const times = placesAt(media, clips, moments).map(async ({ time, clip }) => {
    const key = await sink.getKeyPacket(time, { metadataOnly: true })
    if (!key || media.plan.partAt(key.timestamp) === null) return time
    const keyMs = (key.timestamp - media.facts.firstTimestamp) * 1000
    return keyMs >= clip.fromMs && keyMs >= (clip.places[0]?.[0] ?? 0) ? key.timestamp : time
  })
  return [...new Set(await Promise.all(times))].sort((a, b) => a - b)
}

/** Times of swapped frames, in seconds, at which the scan saw the person. @param shares of all such times */
function placesAt(
  { facts, plan }: MediaInput,
  clips: readonly Clip[],
  shares: readonly number[],
): { time: number; clip: Clip }[] {
  const all = clips
    .flatMap((clip) => clip.places.map(([ms]) => ({ time: facts.firstTimestamp + ms / 1000, clip })))
    .filter(({ time }) => plan.partAt(time) !== null)
  return shares.flatMap((share) => all[Math.floor(share * all.length)] ?? [])
}

/**
 * Seconds from the start of what is swapped at which to look further if there are few key frames. These frames are decoded
 * anyway, and the tracker needs their landmarks. A shorter time shows too few expressions.
 */
const furtherSeconds = [0.3, 0.6, 0.9, 1.2, 1.6]
/** The same for a person, as shares of the times at which the scan saw them. */
const furtherMoments = [0.2, 0.4, 0.6, 0.8]
/** Fewer faces say too little about a person's usual expression. */
const enoughFaces = ({ clips }: Wanted): number => 1 + (clips ? furtherMoments : furtherSeconds).length

/** Faces that look ahead; all if there are none. */
export function facesAhead({ frames, more }: SeenPerson): readonly FoundFace[] {
  const faces = [...frames, ...more]
  const facing = faces.filter(({ points }) => opacityAtYaw(yawOf(points)) === 1)
  return facing.length > 0 ? facing : faces
}

/**
 * The usual face of the person in the video: the median of several frames without their pose. It depends on the file
 * only, so that a resumed swap draws the same pixels.
 * @param source x, y, z of the landmarks to lay it over
 * @returns x, y, z of the mesh's points; null if no face was found
 */
export const usualFace = (seen: SeenPerson, source: Points): Float32Array | null =>
  medianFace(
    facesAhead(seen).map(({ points }) => points),
    source,
  )

/** Seconds by which two readings of a frame's time may differ. No two frames are as near. */
const rounding = 1e-4

/** Decodes frames and finds a person on them. */
class Looker {
  constructor(
    private readonly media: MediaInput,
    private readonly context: JobContext,
    private readonly wanted: Wanted,
    private readonly early: EarlyFrames,
  ) {}

  /** @param time of a key frame, or of a place of the person */
  async lookAt(time: number): Promise<AnalysedFrame | null> {
    const held = await this.#held(time + rounding)
    if (held) return this.#find(held)
    const sample = await new VideoSampleSink(this.media.video).getSample(time)
    return sample && this.#find(await this.#read(sample))
  }

  /**
   * @param count of faces to look for
   * @param first what is found on the first key frame; the face is searched near it
   */
  async lookFurther(count: number, first: Promise<AnalysedFrame | null> | null): Promise<SeenPerson['more']> {
    const found: FoundFace[] = []
    for await (const decoded of this.#decode(this.#furtherTimes(count))) {
      const frame = await this.#find(decoded, found.at(-1) ?? (await first))
      if (frame) found.push({ timestamp: frame.timestamp, points: frame.points, browDepth: frame.browDepth })
      this.context.signal.throwIfAborted()
    }
    return found
  }

  /** Ascending. */
  #furtherTimes(count: number): number[] {
    const { facts, plan } = this.media
    const { clips } = this.wanted
    return clips
      ? placesAt(this.media, clips, furtherMoments.slice(0, count)).map(({ time }) => time)
      : furtherSeconds.slice(0, count).flatMap((seconds) => plan.timeAt(sampledAt(seconds, facts.fps)) ?? [])
  }

  async *#decode(times: readonly number[]): AsyncGenerator<DecodedFrame> {
    let known = 0
    for (const time of times) {
      const held = await this.#held(time)
      if (!held) break
      known += 1
      yield held
    }
    for await (const sample of new VideoSampleSink(this.media.video).samplesAtTimestamps(times.slice(known)))
      if (sample) yield this.#read(sample)
  }

  /** Times of a person's places are rounded, so the frame at such a time isn't sure. */
  async #held(time: number): Promise<DecodedFrame | null> {
    return this.wanted.clips ? null : this.early.at(time)
  }

  async #read(sample: VideoSample): Promise<DecodedFrame> {
    try {
      const { codedWidth, codedHeight, color } = this.media.facts
      const buffer = new ArrayBuffer(planesByteLength(codedWidth, codedHeight))
      const planes = await readFrame(sample, codedWidth, codedHeight, color, buffer)
      return { timestamp: sample.timestamp, planes, color }
    } finally {
      sample.close()
    }
  }

  async #find(frame: DecodedFrame, near: Pick<AnalysedFrame, 'points'> | null = null): Promise<AnalysedFrame | null> {
    const { facts } = this.media
    const points = await findOn(frame, this.media, this.context, this.wanted, near?.points)
    const index = Math.round((frame.timestamp - facts.firstTimestamp) * facts.fps)
    if (!points) return null
    const browDepth = browDepthOn(frame.planes, frame.color, points, facts.view)
    return { ...frame, points, browDepth, index: Math.max(0, Math.min(facts.frames - 1, index)) }
  }
}

/** The middle of a frame that the tracker looks at, too, so that its landmarks are found only once. */
function sampledAt(seconds: number, fps: number): number {
  const frame = strides.calm * Math.max(1, Math.round((seconds * fps) / strides.calm))
  return (frame + 0.5) / fps
}

/** True if the person wears glasses on the first or the last frame. @param media null: pixels and landmarks are upright */
export async function wearsGlasses(
  frames: readonly AnalysedFrame[],
  media: MediaInput | null,
  { analyst }: JobContext,
): Promise<boolean> {
  const view = media?.facts.view ?? identity
  for (const { planes, points, color } of new Set([...frames.slice(0, 1), ...frames.slice(-1)])) {
    const region = regionOfPoints(points)
    const patch = cutPatch(planes, color, regionBounds(region, view, 1.02))
    if (!patch) continue
    const { things } = await analyst.call('segment', [{ patch, view }, region])
    if (glassesOn(points, region, things)) return true
  }
  return false
}

/**
 * The hardest frame to swap, by yaw and mouth opening, so that users can judge the swap early. Small faces and faces
 * turned so far that the swap fades show too little; if there are no others, the least turned of all is used.
 */
export function hardest<T extends Pick<AnalysedFrame, 'points'>>(frames: readonly T[]): T | null {
  const size = ({ points }: T): number => regionOfPoints(points).size
  const largest = Math.max(0, ...frames.map(size))
  const judged = frames.filter((frame) => size(frame) >= largest * readable && opacityAtYaw(yawOf(frame.points)) === 1)
  const strain = ({ points }: T): number => Math.abs(yawOf(points)) / fadingYaw + mouthOpenness(points) / openMouth
  if (judged.length === 0)
    return frames.toSorted((a, b) => Math.abs(yawOf(a.points)) - Math.abs(yawOf(b.points)))[0] ?? null
  return judged.reduce((max, frame) => (strain(frame) > strain(max) ? frame : max))
}

/**
 * Landmarks of the person on a frame.
 * @param near landmarks on a frame shortly before; they save a search
 */
export async function findOn(
  { planes, timestamp, color }: DecodedFrame,
  { facts }: MediaInput,
  { analyst }: JobContext,
  { path }: Wanted,
  near?: Points,
): Promise<Points | null> {
  const size = { width: facts.width, height: facts.height }
  const tracker = new Tracker({ analyst, view: facts.view, size, color, path })
  const frame = { index: 0, timestamp, planes }
  return (near && (await tracker.find(frame, regionOfPoints(near)))) ?? tracker.find(frame)
}

/**
 * Stills of the frame before and after the swap, at most `previewWidth` pixels wide. Takes the frame's buffer.
 * @param found landmarks of the person, for each entry of the cast; null: not on this frame
 */
export async function stillOfFrame(
  { index, planes, color }: AnalysedFrame,
  found: readonly (Points | null)[],
  workers: RenderWorkers,
  { facts }: MediaInput,
): Promise<Still> {
  const before = stillOf(planes, color, facts, previewWidth)
  const { width, height } = planes
  const faces = found.flatMap((points, face) =>
    points ? { face, landmarks: codedPoints(points, facts.view), opacity: 1, occlusions: [] } : [],
  )
  // Each frame was read into a buffer of its own.
  const buffer = await workers.render({ buffer: planes.y.buffer as ArrayBuffer, width, height, faces })
  return { index, before, after: stillOf(planesOver(buffer, width, height), color, facts, previewWidth) }
}
