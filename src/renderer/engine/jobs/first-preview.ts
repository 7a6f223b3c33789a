/** @file Renders the first preview while the swap starts: the most demanding of a few key frames. */
import { VideoSampleSink } from 'mediabunny'
import { codedPoints } from '../face/coded-points.ts'
import { regionOfPoints, yawOf, type Points } from '../face/landmarks.ts'
import { colorModelOf } from '../media/pixels/color.ts'
import { readFrame } from '../media/pixels/frame-planes.ts'
import { keyTimes } from '../media/demux/key-times.ts'
import type { MediaInput } from '../media/demux/media-input.ts'
import { planesByteLength, type ColorModel, type Planes } from '../media/pixels/planes.ts'
import { stillOf } from '../media/pixels/still.ts'
import { FaceRenderer } from '../render/face-renderer.ts'
import { meshSwap } from '../render/mesh-swap.ts'
import type { SourceCut } from '../source/source-face.ts'
import { mouthOpenness } from '../track/shape-change.ts'
import { fadingYaw, opacityAtYaw } from '../track/track.ts'
import { Tracker } from '../track/tracker.ts'
import type { JobContext } from './job-context.ts'
import { previewWidth, type Still } from './preview.ts'

/** Positions to try, as shares of the duration. */
const moments = [0.1, 0.3, 0.5, 0.7, 0.9]
/** Minimum face size, as a share of the largest face found, to judge a swap by. */
const readable = 0.5

export interface PreviewFrame {
  /** Approximate frame index, derived from the time. */
  index: number
  planes: Planes
  points: Points
  color: ColorModel
}

/** Opening of a wide-open mouth, in face heights. It weighs as much as a yaw of `fadingYaw`. */
const openMouth = 0.2

/** The frame to show, or null. Never throws: the swap itself reports errors in the video. */
export async function findPreviewFrame(media: MediaInput, context: JobContext): Promise<PreviewFrame | null> {
  const times = await keyTimes(media, moments).catch(() => [])
  // In parallel, so that decoding overlaps with analysis. An unreadable frame doesn't affect the others.
  const frames = await Promise.all(times.map((time) => analyseFrame(media, context, time).catch(() => null)))
  return hardest(frames.filter((frame) => frame !== null))
}

/**
 * The hardest frame to swap, by yaw and mouth opening, so that users can judge the swap early. Small faces and faces
 * turned so far that the swap fades show too little; if there are no others, the least turned of all is used.
 */
export function hardest<T extends Pick<PreviewFrame, 'points'>>(frames: readonly T[]): T | null {
  const size = ({ points }: T): number => regionOfPoints(points).size
  const largest = Math.max(0, ...frames.map(size))
  const judged = frames.filter((frame) => size(frame) >= largest * readable && opacityAtYaw(yawOf(frame.points)) === 1)
  const strain = ({ points }: T): number => Math.abs(yawOf(points)) / fadingYaw + mouthOpenness(points) / openMouth
  if (judged.length === 0)
    return frames.toSorted((a, b) => Math.abs(yawOf(a.points)) - Math.abs(yawOf(b.points)))[0] ?? null
  return judged.reduce((max, frame) => (strain(frame) > strain(max) ? frame : max))
}

/** Stills of the frame before and after the swap, at most `previewWidth` pixels wide. */
export function stillOfFrame(
  { index, planes, points, color }: PreviewFrame,
  cut: SourceCut,
  { facts }: MediaInput,
): Still {
  const before = stillOf(planes, color, facts, previewWidth)
  new FaceRenderer(meshSwap.prepareSource(cut, color)).render(planes, codedPoints(points, facts.view), 1)
  return { index, before, after: stillOf(planes, color, facts, previewWidth) }
}

async function analyseFrame(
  { video, facts }: MediaInput,
  { analyst }: JobContext,
  time: number,
): Promise<PreviewFrame | null> {
  const sample = await new VideoSampleSink(video).getSample(time)
  if (!sample) return null
  try {
    const { codedWidth, codedHeight } = facts
    const color = colorModelOf(sample.colorSpace.toJSON(), facts.height)
    const buffer = new ArrayBuffer(planesByteLength(codedWidth, codedHeight))
    const planes = await readFrame(sample, codedWidth, codedHeight, color, buffer)
    const size = { width: facts.width, height: facts.height }
    const points = await new Tracker({ analyst, view: facts.view, size, color }).find(planes, 0)
    const index = Math.max(0, Math.min(facts.frames - 1, Math.round((time - facts.firstTimestamp) * facts.fps)))
    return points && { index, planes, points, color }
  } finally {
    sample.close()
  }
}
