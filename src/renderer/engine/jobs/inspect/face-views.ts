/** @file Takes pictures of a face from a video: of each person, the views that show them best. */
import { EncodedPacketSink, VideoSampleSink } from 'mediabunny'
import type { FaceViews } from '@shared/engine/engine.ts'
import { MienError } from '@shared/mien-error.ts'
import { maxPictures } from '@shared/options/swap-options.ts'
import { codedPoints, boundsOf, regionOfPoints, yawOf, type Points } from '../../face/landmarks.ts'
import { pitchOf } from '../../face/flaws.ts'
import { analysisInput, cutSquare } from '../../face/analysis-input.ts'
import { faceOval } from '../../face/topology.ts'
import { mediaError, openMedia, type MediaInput } from '../../media/demux/media-input.ts'
import { writeFile } from '../../media/job-files.ts'
import { draw, pixelsOf, toJpeg } from '../../media/pixels/picture.ts'
import { cosineOf } from '../../people/cosine.ts'
import { samePersonCosine, type FaceEmbedder } from '../../people/face-embedder.ts'
import { chooseViews, peopleOfViews, type View } from '../../people/views.ts'
import { minFaceWidth } from '../../source/prepare-source.ts'
import { embeddingAt, withEmbedder } from '../../source/same-person.ts'
import { eyeOpenness, mouthOpenness } from '../../track/shape-change.ts'
import type { JobContext, RequestOf } from '../job-context.ts'
import { drawUpright } from './inspect-video.ts'

/** Frames to look at, and the least time between two of them in seconds. */
const most = 40
const apart = 0.3
/** Seconds between two frames from which only key frames are decoded. */
const keyFramesFrom = 2
/** People whose views are taken. */
const maxChoices = 6
/** Degrees from which a view is too far turned to be a picture of a face. */
const turnedTooFar = 45
/** Side of a view in sizes of the face's region, and in pixels at most. */
const margin = 1.3
const maxSide = 1200
/** Side in pixels of the square in which sharpness is measured. */
const smallSide = 128

/**
 * Writes `view-P-N.jpg`: the best views of each person, who fills most of the video first. A video that is damaged on the
 * way is read as far as it goes.
 * @throws MienError the errors of `openMedia` and `mediaError`, `no-face-in-video` (`pixels` of a face that is too small,
 * or `degrees` of one that is turned away), `picture-other-person`
 */
export async function faceViews(request: RequestOf<'face-views'>, context: JobContext): Promise<FaceViews> {
  const media = await openMedia(request.source, context.signal)
  try {
    const people = await withEmbedder(async (embedder) => {
      const like = request.like === null ? null : await embeddingAt(request.like, embedder, context)
      const { views, refused } = await look(media, embedder, context)
      if (views.length === 0) throw new MienError('no-face-in-video', refused ?? {})
      if (like === null) return peopleOfViews(views).slice(0, maxChoices)
      const theirs = views.filter(({ vector }) => cosineOf(vector, like) >= samePersonCosine)
      if (theirs.length === 0) throw new MienError('picture-other-person')
      return [theirs]
    })
    await media.unchanged()
    const write = async (person: readonly View[], at: number): Promise<string[]> => {
      const files: string[] = []
      for (const view of chooseViews(person, maxPictures)) {
        const file = `view-${String(at)}-${String(files.length)}.jpg`
        await writeFile(request.folder, file, await pictureOf(view, media))
        files.push(file)
      }
      return files
    }
    return { people: await Promise.all(people.map(write)) }
  } catch (error) {
    throw mediaError(error, context.signal)
  } finally {
    media.close()
  }
}

/** Why no face can be used: the widest that is too small, or the least turned one. */
type Refused = { pixels: number } | { degrees: number }

async function look(
  media: MediaInput,
  embedder: FaceEmbedder,
  { analyst, signal }: JobContext,
): Promise<{ views: View[]; refused: Refused | null }> {
  const { facts } = media
  const views: View[] = []
  let [widest, straightest] = [0, Infinity]
  try {
    for await (const sample of new VideoSampleSink(media.video).samplesAtTimestamps(await timesOf(media))) {
      if (!sample) continue
      signal.throwIfAborted()
      const { timestamp: time } = sample
      sample.setRotation(facts.rotation)
      const canvas = drawUpright(sample, facts.width, facts.height)
      sample.close()
      const input = analysisInput(canvas, { x: 0, y: 0, width: canvas.width, height: canvas.height }, 1600)
      for (const { points } of await analyst.call('faces', [input, facts, 3, maxChoices])) {
        const { width } = boundsOf(points, faceOval)
        const [yaw, pitch] = [yawOf(points), pitchOf(points)]
        const degrees = Math.max(Math.abs(yaw), Math.abs(pitch))
        if (width < minFaceWidth) widest = Math.max(widest, width)
        else if (degrees >= turnedTooFar) straightest = Math.min(straightest, degrees)
        else {
          const vector = await embedder.embed(input.patch, input.patch.color, codedPoints(points, input.view))
          const eyes = Math.min(eyeOpenness(points, 'right'), eyeOpenness(points, 'left'))
          const facing = { width, yaw, pitch, mouth: mouthOpenness(points), eyes }
          views.push({ time, region: regionOfPoints(points), vector, ...facing, sharp: sharpnessOf(canvas, points) })
        }
      }
    }
  } catch (error) {
    // What comes before the damage is enough.
    if (views.length === 0 || signal.aborted) throw error
  }
  const refused =
    straightest < Infinity ? { degrees: Math.round(straightest) } : widest > 0 ? { pixels: Math.round(widest) } : null
  return { views, refused }
}

/** Times in seconds, evenly over the video; in a long one those of key frames, which decode without others. */
async function timesOf({ video, facts }: MediaInput): Promise<number[]> {
  const seconds = facts.durationMs / 1000
  const count = Math.max(1, Math.min(most, Math.ceil(seconds / apart)))
  const step = seconds / count
  const even = Array.from({ length: count }, (_, at) => facts.firstTimestamp + (at + 0.5) * step)
  if (step < keyFramesFrom) return even
  const packets = new EncodedPacketSink(video)
  const keys = await Promise.all(even.map((time) => packets.getKeyPacket(time, { metadataOnly: true })))
  return [...new Set(keys.map((key, at) => key?.timestamp ?? even[at] ?? 0))]
}

async function pictureOf({ time, region }: View, { video, facts }: MediaInput): Promise<Blob> {
  const sample = await new VideoSampleSink(video).getSample(time)
  if (!sample) throw new MienError('video-damaged', { reason: 'no such frame' })
  sample.setRotation(facts.rotation)
  const canvas = drawUpright(sample, facts.width, facts.height)
  sample.close()
  const size = region.size * margin
  // Nothing beyond the frame's edges, which would look like something in front of the face.
  const [left, top] = [Math.max(0, region.x - size / 2), Math.max(0, region.y - size / 2)]
  const width = Math.min(canvas.width, region.x + size / 2) - left
  const height = Math.min(canvas.height, region.y + size / 2) - top
  const scale = Math.min(1, maxSide / Math.max(width, height))
  const cut = draw(Math.round(width * scale), Math.round(height * scale), (context) => {
    context.drawImage(canvas, left, top, width, height, 0, 0, width * scale, height * scale)
  })
  return toJpeg(cut, 0.95)
}

/** Sum of the relative differences of a face's pixels to those around them. */
function sharpnessOf(canvas: OffscreenCanvas, points: Points): number {
  const rgba = pixelsOf(cutSquare(canvas, regionOfPoints(points), smallSide))
  const green = (pixel: number): number => rgba[pixel * 4 + 1] ?? 0
  const [from, to] = [smallSide / 4, (smallSide * 3) / 4]
  let sum = 0
  for (let y = from; y < to; y += 1)
    for (let x = from; x < to; x += 1) {
      const at = y * smallSide + x
      const around = (green(at - 1) + green(at + 1) + green(at - smallSide) + green(at + smallSide)) / 4
      sum += Math.abs(green(at) - around) / (around + 16)
    }
  return sum
}
