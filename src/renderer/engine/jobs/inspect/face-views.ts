/** @file Takes pictures of a face from a video: of each person, the views that show them best. */
import { EncodedPacketSink, VideoSampleSink } from 'mediabunny'
import type { FaceViews } from '@shared/engine/engine.ts'
import { MienError } from '@shared/mien-error.ts'
import { maxPictures } from '@shared/options/swap-options.ts'
import { inverse } from '../../common/affine.ts'
import { searchInput } from '../../face/analysis-input.ts'
import type { AnalysisInput, FoundFace } from '../../face/analyst.ts'
import { pitchOf } from '../../face/flaws.ts'
import { boundsOf, codedPoints, regionOfPoints, yawOf, type Points } from '../../face/landmarks.ts'
import { regionBounds, type Region } from '../../face/region.ts'
import { sampleRegion } from '../../face/sampling.ts'
import { faceOval } from '../../face/topology.ts'
import { mediaError, openMedia, type MediaInput } from '../../media/demux/media-input.ts'
import { writeFile } from '../../media/job-files.ts'
import { planesToRgba } from '../../media/pixels/color.ts'
import { readFrame } from '../../media/pixels/frame-planes.ts'
import { draw, toJpeg } from '../../media/pixels/picture.ts'
import { buffersOf, cutPatch, planesByteLength, type Patch, type Planes } from '../../media/pixels/planes.ts'
import { cosineOf } from '../../people/cosine.ts'
import { samePersonCosine, type FaceEmbedder } from '../../people/face-embedder.ts'
import { chooseViews, peopleOfViews, type View } from '../../people/views.ts'
import { minFaceWidth } from '../../source/prepare-source.ts'
import { embeddingAt, withEmbedder } from '../../source/same-person.ts'
import { eyeOpenness, mouthOpenness } from '../../track/shape-change.ts'
import type { JobContext, RequestOf } from '../job-context.ts'

/** Frames to look at, and the least time between two of them in seconds. */
const most = 40
const apart = 0.4
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
    const write = async (view: Seen, person: number, number: number): Promise<string> => {
      const file = `view-${String(person)}-${String(number)}.jpg`
      await writeFile(request.folder, file, await toJpeg(pictureOf(view, media.facts), 0.95))
      return file
    }
    const files = people.map((views, person) =>
      Promise.all(chooseViews(views, maxPictures).map((view, number) => write(view, person, number))),
    )
    return { people: await Promise.all(files) }
  } catch (error) {
    throw mediaError(error, context.signal)
  } finally {
    media.close()
  }
}

/** A view with its pixels, so that the video is decoded once. 40 of a face that fills 4K frames are 230 MB. */
interface Seen extends View {
  region: Region
  patch: Patch
}

/** Why no face can be used: the widest that is too small, or the least turned one. */
type Refused = { pixels: number } | { degrees: number }

async function look(
  media: MediaInput,
  embedder: FaceEmbedder,
  { analyst, signal }: JobContext,
): Promise<{ views: Seen[]; refused: Refused | null }> {
  const { codedWidth, codedHeight, color, view } = media.facts
  const buffer = new ArrayBuffer(planesByteLength(codedWidth, codedHeight))
  const views: Promise<Seen>[] = []
  let [widest, straightest] = [0, Infinity]
  const add = (time: number, frame: Planes, points: Points): void => {
    const { width } = boundsOf(points, faceOval)
    const [yaw, pitch] = [yawOf(points), pitchOf(points)]
    const degrees = Math.max(Math.abs(yaw), Math.abs(pitch))
    const region = { ...regionOfPoints(points), angle: 0 }
    const patch = cutPatch(frame, color, regionBounds(region, view, margin))
    if (!patch) return
    if (width < minFaceWidth) widest = Math.max(widest, width)
    else if (degrees >= turnedTooFar) straightest = Math.min(straightest, degrees)
    else {
      const eyes = Math.min(eyeOpenness(points, 'right'), eyeOpenness(points, 'left'))
      const facing = { time, width, yaw, pitch, mouth: mouthOpenness(points), eyes }
      const sharp = sharpnessOf({ patch, view }, region)
      const toPatch = { ...view, c: view.c - patch.left, f: view.f - patch.top }
      const seen = embedder
        .embed(patch, color, codedPoints(points, toPatch))
        .then((vector) => ({ ...facing, sharp, region, patch, vector }))
      // Awaited below. Until then, avoid an unhandled rejection.
      seen.catch(() => undefined)
      views.push(seen)
    }
  }
  try {
    for await (const sample of new VideoSampleSink(media.video).samplesAtTimestamps(await timesOf(media))) {
      if (!sample) continue
      signal.throwIfAborted()
      const { timestamp: time } = sample
      const frame = await readFrame(sample, codedWidth, codedHeight, color, buffer).finally(() => {
        sample.close()
      })
      for (const { points } of await facesOn(frame, media.facts, analyst)) add(time, frame, points)
      // The next frame is searched while the faces of this one are recognised.
      await views.at(-2)
    }
  } catch (error) {
    // What comes before the damage is enough.
    if (views.length === 0 || signal.aborted) throw error
  }
  const refused =
    straightest < Infinity ? { degrees: Math.round(straightest) } : widest > 0 ? { pixels: Math.round(widest) } : null
  return { views: await Promise.all(views), refused }
}

function facesOn(
  frame: Planes,
  { color, view, width, height }: MediaInput['facts'],
  analyst: JobContext['analyst'],
): Promise<FoundFace[]> {
  const input = searchInput(frame, color, view)
  if (!input) return Promise.resolve([])
  // Beside a large face, nobody wants one so small that only the finest search finds it.
  return analyst.call('faces', [input, { width, height }, 3, maxChoices, true], buffersOf(input.patch))
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

/** A face, upright. Nothing beyond the frame's edges, which would look like something in front of the face. */
function pictureOf({ patch, region }: Seen, { view, ...frame }: MediaInput['facts']): OffscreenCanvas {
  const half = (region.size * margin) / 2
  const [left, top] = [Math.max(0, Math.floor(region.x - half)), Math.max(0, Math.floor(region.y - half))]
  const width = Math.min(frame.width, Math.ceil(region.x + half)) - left
  const height = Math.min(frame.height, Math.ceil(region.y + half)) - top
  const scale = Math.min(1, maxSide / Math.max(width, height))
  const coded = draw(patch.width, patch.height, (context) => {
    context.putImageData(new ImageData(planesToRgba(patch, patch.color), patch.width, patch.height), 0, 0)
  })
  return draw(Math.round(width * scale), Math.round(height * scale), (context) => {
    context.scale(scale, scale)
    context.translate(-left, -top)
    const { a, b, c, d, e, f } = inverse(view)
    context.transform(a, d, b, e, c, f)
    context.drawImage(coded, patch.left, patch.top)
  })
}

/** Sum of the relative differences of a face's pixels to those around them. */
function sharpnessOf(input: AnalysisInput, region: Region): number {
  const rgb = new Float32Array(smallSide * smallSide * 3)
  sampleRegion(input, region, smallSide, [0, 255], rgb)
  const green = (pixel: number): number => rgb[pixel * 3 + 1] ?? 0
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
