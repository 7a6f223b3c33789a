/** @file Runs a swap from the request to the finished file. */
import type { SwapResult, EncoderChoice } from '@shared/engine.ts'
import type { SwapOptions } from '@shared/swap-options.ts'
import { MienError } from '@shared/errors.ts'
import { digestOf, fingerprint, sha256 } from '../media/digest.ts'
import { openMedia, type MediaInput } from '../media/demux/media-input.ts'
import { canEncode } from '../media/encode/segment-encoder.ts'
import { prepareSource } from '../source/prepare-source.ts'
import type { SourceCut } from '../source/source-face.ts'
import { analyseKeyFrames, hardest, stillOfFrame, usualFace, type AnalysedFrame } from './first-frames.ts'
import type { JobContext, RequestOf } from './job-context.ts'
import { Preview, type Still } from './preview.ts'
import { Progress } from './progress.ts'
import { engineVersion, SegmentStore } from './segments.ts'
import { NotTheSame, SwapRun } from './swap-run.ts'
import { encodeWithFallback } from './encoder-choice.ts'

/**
 * Resumes after segments in the folder if they were made from the same inputs.
 * @throws MienError the codes of the face (these first), of the video, `no-face-in-video`, `disk-full`, `cancelled`
 */
export async function swap(request: RequestOf<'swap'>, context: JobContext): Promise<SwapResult> {
  const started = performance.now()
  const progress = new Progress((state) => {
    context.emit({ type: 'progress', id: request.id, progress: state })
  })
  progress.update({ stage: 'preparing' })
  const preparing = prepareSource([request.face, ...request.pictures], context.analyst, context.signal)
  // Awaited once the video is open. Until then, avoid an unhandled rejection.
  preparing.catch(() => undefined)
  const media = await openMedia(request.video, context.signal).catch(async (error: unknown) => {
    // Errors of the face take precedence.
    await preparing
    throw error
  })
  try {
    const { width, height, durationMs, frames } = media.facts
    progress.update({ footage: { width, height, durationMs }, framesTotal: frames })
    const preview = new Preview(request.folder)
    const analysed = analyseKeyFrames(media, context)
    const known = Promise.all([analysed, preparing]).then(([found, { shape }]) =>
      usualFace(media, context, found, shape),
    )
    // Awaited below. Until then, avoid an unhandled rejection.
    known.catch(() => undefined)
    preview.show(firstStill({ media, analysed, preparing, known, options: request.options }))
    void preview.settle().then(
      () => progress.update({ previewFrame: preview.frame }),
      () => undefined,
    )
    const [inputs, cut, person] = await Promise.all([inputsOf(request, context.signal), preparing, known])
    const storeOf = async (way: EncoderChoice): Promise<SegmentStore> =>
      new SegmentStore(request.folder, await sha256([inputs, way.encoder, way.fellBack].join('\n')))
    const prepared = performance.now()
    const parts = { request, context, media, cut, person, progress, preview }
    const result = await encodeWithFallback(request.encoder, {
      fits: () => canEncode(media.facts, 'hardware'),
      isBegun: async (way) => (await (await storeOf(way)).next()) !== null,
      run: async (way) => {
        const work = { ...parts, encoder: way.encoder }
        return new SwapRun({ ...work, store: await storeOf(way) }).run(true).catch(async (error: unknown) => {
          if (!(error instanceof NotTheSame)) throw error
          return new SwapRun({ ...work, store: await storeOf(way) }).run(false)
        })
      },
    })
    await media.unchanged()
    const ended = performance.now()
    return {
      ...result,
      elapsedMs: Math.round(ended - started),
      workFps: ((result.frames - (result.stages['keptFrames'] ?? 0)) * 1000) / (ended - prepared),
      stages: { ...result.stages, prepare: prepared - started, work: ended - prepared },
    }
  } catch (error) {
    if (context.signal.aborted) throw new MienError('cancelled')
    throw error
  } finally {
    media.close()
  }
}

/** The first preview, or null. Errors are ignored here: the swap itself reports them. */
async function firstStill(parts: {
  media: MediaInput
  analysed: Promise<AnalysedFrame[]>
  preparing: Promise<SourceCut>
  known: Promise<Float32Array | null>
  options: SwapOptions
}): Promise<Still | null> {
  const { media } = parts
  const [frames, cut, person] = await Promise.all([
    parts.analysed,
    parts.preparing.catch(() => null),
    parts.known.catch(() => null),
  ])
  const frame = hardest(frames)
  return frame && cut && stillOfFrame(frame, cut, person, parts.options, media)
}

/** SHA-256 of everything the result depends on, except the encoder. */
async function inputsOf(request: RequestOf<'swap'>, signal: AbortSignal): Promise<string> {
  const { video, face, pictures, options } = request
  const pictureDigests = await Promise.all([face, ...pictures].map((picture) => digestOf(picture, signal)))
  const inputs = [await fingerprint(video, signal), ...pictureDigests, JSON.stringify(options)]
  const parts = [engineVersion, navigator.userAgent, ...inputs]
  return sha256(parts.join('\n'))
}
