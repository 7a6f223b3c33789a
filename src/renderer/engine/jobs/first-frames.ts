/**
 * @file Looks at a few frames before a swap starts: for the first preview, and for the proportions of the person in the
 * video.
 */
import type { SwapOptions } from '@shared/swap-options.ts'
import { VideoSampleSink, type VideoSample } from 'mediabunny'
import { medianFace } from '../face/align.ts'
import { codedPoints } from '../face/coded-points.ts'
import { regionOfPoints, yawOf, type Points } from '../face/landmarks.ts'
import { colorModelOf } from '../media/pixels/color.ts'
import { readFrame } from '../media/pixels/frame-planes.ts'
import { keyTimes } from '../media/demux/key-times.ts'
import type { MediaInput } from '../media/demux/media-input.ts'
import { planesByteLength, type ColorModel, type Planes } from '../media/pixels/planes.ts'
import { stillOf } from '../media/pixels/still.ts'
import { FaceRenderer } from '../render/face-renderer.ts'
import type { SwapSource } from '../render/swap-method.ts'
import { mouthOpenness } from '../track/shape-change.ts'
import { fadingYaw, opacityAtYaw } from '../track/track.ts'
import { Tracker } from '../track/tracker.ts'
import type { JobContext } from './job-context.ts'
import { previewWidth, type Still } from './preview.ts'

/** Positions to try, as shares of the duration. */
const moments = [0.1, 0.3, 0.5, 0.7, 0.9]
/** Minimum face size, as a share of the largest face found, to judge a swap by. */
const readable = 0.5

export interface AnalysedFrame {
  /** Approximate frame index, derived from the time. */
  index: number
  planes: Planes
  points: Points
  color: ColorModel
}

/** Opening of a wide-open mouth, in face heights. It weighs as much as a yaw of `fadingYaw`. */
const openMouth = 0.2

/** Key frames with a face. Never throws: the swap itself reports errors in the video. */
export async function analyseKeyFrames(media: MediaInput, context: JobContext): Promise<AnalysedFrame[]> {
  const times = await keyTimes(media, moments).catch(() => [])
  // In parallel, so that decoding overlaps with analysis. An unreadable frame doesn't affect the others.
  const frames = await Promise.all(
    times.map(async (time) => {
      const sample = await new VideoSampleSink(media.video).getSample(time).catch(() => null)
      return sample && analyseFrame(media, context, sample).catch(() => null)
    }),
  )
  return frames.filter((frame) => frame !== null)
}

/** Fewer faces say too little about a person's usual expression. */
const enoughFaces = 5
/** Seconds from the start at which to look further if a short clip has few key frames. */
const furtherSeconds = [0.4, 0.8, 1.2, 1.6]

/**
 * The usual face of the person in the video: the median of several frames without their pose. It depends on the file
 * only, so that a resumed swap draws the same pixels.
 * @param source x, y, z of the landmarks to lay it over
 * @returns x, y, z of the mesh's points; null if no face was found
 */
export async function usualFace(
  media: MediaInput,
  context: JobContext,
  frames: readonly AnalysedFrame[],
  source: Points,
): Promise<Float32Array | null> {
  const faces = frames.map(({ points }) => points)
  if (faces.length < enoughFaces) faces.push(...(await furtherFaces(media, context).catch(() => [])))
  const facing = faces.filter((points) => opacityAtYaw(yawOf(points)) === 1)
  return medianFace(facing.length > 0 ? facing : faces, source)
}

async function furtherFaces(media: MediaInput, context: JobContext): Promise<Points[]> {
  const { firstTimestamp, durationMs } = media.facts
  const times = furtherSeconds.filter((seconds) => seconds * 1000 < durationMs).map((at) => firstTimestamp + at)
  const found: Points[] = []
  for await (const sample of new VideoSampleSink(media.video).samplesAtTimestamps(times)) {
    const frame = sample && (await analyseFrame(media, context, sample))
    context.signal.throwIfAborted()
    if (frame) found.push(frame.points)
  }
  return found
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

/** Stills of the frame before and after the swap, at most `previewWidth` pixels wide. */
export async function stillOfFrame(
  { index, planes, points, color }: AnalysedFrame,
  source: SwapSource,
  options: SwapOptions,
  { facts }: MediaInput,
): Promise<Still> {
  const before = stillOf(planes, color, facts, previewWidth)
  await new FaceRenderer(source, options).prepareAndRender(planes, codedPoints(points, facts.view), 1)
  return { index, before, after: stillOf(planes, color, facts, previewWidth) }
}

async function analyseFrame(
  { facts }: MediaInput,
  { analyst }: JobContext,
  sample: VideoSample,
): Promise<AnalysedFrame | null> {
  try {
    const { codedWidth, codedHeight } = facts
    const color = colorModelOf(sample.colorSpace.toJSON(), facts.height)
    const buffer = new ArrayBuffer(planesByteLength(codedWidth, codedHeight))
    const planes = await readFrame(sample, codedWidth, codedHeight, color, buffer)
    const size = { width: facts.width, height: facts.height }
    const points = await new Tracker({ analyst, view: facts.view, size, color }).find(planes, 0)
    const index = Math.max(
      0,
      Math.min(facts.frames - 1, Math.round((sample.timestamp - facts.firstTimestamp) * facts.fps)),
    )
    return points && { index, planes, points, color }
  } finally {
    sample.close()
  }
}
