/** @file Inspects a picture as a target: like a video of one frame. */
import type { VideoInspection } from '@shared/engine/engine.ts'
import { maxPeople, type PeopleScan, type Place } from '@shared/people/people.ts'
import type { AnalysisMethods, FoundFace } from '../../face/analyst.ts'
import { outlineOf, regionOfPoints } from '../../face/landmarks.ts'
import { analysisInput, cutSquare } from '../../face/analysis-input.ts'
import { writeFile } from '../../media/job-files.ts'
import { bitmapOf, openPicture, type OpenPicture, type Pixels } from '../../media/pictures/open-picture.ts'
import { draw, fetchPicture, toJpeg } from '../../media/pixels/picture.ts'
import type { Caller } from '../../common/rpc.ts'
import type { JobContext, RequestOf } from '../job-context.ts'

const coverWidth = 1280
const maxOutlines = 10
const clipSide = 128

/**
 * Finds the faces in a picture and writes `cover.jpg`.
 * @throws MienError `picture-unreadable`, `picture-too-large`, errors of `fetchPicture`
 */
export async function inspectPicture(
  request: RequestOf<'inspect-video'>,
  { analyst, signal }: JobContext,
): Promise<VideoInspection> {
  const picture = await openPicture(await fetchPicture(request.source, signal))
  try {
    const { width, height, kind, missing } = picture
    const faces = await facesOf(picture, analyst)
    await writeFile(request.folder, 'cover.jpg', await toJpeg(await smallOf(picture, coverWidth)))
    return {
      ...{ kind: 'picture', container: kind, codec: kind.toLowerCase(), width, height },
      ...{ durationMs: 0, fps: 0, frames: 1, bitrate: null, audioCodec: null, lostSound: [], missing, coverMs: 0 },
      faces: faces.slice(0, maxOutlines).map(({ points }) => outlineOf(points)),
    }
  } finally {
    picture.close()
  }
}

/**
 * Everybody in a picture, each with one clip. Writes `clip-N.jpg`.
 * @throws MienError as `inspectPicture`
 */
export async function scanPicture(
  request: RequestOf<'scan-people'>,
  { analyst, signal }: JobContext,
): Promise<PeopleScan> {
  const picture = await openPicture(await fetchPicture(request.source, signal))
  try {
    const people: PeopleScan['people'] = []
    for (const [id, { points }] of (await facesOf(picture, analyst)).entries()) {
      const region = regionOfPoints(points)
      const place: Place = [0, Math.round(region.x), Math.round(region.y), Math.max(1, Math.round(region.size))]
      await writeFile(request.folder, `clip-${id}.jpg`, await toJpeg(cutSquare(picture.picture, region, clipSide)))
      people.push({ clips: [{ id, fromMs: 0, toMs: 1, places: [place] }] })
    }
    return { people, scannedMs: 0 }
  } finally {
    picture.close()
  }
}

/** All faces, largest first. */
export function facesOf(
  { picture, width, height }: OpenPicture,
  analyst: Caller<AnalysisMethods>,
): Promise<FoundFace[]> {
  const input = analysisInput(picture, { x: 0, y: 0, width, height }, 1600)
  return analyst.call('faces', [input, { width, height }, 3, maxPeople])
}

/** The picture on white, at most `maxWidth` pixels wide. */
export async function smallOf(pixels: Pixels, maxWidth: number): Promise<OffscreenCanvas> {
  const width = Math.min(maxWidth, pixels.width)
  const height = Math.max(1, Math.round((pixels.height * width) / pixels.width))
  const small = await bitmapOf(pixels, { resizeWidth: width, resizeHeight: height, resizeQuality: 'high' })
  const canvas = draw(width, height, (context) => {
    context.fillStyle = '#fff'
    context.fillRect(0, 0, width, height)
    context.drawImage(small, 0, 0)
  })
  small.close()
  return canvas
}
