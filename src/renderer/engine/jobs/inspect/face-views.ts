/** @file Takes pictures of a face from a video: of each person, the views that show them best. */
import { EncodedPacketSink, VideoSampleSink } from 'mediabunny'
import type { FaceViews } from '@shared/engine/engine.ts'
import { MienError } from '@shared/mien-error.ts'
import { maxPictures } from '@shared/options/swap-options.ts'
import { compose, identity, inverse, type Affine } from '../../common/affine.ts'
import { searchInput, searchSide } from '../../face/analysis-input.ts'
import type { AnalysisInput } from '../../face/analyst.ts'
import { pitchOf } from '../../face/flaws.ts'
import { boundsOf, codedPoints, landmarkSide, regionOfPoints, yawOf, type Points } from '../../face/landmarks.ts'
import { regionBounds, regionToUpright, type Region } from '../../face/region.ts'
import { faceOval } from '../../face/topology.ts'
import { mediaError, openMedia, type MediaInput } from '../../media/demux/media-input.ts'
import { writeFile } from '../../media/job-files.ts'
import { planesToRgba } from '../../media/pixels/color.ts'
import { readFrame } from '../../media/pixels/frame-planes.ts'
import { draw, toJpeg } from '../../media/pixels/picture.ts'
import { buffersOf, cutPatch, planesByteLength, type Patch, type Planes } from '../../media/pixels/planes.ts'
import { cropOfPlanes } from '../../neural/crop.ts'
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
/** Side in pixels of the face's square, in whose inner half sharpness is measured. */
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
      const { views, refused } = await look(media, embedder, like !== null, context)
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
    const files: string[][] = []
    // One after the other: each is drawn on canvases of its own.
    for (const [person, views] of people.entries()) {
      const own: string[] = []
      for (const [number, view] of chooseViews(views, maxPictures).entries())
        own.push(await write(view, person, number))
      files.push(own)
    }
    return { people: files }
  } catch (error) {
    throw mediaError(error, context.signal)
  } finally {
    media.close()
  }
}

/** A view with its pixels, so that the video is decoded once: 230 MB for 40 faces of 1,000 pixels, up to 500 at 4K. */
interface Seen extends View {
  region: Region
  patch: Patch
}

/** Why no face can be used: the widest that is too small, or the least turned one. */
type Refused = { pixels: number } | { degrees: number }

/** @param isWanted whether one person is looked for, and no other */
async function look(
  media: MediaInput,
  embedder: FaceEmbedder,
  isWanted: boolean,
  { analyst, signal }: JobContext,
): Promise<{ views: Seen[]; refused: Refused | null }> {
  const { codedWidth, codedHeight, color, view } = media.facts
  const buffer = new ArrayBuffer(planesByteLength(codedWidth, codedHeight))
  const views: Promise<Seen>[] = []
  let [widest, straightest, last] = [0, Infinity, NaN]
  /** @returns whether it is a view */
  const add = async (time: number, frame: Planes, found: Points): Promise<boolean> => {
    const patch = cutPatch(frame, color, regionBounds({ ...regionOfPoints(found), angle: 0 }, view, margin))
    if (!patch) return false
    const points = await pointsOn({ patch, view }, found, frame, analyst)
    const { width } = boundsOf(points, faceOval)
    const [yaw, pitch] = [yawOf(points), pitchOf(points)]
    const degrees = Math.max(Math.abs(yaw), Math.abs(pitch))
    if (width < minFaceWidth) widest = Math.max(widest, width)
    else if (degrees >= turnedTooFar) straightest = Math.min(straightest, degrees)
    if (width < minFaceWidth || degrees >= turnedTooFar) return false
    const region = { ...regionOfPoints(points), angle: 0 }
    const eyes = Math.min(eyeOpenness(points, 'right'), eyeOpenness(points, 'left'))
    const facing = { time, width, yaw, pitch, mouth: mouthOpenness(points), eyes }
    const toPatch = { ...view, c: view.c - patch.left, f: view.f - patch.top }
    const sharp = sharpnessOf(patch, compose(toPatch, regionToUpright(region)))
    const seen = embedder
      .embed(patch, color, codedPoints(points, toPatch))
      .then((vector) => ({ ...facing, sharp, region, patch, vector }))
    // Awaited below. Until then, avoid an unhandled rejection.
    seen.catch(() => undefined)
    views.push(seen)
    return true
  }
  /** @returns whether any face is a view */
  const search = async (time: number, frame: Planes, isQuick: boolean): Promise<boolean> => {
    const input = searchInput(frame, color, view)
    if (!input) return false
    const faces = await analyst.call('faces', [input, media.facts, 3, maxChoices, isQuick], buffersOf(input.patch))
    let isFound = false
    for (const { points } of faces) isFound = (await add(time, frame, points)) || isFound
    return isFound
  }
  try {
    for await (const sample of new VideoSampleSink(media.video).samplesAtTimestamps(await timesOf(media))) {
      if (!sample) continue
      const { timestamp: time } = sample
      const isSize = sample.codedWidth === codedWidth && sample.codedHeight === codedHeight
      const reading = time !== last && isSize ? readFrame(sample, codedWidth, codedHeight, color, buffer) : null
      const frame = await Promise.resolve(reading).finally(() => {
        sample.close()
      })
      signal.throwIfAborted()
      // A frame may last for several of the times.
      last = time
      if (!frame) continue
      // Whoever is wanted may be small beside somebody else. Nobody else is searched for so finely where there is a view.
      if (isWanted || !(await search(time, frame, true))) await search(time, frame, false)
      // The next frame is searched while a face of this one is recognised.
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

/** Landmarks are found once more where the frame was halved and the face has too few pixels for the model there. */
async function pointsOn(
  face: AnalysisInput,
  found: Points,
  { width, height }: Planes,
  analyst: JobContext['analyst'],
): Promise<Points> {
  const region = regionOfPoints(found)
  if (Math.max(width, height) <= searchSide || region.size >= 2 * landmarkSide) return found
  return (await analyst.call('landmarks', [face, region]))?.points ?? found
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
  // Rounded inwards: the patch has all of it.
  const [left, top] = [Math.max(0, Math.ceil(region.x - half)), Math.max(0, Math.ceil(region.y - half))]
  const width = Math.min(frame.width, Math.floor(region.x + half)) - left
  const height = Math.min(frame.height, Math.floor(region.y + half)) - top
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

/**
 * Sum of the relative differences of a face's pixels to those around them.
 * @param map maps the unit square to the patch's pixels
 */
function sharpnessOf(patch: Patch, map: Affine): number {
  // The inner half, with the pixels next to it.
  const [begin, size] = [smallSide / 4 - 1, smallSide / 2 + 2]
  const inner: Affine = { ...identity, a: 1 / smallSide, c: begin / smallSide, e: 1 / smallSide, f: begin / smallSide }
  const green = cropOfPlanes(patch, patch.color, compose(map, inner), size).subarray(size ** 2)
  const light = (pixel: number): number => 255 * (green[pixel] ?? 0)
  let sum = 0
  for (let y = 1; y < size - 1; y += 1)
    for (let x = 1; x < size - 1; x += 1) {
      const at = y * size + x
      const around = (light(at - 1) + light(at + 1) + light(at - size) + light(at + size)) / 4
      sum += Math.abs(light(at) - around) / (around + 16)
    }
  return sum
}
