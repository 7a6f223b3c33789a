/** @file Swaps the faces in a picture. It is short, so nothing is saved on the way, and an interrupted one starts over. */
import type { Cast, SwapResult } from '@shared/engine/engine.ts'
import { MienError } from '@shared/mien-error.ts'
import { outputSize } from '@shared/tasks/output.ts'
import { identity } from '../../common/affine.ts'
import { codedPoints, regionOfPoints, yawOf, type Points } from '../../face/landmarks.ts'
import { analysisInput, cutSquare } from '../../face/analysis-input.ts'
import { regionBounds } from '../../face/region.ts'
import { LabelDrawing, labelChoiceOf } from '../../media/label/label-drawing.ts'
import { writeFile } from '../../media/job-files.ts'
import { marksOfPictures, aigcOf, marksOfResult, xmpOf } from '../../media/marks/marks.ts'
import { openPicture, type OpenPicture, type Pixels } from '../../media/pictures/open-picture.ts'
import { scaled } from '../../media/pictures/scale-picture.ts'
import { planesToRgba, rgbaToPlanes } from '../../media/pixels/color.ts'
import { fetchPicture, toJpeg } from '../../media/pixels/picture.ts'
import type { ColorModel, Planes } from '../../media/pixels/planes.ts'
import { projectOcclusions } from '../../occlusion/occlusion-map.ts'
import { OcclusionTracker } from '../../occlusion/occlusion-tracker.ts'
import { FaceRenderer, openSource } from '../../render/face-renderer.ts'
import { browDepthOn } from '../../source/brow-strength.ts'
import { fadeReach, opacityAtYaw } from '../../track/track.ts'
import { copyPlanes, Preview, previewWidth } from '../frames/stills.ts'
import { facesOf, smallOf } from '../inspect/inspect-picture.ts'
import { type JobContext, type RequestOf, Progress } from '../job-context.ts'
import { joinRanOn, type FinishFace, type PreparedFace } from './prepare-face.ts'
import { prepareAll } from './swap.ts'

/** Lossless enough: full range, and chroma as in most JPEG files. Only pixels that change are converted back. */
const color: ColorModel = { matrix: 'bt601', full: true }
/** Side of a face's crop as a share of its region. The segmenter needs the region and a little more. */
const cropSize = 1.1
/** Maximum side of the picture in which landmarks are found, in pixels. The model's input has 256. */
const landmarkPixels = 512
const coverWidth = 1920
/** Minimum opacity, 0…1, of a swap that can be seen. */
const minOpacity = 0.02
const maxCrops = 10

/** A face, and the entry of the cast that replaces it. */
interface Target {
  points: Points
  entry: number
}

/**
 * Writes `output.jpg`, `output.png` or `output.webp`: the format of the file, upright, in the size of the options.
 * @throws MienError the codes of the face (these first), `picture-unreadable`, `picture-too-large`, `no-face-in-video`
 */
export async function swapPicture(request: RequestOf<'swap'>, context: JobContext): Promise<SwapResult> {
  const started = performance.now()
  const { cast, folder } = request
  const { signal } = context
  const progress = new Progress((state) => {
    context.emit({ type: 'progress', id: request.id, progress: state })
  })
  progress.update({ stage: 'preparing', framesTotal: 1 })
  const preparing = prepareAll(request, context)
  // Awaited once the picture is open. Until then, avoid an unhandled rejection.
  preparing.catch(() => undefined)
  const picture = await fetchPicture(request.video, signal)
    .then(openPicture)
    .catch(async (error: unknown) => {
      // Errors of the face take precedence.
      await preparing
      throw inTarget(error)
    })
  const drawn: PreparedFace[] = []
  let done = false
  try {
    const { width, height, format, missing } = picture
    progress.update({ footage: { width, height, durationMs: 0 } })
    const found = await facesOf(picture, context.analyst)
    const targets = targetsOf(found, cast)
    const { finishers, odd } = await preparing
    if (targets.length === 0) throw new MienError('no-face-in-video', { kind: 'picture' })
    const before = await smallOf(picture, previewWidth)
    progress.begin(0, 0)
    // Smaller faces first: where two overlap, the larger one is nearer to the camera.
    for (const { points, entry } of targets.toReversed()) {
      signal.throwIfAborted()
      const finish = finishers[entry]
      const opacity = opacityAtYaw(yawOf(points))
      if (!finish || opacity < minOpacity) continue
      drawn.push(
        await swapFace(picture, { points: await refined(picture, points, context), opacity }, finish, request, context),
      )
    }
    if (drawn.length === 0) throw new MienError('no-face-in-video', { kind: 'picture', reason: 'turned' })
    const preview = new Preview(folder)
    preview.show(smallOf(picture, previewWidth).then((after) => ({ index: 0, before, after })))
    await preview.settle()
    progress.update({ stage: 'finishing', framesDone: 1, framesSwapped: 1, previewFrame: preview.frame })
    await writeFile(folder, 'cover.jpg', await toJpeg(await smallOf(picture, coverWidth), 0.9))
    const crops = found.slice(0, maxCrops)
    for (const [number, { points }] of crops.entries())
      await writeFile(
        folder,
        `face-${number}.jpg`,
        await toJpeg(cutSquare(picture.picture, regionOfPoints(points), 256)),
      )
    const output = scaled(picture, outputSize(picture, request.options.size))
    const label = labelChoiceOf(request.options)
    if (label) LabelDrawing.of(label, output)?.onPixels(output)
    const inputs = await marksOfPictures([request.video, ...cast.flatMap(({ pictures }) => pictures)], signal)
    const aigc = aigcOf(request.options.label, request.aigc)
    const xmp = xmpOf(marksOfResult(request.method !== null, aigc, inputs))
    const file = await picture.encode(output, xmp)
    await writeFile(folder, `output.${format}`, file)
    const elapsedMs = Math.round(performance.now() - started)
    done = true
    return {
      ...{ format, width: output.width, height: output.height },
      ...{ sizeBytes: file.size, videoCodec: picture.kind.toLowerCase(), faces: crops.length },
      ...{ frames: 1, swappedFrames: 1, durationMs: 0, fps: 0, quality: [{ kind: 'swapped', frames: 1 }], weak: [] },
      ...{ encoder: null, fellBack: null, audioCodec: null, lostSound: [], missing, ranOn: await joinRanOn(drawn) },
      ...{ oddPictures: odd, workFps: 1000 / elapsedMs, elapsedMs, stages: {} },
    }
  } catch (error) {
    if (signal.aborted) throw new MienError('cancelled')
    throw error
  } finally {
    picture.close()
    for (const face of drawn) face.close(done)
  }
}

/** Marks errors of the picture whose faces are swapped: the same codes are about the face's picture. */
const inTarget = (error: unknown): unknown =>
  error instanceof MienError ? new MienError(error.code, { ...error.details, target: true }, { cause: error }) : error

/**
 * The face of each entry of the cast: the largest, or the one nearest to the person's place, if one is there. No face
 * has two entries; the first one counts.
 * @returns largest face first, as `found`
 */
export function targetsOf(found: readonly { points: Points }[], cast: readonly Cast[]): Target[] {
  const entries = new Map<number, number>()
  for (const [entry, { clips }] of cast.entries()) {
    const place = clips?.[0]?.places[0]
    let nearest: number | null = clips === null && found.length > 0 ? 0 : null
    if (place) {
      const [, x, y, size] = place
      let least = size
      for (const [index, { points }] of found.entries()) {
        const region = regionOfPoints(points)
        const away = Math.hypot(region.x - x, region.y - y)
        if (away >= least) continue
        least = away
        nearest = index
      }
    }
    if (nearest !== null && !entries.has(nearest)) entries.set(nearest, entry)
  }
  return found.flatMap(({ points }, index) => {
    const entry = entries.get(index)
    return entry === undefined ? [] : [{ points, entry }]
  })
}

interface Rect {
  x: number
  y: number
  width: number
  height: number
}

/** Whole pixels around a face, within the picture. */
function rectAround(points: Points, { width, height }: Pixels): Rect {
  const { left, top, right, bottom } = regionBounds(regionOfPoints(points), identity, cropSize)
  const [x, y] = [Math.max(0, Math.floor(left)), Math.max(0, Math.floor(top))]
  return { x, y, width: Math.min(width, Math.ceil(right)) - x, height: Math.min(height, Math.ceil(bottom)) - y }
}

/** Landmarks in more of the picture's pixels than the search for faces has. */
async function refined(picture: OpenPicture, points: Points, { analyst }: JobContext): Promise<Points> {
  const rect = rectAround(points, picture)
  const input = analysisInput(picture.picture, rect, landmarkPixels)
  return (await analyst.call('landmarks', [input, regionOfPoints(points)]))?.points ?? points
}

/** Swaps one face in `picture.rgba`. @returns what was drawn, which has to be closed */
async function swapFace(
  picture: OpenPicture,
  target: { points: Points; opacity: number },
  finish: FinishFace,
  { options }: RequestOf<'swap'>,
  { analyst }: JobContext,
): Promise<PreparedFace> {
  const rect = rectAround(target.points, picture)
  const points = target.points.map((value, at) => value - (at % 3 === 0 ? rect.x : at % 3 === 1 ? rect.y : 0))
  const planes = rgbaToPlanes(cut(picture, rect), rect.width, rect.height, color)
  const original = copyPlanes(planes)
  const coded = codedPoints(points, identity)
  const tracker = new OcclusionTracker({ analyst, view: identity, color, keep: options.keep })
  const before = await tracker.update(planes, points, 0, 0)
  const occlusions = projectOcclusions({ before, after: null }, { index: 0, shot: 0, reach: fadeReach }, coded)
  const browDepth = browDepthOn(original, color, points, identity)
  const seen = { index: 0, timestamp: 0, planes: original, points, color, browDepth }
  const face = await finish(null, { frames: [seen], more: [] })
  try {
    const renderer = new FaceRenderer(openSource(face.open(), color, options), options)
    await renderer.prepareAndRender(planes, coded, target.opacity, occlusions)
  } catch (error) {
    face.close(false)
    throw error
  }
  paste(picture, rect, original, planes)
  return face
}

function cut({ rgba, width }: Pixels, rect: Rect): Uint8ClampedArray {
  const crop = new Uint8ClampedArray(rect.width * rect.height * 4)
  for (let row = 0; row < rect.height; row += 1) {
    const from = ((rect.y + row) * width + rect.x) * 4
    crop.set(rgba.subarray(from, from + rect.width * 4), row * rect.width * 4)
  }
  return crop
}

/** Writes the pixels that differ, without alpha. All others keep their exact values. */
function paste({ rgba, width }: Pixels, rect: Rect, before: Planes, after: Planes): void {
  const drawn = planesToRgba(after, color)
  const chromaWidth = (rect.width + 1) >> 1
  for (let row = 0, at = 0; row < rect.height; row += 1) {
    for (let column = 0; column < rect.width; column += 1, at += 1) {
      const chroma = (row >> 1) * chromaWidth + (column >> 1)
      const same =
        before.y[at] === after.y[at] && before.u[chroma] === after.u[chroma] && before.v[chroma] === after.v[chroma]
      if (same) continue
      const to = ((rect.y + row) * width + rect.x + column) * 4
      for (let channel = 0; channel < 3; channel += 1) rgba[to + channel] = drawn[at * 4 + channel] ?? 0
    }
  }
}
