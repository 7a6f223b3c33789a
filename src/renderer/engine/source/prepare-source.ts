/** @file Prepares a source: from a face picture to a crop. */
import type { FaceFlaw } from '@shared/engine/engine.ts'
import { MienError } from '@shared/mien-error.ts'
import { maxPictures } from '@shared/options/swap-options.ts'
import type { AnalysisMethods, FoundFace, AnalysisInput, Segments } from '../face/analyst.ts'
import { flawsOf } from '../face/flaws.ts'
import { glassesOn } from '../face/glasses.ts'
import { boundsOf, regionOfPoints, type Points } from '../face/landmarks.ts'
import { analysisInput } from '../face/analysis-input.ts'
import type { Region } from '../face/region.ts'
import { faceOval, type Eye } from '../face/topology.ts'
import { draw, decodePicture, fetchPicture, pixelsOf } from '../media/pixels/picture.ts'
import type { Caller } from '../common/rpc.ts'
import { cleanSource } from './clean-source.ts'
import { joinPictures, type JudgedPicture, type PreparedSource } from './join-pictures.ts'
import { judgePicture } from './judge-picture.ts'
import { closeMouth } from './close-mouth.ts'
import { softenFolds } from './soften-folds.ts'
import { frontalCut, ownShares } from './frontal.ts'
import { otherHalf, fillFrom } from './overlay.ts'
import { evenLight } from './even-light.ts'
import { eyesOf } from './source-eyes.ts'
import type { SourceCut } from './source-face.ts'

/** Maximum side of the crop in pixels; the face fills about two thirds of it. */
const cutSide = 1024
const minCutSide = 640
/** Pixels. */
export const minFaceWidth = 80

export interface PictureFaces {
  picture: ImageBitmap
  input: AnalysisInput
  /** Largest first. */
  faces: [FoundFace, ...FoundFace[]]
}

/**
 * Reads a picture and finds its faces.
 * @param onlyLarge as of `Analyst.detect`
 * @throws MienError `picture-unreadable`, `picture-too-large`, `no-face-in-picture`, `face-too-small`
 */
export async function findSourceFaces(
  file: Blob,
  analyst: Caller<AnalysisMethods>,
  onlyLarge = false,
): Promise<PictureFaces> {
  const picture = await decodePicture(file)
  const { width, height } = picture
  const input = analysisInput(picture, { x: 0, y: 0, width, height }, 1600)
  const [largest, ...others] = await analyst.call('faces', [input, { width, height }, 3, 10, onlyLarge])
  if (!largest) throw new MienError('no-face-in-picture')
  const pixels = Math.round(boundsOf(largest.points, faceOval).width)
  if (pixels < minFaceWidth) throw new MienError('face-too-small', { pixels, needed: minFaceWidth })
  return { picture, input, faces: [largest, ...others] }
}

/** With the segments of the face's region. */
export interface JudgedFace extends Segments {
  /** What reduces the quality of a swap. */
  flaws: FaceFlaw[]
}

/** Judges the largest face. @throws MienError `face-turned-away`, `face-covered` */
export async function judgeFace({ input, faces }: PictureFaces, analyst: Caller<AnalysisMethods>): Promise<JudgedFace> {
  const [{ points }] = faces
  const region = regionOfPoints(points)
  const segments = await analyst.call('segment', [input, region])
  return { ...segments, flaws: flawsOf(points, region, segments.face) }
}

/** Recently prepared pictures by their SHA-256, because the same face is often used for several videos. */
const prepared = new Map<string, Promise<JudgedPicture>>()
const maxPrepared = maxPictures + 2

/**
 * The person of one or more pictures, as one crop, cleaned and turned to the front. Pictures after the first are left
 * out if their face can't be used.
 * @throws MienError the errors of `fetchPicture`, `findSourceFaces` and `judgeFace`, of the first picture
 */
export async function prepareSource(
  [first = '', ...more]: readonly string[],
  analyst: Caller<AnalysisMethods>,
  signal: AbortSignal,
): Promise<PreparedSource> {
  const picture = await judgedPicture(first, analyst, signal)
  const pictures: [JudgedPicture, ...JudgedPicture[]] = [picture]
  for (const url of more) {
    const one = await judgedPicture(url, analyst, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      if (error instanceof MienError) return null
      throw error
    })
    if (one) pictures.push(one)
  }
  return joinPictures(pictures)
}

async function judgedPicture(
  url: string,
  analyst: Caller<AnalysisMethods>,
  signal: AbortSignal,
): Promise<JudgedPicture> {
  const file = await fetchPicture(url, signal)
  const name = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer())).join(' ')
  const known = prepared.get(name)
  if (known) return known
  const cut = cutSource(file, analyst)
  prepared.set(name, cut)
  cut.catch(() => prepared.delete(name))
  for (const oldest of prepared.keys()) if (prepared.size > maxPrepared) prepared.delete(oldest)
  return cut
}

/** A picture's largest face, cropped with level eyes. */
interface LevelFace {
  cut: SourceCut
  /** The landmarks in the picture. */
  inPicture: Points
  input: AnalysisInput
  /** The whole crop. */
  whole: Region
  /** Of the same region as the crop. Rejects as `judgeFace`. */
  judged: Promise<JudgedFace>
}

/** @throws MienError the errors of `findSourceFaces` */
export async function levelFace(file: Blob, analyst: Caller<AnalysisMethods>): Promise<LevelFace> {
  const found = await findSourceFaces(file, analyst, true)
  const { picture, faces } = found
  const region = regionOfPoints(faces[0].points)
  // Enlarge small faces once here, in better quality than the interpolation in each frame.
  const side = Math.max(minCutSide, Math.min(cutSide, Math.round(region.size)))
  const canvas = draw(side, side, (context) => {
    const scale = side / region.size
    context.translate(side / 2, side / 2)
    context.rotate(-region.angle)
    context.scale(scale, scale)
    context.translate(-region.x, -region.y)
    context.drawImage(picture, 0, 0)
  })
  picture.close()
  const judged = judgeFace(found, analyst)
  // Awaited last. Until then, avoid an unhandled rejection.
  judged.catch(() => undefined)
  const whole: Region = { x: side / 2, y: side / 2, size: side, angle: 0 }
  const input = analysisInput(canvas, { x: 0, y: 0, width: side, height: side }, side)
  const face = await analyst.call('landmarks', [input, whole])
  if (!face) throw new MienError('no-face-in-picture')
  const { points } = face
  const cut: SourceCut = {
    rgba: pixelsOf(canvas),
    width: side,
    height: side,
    points,
    shape: points,
    eyes: [],
    views: [],
    folds: null,
  }
  return { cut, inPicture: faces[0].points, input, whole, judged }
}

/** Cleans a picture's largest face and turns it to the front. */
async function cutSource(file: Blob, analyst: Caller<AnalysisMethods>): Promise<JudgedPicture> {
  const { cut, inPicture, whole, judged } = await levelFace(file, analyst)
  const { face, things } = await judged
  const glasses = glassesOn(cut.points, whole, things)
  const bare = cleanFront(glasses ? { ...cut, rgba: cut.rgba.slice() } : cut, face, null)
  const front = glasses ? cleanFront(cut, face, glasses) : bare
  return { front, bare, inPicture, score: judgePicture(inPicture, bare) }
}

/** Changes the cut's pixels. @param glasses as of `cleanSource` */
function cleanFront(cut: SourceCut, face: Uint8Array, glasses: Uint8Array | null): SourceCut {
  cleanSource(cut, face, glasses)
  closeMouth(cut, boundsOf(cut.points, faceOval).width)
  const front = frontalCut(cut)
  const other = otherHalf(front)
  evenLight(front, other)
  fillFrom(front, other)
  const folds = softenFolds(front, boundsOf(front.points, faceOval).width)
  const shares = ownShares(cut.points, front.points)
  const isHidden = ({ lids }: Eye): boolean => lids.reduce((sum, lid) => sum + (shares[lid] ?? 1), 0) < lids.length / 2
  return { ...front, folds, eyes: eyesOf(cut, isHidden) }
}
