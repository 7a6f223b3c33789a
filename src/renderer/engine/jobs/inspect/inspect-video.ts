import { VideoSampleSink, type VideoSample } from 'mediabunny'
import type { VideoInspection } from '@shared/engine/engine.ts'
import { MienError } from '@shared/mien-error.ts'
import type { FoundFace } from '../../face/analyst.ts'
import { outlineOf } from '../../face/landmarks.ts'
import { analysisInput } from '../../face/analysis-input.ts'
import { writeFile } from '../../media/job-files.ts'
import { refuseChangingSize, keyTimes } from '../../media/demux/key-frames.ts'
import { mediaError, openMedia, type MediaInput } from '../../media/demux/media-input.ts'
import { draw, pixelsOf, toJpeg } from '../../media/pixels/picture.ts'
import type { JobContext, RequestOf } from '../job-context.ts'

/** Positions to try for the cover, as shares of the duration. */
const moments = [0.1, 0.35, 0.6, 0.85, 0]
const pastMiddle = 0.6
const coverWidth = 1280
/** Total pixels of a clip that decodes in less than a second. The value is that of the sample clip. */
const soonDecoded = 150 * 1280 * 720

interface Candidate {
  canvas: OffscreenCanvas
  timestamp: number
  faces: readonly FoundFace[]
  /** Contrast: the sum of absolute deviations from the mean. A black frame has 0. */
  worth: number
}

/**
 * Reads a video's properties and writes `cover.jpg`. The cover is the first tried frame with the most faces, so that
 * the people are counted; without any face it is the frame with the highest contrast.
 * @throws MienError the errors of `openMedia` and `mediaError`, `video-damaged` if no frame can be read
 */
export async function inspectVideo(request: RequestOf<'inspect-video'>, context: JobContext): Promise<VideoInspection> {
  const media = await openMedia(request.source, context.signal)
  try {
    await refuseChangingSize(media)
    const cover = await chooseCover(media, context)
    await writeFile(request.folder, 'cover.jpg', await toJpeg(shrink(cover.canvas)))
    const { facts } = media
    await media.unchanged()
    return {
      kind: facts.kind,
      container: facts.container,
      codec: facts.codec,
      width: facts.width,
      height: facts.height,
      durationMs: facts.durationMs,
      fps: Math.round(facts.fps * 1000) / 1000,
      frames: facts.frames,
      bitrate: facts.bitrate,
      audioCodec: facts.audioCodec,
      lostSound: facts.lostSound,
      missing: facts.missing,
      coverMs: Math.max(0, Math.round(cover.timestamp * 1000)),
      faces: cover.faces.map(({ points }) => outlineOf(points)),
    }
  } catch (error) {
    throw mediaError(error, context.signal)
  } finally {
    media.close()
  }
}

async function chooseCover(media: MediaInput, { analyst, signal }: JobContext): Promise<Candidate> {
  const { video, facts } = media
  const sink = new VideoSampleSink(video)
  let best: Candidate | null = null
  let failure: unknown = null
  const { all, untilOne } = await times(media)
  for (const time of [...all, ...untilOne]) {
    signal.throwIfAborted()
    if (best && best.faces.length > 0 && !all.includes(time)) break
    const sample = await sink.getSample(time).catch((error: unknown) => {
      if (error instanceof MienError) throw error
      failure = error
      return null
    })
    if (!sample) continue
    const { timestamp } = sample
    sample.setRotation(facts.rotation)
    const canvas = drawUpright(sample, facts.width, facts.height)
    sample.close()
    const size = { width: canvas.width, height: canvas.height }
    const input = analysisInput(canvas, { x: 0, y: 0, ...size }, 1600)
    const faces = await analyst.call('faces', [input, size, 3, 10])
    const candidate = { canvas, timestamp, faces, worth: contrastOf(canvas) }
    if (!best || isBetterCover(candidate, best)) best = candidate
  }
  if (!best) throw new MienError('video-damaged', { reason: 'no readable frame' }, { cause: failure })
  return best
}

/**
 * Times to try, in seconds. `all` are always tried: key frames, which are cheap to decode, and for short clips, which
 * have few key frames, one time past the middle. `untilOne` are tried only until a face is found.
 */
async function times(media: MediaInput): Promise<{ all: number[]; untilOne: number[] }> {
  const { width, height, frames, firstTimestamp, durationMs } = media.facts
  const at = (moment: number): number => firstTimestamp + (moment * durationMs) / 1000
  const keys = await keyTimes(media, moments).catch(() => [])
  const isShort = frames * width * height <= soonDecoded
  return { all: isShort ? [...keys, at(pastMiddle)] : keys, untilOne: moments.map(at) }
}

/** Compares by number of faces, or by contrast if neither has any. */
export function isBetterCover(
  one: Pick<Candidate, 'faces' | 'worth'>,
  than: Pick<Candidate, 'faces' | 'worth'>,
): boolean {
  if (one.faces.length > 0 || than.faces.length > 0) return one.faces.length > than.faces.length
  return one.worth > than.worth
}

/** Draws the frame with rotation and aspect ratio applied, as a player shows it. */
function drawUpright(sample: VideoSample, width: number, height: number): OffscreenCanvas {
  return draw(width, height, (context) => {
    sample.draw(context, 0, 0, width, height)
  })
}

function shrink(canvas: OffscreenCanvas): OffscreenCanvas {
  if (canvas.width <= coverWidth) return canvas
  const height = Math.round((canvas.height * coverWidth) / canvas.width)
  return draw(coverWidth, height, (context) => {
    context.drawImage(canvas, 0, 0, coverWidth, height)
  })
}

function contrastOf(canvas: OffscreenCanvas): number {
  const tiny = draw(16, 16, (context) => {
    context.drawImage(canvas, 0, 0, 16, 16)
  })
  const greens = pixelsOf(tiny).filter((_, index) => index % 4 === 1)
  const mean = greens.reduce((sum, value) => sum + value, 0) / greens.length
  return greens.reduce((sum, value) => sum + Math.abs(value - mean), 0)
}
