/** @file A swap from end to end: decode, follow, paint, encode, all at once over a window of a few frames. */
import type { Encoder, SwapResult, WayOfEncoding } from '@shared/engine.ts'
import { MienError } from '@shared/errors.ts'
import { codedPoints } from '../face/coded-points.ts'
import { yawOf } from '../face/landmarks.ts'
import { colorModelOf } from '../media/color.ts'
import { decodeFrames } from '../media/decode-frames.ts'
import { digestOf, fingerprint, sha256 } from '../media/digest.ts'
import { readFrame } from '../media/frame-planes.ts'
import { encodable, growToEven } from '../media/even-frame.ts'
import { mediaError, openMedia, type MediaInput } from '../media/media-input.ts'
import { MediaOutput } from '../media/media-output.ts'
import { canEncode } from '../media/segment-encoder.ts'
import type { ColorModel, Planes } from '../media/planes.ts'
import { stillOf } from '../media/still.ts'
import { FaceRenderer } from '../render/face-renderer.ts'
import { meshSwap } from '../render/mesh-swap.ts'
import { prepareSource } from '../source/prepare-source.ts'
import type { SourceCut } from '../source/source-face.ts'
import { follow, pixelsBefore, type FollowState } from '../track/follow.ts'
import { FrontWatch } from '../occlusion/front-watch.ts'
import { placeFronts } from '../occlusion/front-map.ts'
import { opacityAt, smoothed, smoothReach } from '../track/track.ts'
import { Tracker } from '../track/tracker.ts'
import { copyPlanes, CoverTaker } from './cover.ts'
import { findLook, stillOfLook } from './first-look.ts'
import { FrameWindow, type WindowFrame } from './frame-window.ts'
import type { JobContext, RequestOf } from './job.ts'
import { Preview, previewWidth, type Still } from './preview.ts'
import { Progress } from './progress.ts'
import { QualityRuns } from './quality-runs.ts'
import { SegmentWriter } from './segment-writer.ts'
import { engineVersion, SegmentStore, type Checkpoint } from './segments.ts'
import { encodeBy } from './way-of-encoding.ts'

/** Frames held at once: what smoothing looks ahead, four strides between looks, and a few under way. */
const windowFrames = 18
/** Length of a segment: what a crash may cost. */
const segmentSeconds = 4

/** What is on disk is of no use after all: the video does not give the frame to go on from. */
class NotTheSame extends Error {}

/**
 * Goes on after the segments that an earlier run left in the folder, if they are of the same inputs.
 * @throws MienError with the codes of the picture, the video, `no-face-in-video`, `disk-full`, `cancelled`
 */
export async function swap(request: RequestOf<'swap'>, context: JobContext): Promise<SwapResult> {
  const started = performance.now()
  const progress = new Progress((state) => {
    context.emit({ type: 'progress', id: request.id, progress: state })
  })
  progress.update({ stage: 'preparing' })
  const media = await openMedia(request.video, context.signal)
  try {
    progress.update({ framesTotal: media.facts.frames })
    const preparing = prepareSource(request.face, context.analyst, context.signal)
    const preview = new Preview(request.folder)
    preview.show(firstStill(media, preparing, context))
    void preview.settle().then(
      () => progress.update({ previewFrame: preview.frame }),
      () => undefined,
    )
    const [inputs, cut] = await Promise.all([inputsOf(request, context.signal), preparing])
    const storeOf = async (way: WayOfEncoding): Promise<SegmentStore> =>
      new SegmentStore(request.folder, await sha256([inputs, way.encoder, way.fellBack].join('\n')))
    progress.update({ stage: 'swapping' })
    const prepared = performance.now()
    const parts = { request, context, media, cut, progress, preview }
    const result = await encodeBy(request.encoder, {
      fits: () => canEncode(media.facts, 'hardware'),
      isBegun: async (way) => (await (await storeOf(way)).next()) !== null,
      run: async (way) => {
        // What an encoder that failed has made is of no use to another.
        progress.update({ framesDone: 0, savedMs: 0 })
        const work = { ...parts, encoder: way.encoder }
        return new Swap({ ...work, store: await storeOf(way) }).run(true).catch(async (error: unknown) => {
          if (!(error instanceof NotTheSame)) throw error
          return new Swap({ ...work, store: await storeOf(way) }).run(false)
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

/** What is shown first, found while the work begins; null when there is nothing, or what is wrong will be told by the work. */
async function firstStill(
  media: MediaInput,
  preparing: Promise<SourceCut>,
  context: JobContext,
): Promise<Still | null> {
  const [look, cut] = await Promise.all([findLook(media, context), preparing.catch(() => null)])
  return look && cut && stillOfLook(look, cut, media)
}

/** A digest of everything that the result depends on, beside the encoder. */
async function inputsOf({ video, face }: RequestOf<'swap'>, signal: AbortSignal): Promise<string> {
  const parts = [engineVersion, navigator.userAgent, await fingerprint(video, signal), await digestOf(face, signal)]
  return sha256(parts.join('\n'))
}

interface SwapParts {
  request: RequestOf<'swap'>
  context: JobContext
  media: MediaInput
  cut: SourceCut
  progress: Progress
  preview: Preview
  encoder: Encoder
  store: SegmentStore
}

type WorkResult = Omit<SwapResult, 'elapsedMs' | 'workFps' | keyof WayOfEncoding>

class Swap {
  readonly #parts: SwapParts
  readonly #stages = { decode: 0, encode: 0, smooth: 0, preview: 0, keptFrames: 0 }
  /** Where a segment ends and what is needed to go on there, by the index of the first frame after it. */
  readonly #cuts = new Map<number, NonNullable<Checkpoint['next']>>()
  /** Seconds. */
  #cutAt = -Infinity
  #analysed = 0
  #segmented = 0
  /** As encoded: even. */
  readonly #width: number
  readonly #height: number
  #color: ColorModel = { matrix: 'bt709', full: false }
  #colorSpace: VideoColorSpaceInit = {}
  readonly #quality = new QualityRuns()
  #cover: CoverTaker
  #renderStages: Record<string, number> = {}

  constructor(parts: SwapParts) {
    this.#parts = parts
    const { facts } = parts.media
    this.#width = (facts.codedWidth + 1) & ~1
    this.#height = (facts.codedHeight + 1) & ~1
    this.#cover = new CoverTaker(parts.request.folder, facts.frames)
  }

  /** @param goOn after the segments in the store */
  async run(goOn: boolean): Promise<WorkResult> {
    const { media, request, context, progress, store, encoder } = this.#parts
    const { facts, audio } = media
    const output = await MediaOutput.open(request.folder, facts, audio)
    const onSaved = (savedMs: number): void => {
      progress.update({ savedMs })
    }
    const writer = new SegmentWriter({ store, output, facts, encoder, onSaved })
    let stop = (): void => undefined
    const onAbort = (): void => {
      stop()
    }
    context.signal.addEventListener('abort', onAbort)
    try {
      const kept = goOn ? await this.#takeUp(writer) : null
      let frames = kept?.frames ?? 0
      if (!kept || kept.next) {
        const from = kept?.next ?? null
        const first = from ? from.follow.index - pixelsBefore : 0
        const window = new FrameWindow(this.#width, this.#height, windowFrames, first)
        stop = () => {
          window.stop()
        }
        context.signal.throwIfAborted()
        await this.#work(window, writer, from)
        frames = window.count
      }
      return await this.#finish(frames, output)
    } catch (error) {
      await writer.cancel()
      await output.cancel()
      throw error
    } finally {
      context.signal.removeEventListener('abort', onAbort)
    }
  }

  /** Joins what an earlier run left. @returns the last checkpoint */
  async #takeUp(writer: SegmentWriter): Promise<Checkpoint | null> {
    const { store, context, progress, media, request } = this.#parts
    let last: Checkpoint | null = null
    for (let one = await store.next(); one; one = await store.next()) {
      context.signal.throwIfAborted()
      await writer.join(one.segment)
      last = one.checkpoint
      for (const run of last.quality) this.#quality.add(run.kind, run.frames)
      progress.update({ framesDone: last.frames, savedMs: last.savedMs })
    }
    if (!last) return null
    this.#quality.takeNew()
    this.#cover = new CoverTaker(request.folder, media.facts.frames, last.cover)
    this.#stages.keptFrames = last.frames
    // Written from a colour space's own words.
    this.#colorSpace = last.colorSpace as VideoColorSpaceInit
    this.#color = colorModelOf(this.#colorSpace, media.facts.height)
    return last
  }

  /** Decodes, follows and paints at the same time. */
  async #work(frames: FrameWindow, writer: SegmentWriter, from: Checkpoint['next']): Promise<void> {
    const { signal } = this.#parts.context
    const decoding = this.#decode(frames, from).catch((error: unknown) => {
      throw error instanceof NotTheSame ? error : mediaError(error, signal)
    })
    const work = [decoding, this.#follow(frames, decoding, from), this.#paint(frames, writer, from)] as const
    // The first failure is the one to report; it also ends the others.
    const failures: unknown[] = []
    await Promise.all(
      work.map((one) =>
        one.catch((error: unknown) => {
          failures.push(error)
          frames.stop()
        }),
      ),
    )
    if (failures.length > 0) throw failures[0]
  }

  async #finish(frames: number, output: MediaOutput): Promise<WorkResult> {
    const { progress, media } = this.#parts
    const { facts } = media
    if (this.#quality.swapped === 0) throw new MienError('no-face-in-video')
    progress.update({ stage: 'finishing', framesDone: frames })
    const { sizeBytes, videoCodec } = await output.finish()
    const turned = facts.rotation % 180 !== 0
    const grownX = this.#width - facts.codedWidth
    const grownY = this.#height - facts.codedHeight
    return {
      width: facts.width + (turned ? grownY : grownX),
      height: facts.height + (turned ? grownX : grownY),
      frames,
      swappedFrames: this.#quality.swapped,
      durationMs: facts.durationMs,
      sizeBytes,
      fps: Math.round(facts.fps * 1000) / 1000,
      videoCodec,
      audioCodec: output.audioCodec,
      lostSound: facts.lostSound,
      faces: this.#cover.state.faces,
      quality: this.#quality.runs,
      stages: {
        ...this.#stages,
        ...this.#renderStages,
        analysedFrames: this.#analysed,
        segmentedFrames: this.#segmented,
      },
    }
  }

  async #decode(frames: FrameWindow, from: Checkpoint['next']): Promise<void> {
    const { video, facts } = this.#parts.media
    const { codedWidth, codedHeight } = facts
    const odd = codedWidth !== this.#width || codedHeight !== this.#height
    let first = true
    for await (const { sample, timestamp, duration, damaged } of decodeFrames(video, from?.decodeFrom ?? null)) {
      if (first && from && (damaged || Math.abs(timestamp - from.decodeFrom) > 1e-6)) throw new NotTheSame()
      if (first && !from) {
        this.#colorSpace = sample.colorSpace.toJSON()
        this.#color = colorModelOf(this.#colorSpace, facts.height)
      }
      first = false
      const { buffer, planes } = await frames.room()
      const mark = performance.now()
      if (odd) {
        const exact = new ArrayBuffer(codedWidth * codedHeight * 2 + 4096)
        growToEven(await readFrame(sample, codedWidth, codedHeight, this.#color, exact), planes)
      } else {
        await readFrame(sample, codedWidth, codedHeight, this.#color, buffer)
      }
      this.#stages.decode += performance.now() - mark
      frames.push({ timestamp, duration, damaged, planes, buffer })
    }
    if (first && from) throw new NotTheSame()
    if (first) throw new MienError('video-damaged', { reason: 'no frame could be read' })
    frames.finish()
  }

  async #follow(frames: FrameWindow, decoding: Promise<void>, from: Checkpoint['next']): Promise<void> {
    const { context, media } = this.#parts
    const { facts } = media
    // The colour model is known once the first frame is here.
    if (!(await frames.arrived(frames.first))) return decoding
    const setup = { analyst: context.analyst, view: facts.view, color: this.#color }
    const tracker = new Tracker({ ...setup, size: { width: facts.width, height: facts.height } })
    const front = new FrontWatch(setup)
    this.#analysed = await follow({
      ...{ frames, tracker, front },
      ...{ view: facts.view, signal: context.signal, from: from?.follow ?? null },
      onLook: (index, state) => {
        this.#maybeCut(frames, index, state)
      },
    })
    this.#segmented = front.asked
  }

  /** Ends the segment before this frame if it is long enough, and if the frames to go on from can be read again. */
  #maybeCut(frames: FrameWindow, index: number, state: () => FollowState): void {
    const frame = frames.frame(index)
    if (!frame) return
    if (this.#cutAt === -Infinity) this.#cutAt = frame.timestamp
    if (frame.timestamp - this.#cutAt < segmentSeconds) return
    const needed = Array.from({ length: pixelsBefore + 1 }, (_, back) => frames.frame(index - back))
    const first = needed.at(-1)
    if (!first || needed.some((one) => one?.damaged !== false)) return
    this.#cutAt = frame.timestamp
    this.#cuts.set(index, { follow: state(), decodeFrom: first.timestamp })
  }

  async #paint(frames: FrameWindow, writer: SegmentWriter, from: Checkpoint['next']): Promise<void> {
    const { context, media, progress, preview, cut } = this.#parts
    const { facts } = media
    const look = (planes: Planes): OffscreenCanvas => stillOf(planes, this.#color, facts, previewWidth)
    let renderer: FaceRenderer | null = null
    const start = from?.follow.index ?? 0
    for (let index = start; await frames.ready(index, smoothReach); index += 1) {
      context.signal.throwIfAborted()
      const frame = frames.frame(index)
      if (!frame) throw new Error('a frame went missing')
      const next = this.#cuts.get(index)
      if (next) await this.#cutBefore(frame, writer, next)
      renderer ??= new FaceRenderer(meshSwap.prepareSource(cut, this.#color))
      const mark = performance.now()
      const points = smoothed(frames.trackAt, index)
      const yaw = points ? yawOf(points) : 0
      const opacity = points ? opacityAt(frames.trackAt, index, points) : 0
      this.#stages.smooth += performance.now() - mark
      const previewMark = performance.now()
      const before = preview.due ? look(frame.planes) : null
      const coverBefore = points && this.#cover.wants(index, yaw, opacity) ? copyPlanes(frame.planes) : null
      let previewed = performance.now() - previewMark
      if (points && opacity > 0.004) {
        const coded = codedPoints(points, facts.view)
        const at = { index, shot: frames.trackAt(index)?.shot ?? 0, reach: smoothReach }
        const fronts = placeFronts(frames.frontsAround(index, smoothReach), at, coded)
        renderer.paint(frame.planes, coded, opacity, fronts)
      }
      const kind = points === null ? 'none' : opacity > 0.02 ? 'swapped' : 'turned'
      this.#quality.add(frame.damaged ? 'damaged' : kind)
      const painted = performance.now()
      if (before) preview.show({ index, before, after: look(frame.planes) })
      if (coverBefore) this.#cover.keep(index, yaw, coverBefore, copyPlanes(frame.planes))
      const encodeMark = performance.now()
      previewed += encodeMark - painted
      this.#stages.preview += previewed
      const sample = encodable(frame, this.#width, this.#height, facts, this.#colorSpace)
      if (index - start < pixelsBefore) frames.release(index - pixelsBefore, smoothReach + 4)
      frames.release(index, smoothReach + 4)
      await writer.add(sample)
      sample.close()
      this.#stages.encode += performance.now() - encodeMark
      progress.update({
        framesDone: index + 1,
        framesSwapped: this.#quality.swapped,
        previewFrame: preview.frame,
      })
    }
    await preview.settle()
    await writer.cut(await this.#checkpoint(frames.count, facts.durationMs, null))
    await writer.settle()
    if (renderer) this.#renderStages = { ...renderer.stages }
  }

  async #cutBefore(frame: WindowFrame, writer: SegmentWriter, next: Checkpoint['next']): Promise<void> {
    this.#cuts.delete(frame.index)
    const savedMs = Math.max(0, Math.round((frame.timestamp - this.#parts.media.facts.firstTimestamp) * 1000))
    await writer.cut(await this.#checkpoint(frame.index, savedMs, next))
  }

  async #checkpoint(frames: number, savedMs: number, next: Checkpoint['next']): Promise<Checkpoint> {
    await this.#cover.write(this.#parts.context.analyst, this.#color, this.#parts.media.facts)
    const quality = this.#quality.takeNew()
    return { frames, quality, cover: this.#cover.state, colorSpace: this.#colorSpace, savedMs, next }
  }
}
