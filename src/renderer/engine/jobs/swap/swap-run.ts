/** @file One run of a swap: decodes, tracks, renders and encodes concurrently over a small window of frames. */
import type { SwapResult } from '@shared/engine/engine.ts'
import type { Encoder, EncoderChoice } from '@shared/engine/encoder.ts'
import { MienError } from '@shared/mien-error.ts'
import { VideoLabel } from '../../media/label/label-drawing.ts'
import { decodeParts } from '../../media/demux/decode-frames.ts'
import { evenSize, readEven, SampleMaker, type Encoding } from '../../media/encode/even-frame.ts'
import { mediaError, type MediaInput } from '../../media/demux/media-input.ts'
import { MediaOutput } from '../../media/encode/media-output.ts'
import { marksOfPictures, aigcOf, joinMarks, marksOfResult } from '../../media/marks/marks.ts'
import { planesByteLength } from '../../media/pixels/planes.ts'
import { OcclusionTracker } from '../../occlusion/occlusion-tracker.ts'
import { seenPoints, type SeenPerson, type Wanted } from './first-frames.ts'
import type { EarlyFrames } from './early-frames.ts'
import { joinRanOn, type PreparedFace } from './prepare-face.ts'
import { follow, pixelsBefore } from '../../track/follow.ts'
import { Tracker } from '../../track/tracker.ts'
import { SegmentPlan, SegmentWriter } from '../segments/segment-writer.ts'
import { CoverTaker, type Preview } from '../frames/stills.ts'
import { FrameRenderer, type Rendered, minFrames, renderInOrder } from '../frames/frame-renderer.ts'
import { framesAtOnce, type RenderWorkers } from '../frames/render-workers.ts'
import { FrameWindow, type WindowFrame } from '../../track/frame-window.ts'
import type { JobContext, RequestOf, Progress } from '../job-context.ts'
import { QualityRuns, WeakParts } from '../frames/frame-quality.ts'
import type { Checkpoint, SegmentStore } from '../segments/segments.ts'

/** Frames buffered at once: at least the minimum without deadlock, and more while they fit into `bytes`. */
const windowFrames = { min: minFrames(framesAtOnce), max: 44, bytes: 96e6 }
/** The checkpoint is unusable: decoding doesn't yield the frame to resume from. */
export class NotTheSame extends Error {}

export interface RunParts {
  request: RequestOf<'swap'>
  context: JobContext
  media: MediaInput
  encoding: Encoding
  /** One for each entry of the request's cast. Frames are decoded and followed while they are prepared. */
  faces: Promise<readonly PreparedFace[]>
  /** Opened once the faces are prepared. */
  workers: RenderWorkers
  wanted: readonly Wanted[]
  /** What was found of everybody; one for each entry of the request's cast. */
  seen: Promise<readonly SeenPerson[]>
  /** Gets the frames of this run. */
  early: EarlyFrames
  progress: Progress
  /** Null: none. */
  preview: Preview | null
  encoder: Encoder
  store: SegmentStore
  /** Time of the result's first frame, in seconds of the times of this run's frames. */
  resultStart: number
}

type RunResult = Omit<SwapResult, 'elapsedMs' | 'workFps' | 'oddPictures' | keyof EncoderChoice>

/** Swaps a video from the end of the store's segments to the end of the video. */
export class SwapRun {
  readonly #stages = { decode: 0, encode: 0, keptFrames: 0 }
  readonly #plan: SegmentPlan
  #analysed = 0
  #segmented = 0
  readonly #samples: SampleMaker
  /** Coded size in pixels, rounded up to even. */
  readonly #width: number
  readonly #height: number
  readonly #quality = new QualityRuns()
  readonly #weak = new WeakParts()
  #cover: CoverTaker

  constructor(private readonly parts: RunParts) {
    const { facts, plan } = parts.media
    const { encoding, request, resultStart } = parts
    this.#samples = new SampleMaker(facts, encoding, VideoLabel.of(request.options, facts, encoding, resultStart))
    const { width, height } = evenSize(facts)
    this.#width = width
    this.#height = height
    this.#cover = new CoverTaker(parts.request.folder, plan)
    this.#plan = new SegmentPlan(request.cast.length)
  }

  get #framesBuffered(): number {
    const { min, max, bytes } = windowFrames
    return Math.max(min, Math.min(max, Math.floor(bytes / planesByteLength(this.#width, this.#height))))
  }

  /** @param goOn true to resume after the segments in the store */
  async run(goOn: boolean): Promise<RunResult> {
    const { media, request, context, progress, store, encoder, encoding } = this.parts
    const { plan } = media
    const inputs = joinMarks([
      await media.marks(),
      await marksOfPictures(
        request.cast.flatMap(({ pictures }) => pictures),
        context.signal,
      ),
    ])
    const marks = marksOfResult(request.method !== null, aigcOf(request.options.label, request.aigc), inputs)
    const output = await MediaOutput.open(request.folder, media, plan, 'output.mp4', marks)
    const onSaved = (savedMs: number): void => {
      progress.update({ savedMs })
    }
    const writer = new SegmentWriter({ store, output, encoding, encoder, onSaved })
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
        const first = from ? from.index - pixelsBefore : 0
        const window = new FrameWindow(this.#width, this.#height, this.#framesBuffered, first, request.cast.length)
        stop = () => {
          window.stop()
        }
        context.signal.throwIfAborted()
        this.#offer(window)
        await this.#work(window, writer, kept)
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

  /**
   * Only frames of whole videos with even sides are the same as decoded elsewhere.
   * @param window null if the run continues another
   */
  #offer(window: FrameWindow | null): void {
    const { media, early } = this.parts
    const { codedWidth, codedHeight, firstTimestamp, fps } = media.facts
    const isEven = codedWidth === this.#width && codedHeight === this.#height
    const until = firstTimestamp + (this.#framesBuffered - 1) / fps
    const isHeld = window && isEven && this.parts.request.range === null
    early.offer(isHeld ? { frames: window, color: media.facts.color, until } : null)
  }

  /** Muxes the segments of an earlier run. @returns the last checkpoint */
  async #takeUp(writer: SegmentWriter): Promise<Checkpoint | null> {
    const { context, media, request, progress } = this.parts
    const last = await writer.takeUp(context.signal, ({ quality, weak, savedMs }) => {
      for (const run of quality) this.#quality.add(run.kind, run.frames)
      this.#weak.takeUp(weak)
      progress.update({ savedMs })
    })
    if (!last) return null
    this.#offer(null)
    this.#quality.takeNew()
    this.#cover = new CoverTaker(request.folder, media.plan, last.cover)
    this.#stages.keptFrames = last.frames
    for (const face of await this.parts.faces) face.continue(last.ranOn)
    return last
  }

  async #work(frames: FrameWindow, writer: SegmentWriter, kept: Checkpoint | null): Promise<void> {
    const { signal } = this.parts.context
    const from = kept?.next ?? null
    const decoding = this.#decode(frames, from).catch((error: unknown) => {
      throw error instanceof NotTheSame ? error : mediaError(error, signal)
    })
    const work = [decoding, this.#follow(frames, decoding, from), this.#render(frames, writer, kept)] as const
    // Stopping the window makes the other two fail as well, so report only the first failure.
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

  async #finish(frames: number, output: MediaOutput): Promise<RunResult> {
    const { progress, media, encoding } = this.parts
    const { facts, plan } = media
    const parts = this.parts.request.range ? { parts: plan.parts.length } : {}
    if (this.#quality.swapped === 0) {
      const isTurned = this.#quality.runs.some(({ kind }) => kind === 'turned')
      throw new MienError('no-face-in-video', { ...parts, ...(isTurned && { reason: 'turned' }) })
    }
    progress.update({ stage: 'finishing', framesDone: frames })
    const { sizeBytes, videoCodec } = await output.finish()
    const turned = facts.rotation % 180 !== 0
    const { displayWidth, displayHeight } = encoding
    return {
      format: 'mp4',
      width: turned ? displayHeight : displayWidth,
      height: turned ? displayWidth : displayHeight,
      frames,
      swappedFrames: this.#quality.swapped,
      durationMs: plan.durationMs,
      sizeBytes,
      fps: Math.round((plan.drops ? (frames * 1000) / plan.durationMs : facts.fps) * 1000) / 1000,
      videoCodec,
      audioCodec: output.audioCodec,
      lostSound: facts.lostSound,
      missing: facts.missing,
      faces: (await this.#cover.written).faces,
      quality: this.#quality.runs,
      weak: this.#weak.finish({ index: frames, ms: plan.durationMs }),
      ranOn: await joinRanOn(await this.parts.faces),
      stages: {
        ...this.#stages,
        analysedFrames: this.#analysed,
        segmentedFrames: this.#segmented,
      },
    }
  }

  async #decode(frames: FrameWindow, from: Checkpoint['next']): Promise<void> {
    const { video, facts, plan } = this.parts.media
    let first = true
    for await (const decoded of decodeParts(video, plan, from?.decodeFrom ?? null)) {
      const { sample, timestamp, duration, damaged, part } = decoded
      if (first && from && (damaged || Math.abs(timestamp - from.decodeFrom) > 1e-6)) throw new NotTheSame()
      first = false
      const { buffer, planes } = await frames.room()
      const mark = performance.now()
      await readEven(sample, facts, buffer)
      this.#stages.decode += performance.now() - mark
      frames.push({ timestamp, duration, damaged, part, planes, buffer })
    }
    if (first && from) throw new NotTheSame()
    if (first) throw new MienError('video-damaged', { reason: 'no frame could be read' })
    frames.finish()
  }

  async #follow(frames: FrameWindow, decoding: Promise<void>, from: Checkpoint['next']): Promise<void> {
    const { context, media, request, wanted } = this.parts
    const { facts } = media
    // Nothing is drawn before the usual faces are known, so the models look for those first.
    const people = await this.parts.seen.catch(() => [])
    if (!(await frames.arrived(frames.first))) return decoding
    const setup = { analyst: context.analyst, view: facts.view, color: facts.color }
    const size = { width: facts.width, height: facts.height }
    const following = frames.tracks.map(async (track, face) => {
      const person = people[face]
      const seen = person && seenPoints(person)
      const tracker = new Tracker({ ...setup, size, path: wanted[face]?.path ?? null, ...(seen && { seen }) })
      const front = new OcclusionTracker({ ...setup, keep: request.options.keep })
      const analysed = await follow({
        ...{ frames, track, tracker, front },
        ...{ view: facts.view, signal: context.signal, from: from?.faces[face] ?? null },
        onSample: (index, state) => {
          this.#plan.offer(frames, index, face, state)
        },
      })
      this.#analysed += analysed
      this.#segmented += front.asked
    })
    await Promise.all(following)
  }

  async #render(frames: FrameWindow, writer: SegmentWriter, kept: Checkpoint | null): Promise<void> {
    const { context, media, progress, preview, workers } = this.parts
    const { facts } = media
    const start = kept?.next?.index ?? 0
    await this.parts.faces
    progress.begin(kept?.frames ?? 0, kept?.savedMs ?? 0)
    const counted = { cover: this.#cover, quality: this.#quality, weak: this.#weak }
    const renderer = new FrameRenderer({
      ...{ facts, workers, preview },
      paths: this.parts.wanted.map(({ path }) => path),
      resultMs: (frame) => this.#resultMs(frame),
      ...counted,
    })
    const render = (frame: WindowFrame): Promise<Rendered> => {
      context.signal.throwIfAborted()
      return renderer.render(frames, frame)
    }
    const finish = async (rendered: Rendered): Promise<void> => {
      const { frame } = rendered
      const next = this.#plan.take(frame.index)
      if (next) await this.#cutBefore(frame, writer, next)
      renderer.count(rendered)
      await this.#encode(frame, writer)
      progress.update({
        framesDone: frame.index + 1,
        framesSwapped: this.#quality.swapped,
        previewFrame: preview?.frame ?? null,
      })
    }
    try {
      await renderInOrder({ frames, start, atOnce: framesAtOnce, render, finish })
    } finally {
      Object.assign(this.#stages, renderer.stages)
    }
    await preview?.settle()
    await writer.cut(this.#checkpoint(frames.count, this.#savedMs(media.plan.end), null))
    await writer.settle()
  }

  async #encode(frame: WindowFrame, writer: SegmentWriter): Promise<void> {
    const mark = performance.now()
    const placed = { ...this.parts.media.plan.place(frame), buffer: frame.buffer }
    const sample = this.#samples.make(placed)
    await writer.add(sample)
    sample.close()
    this.#stages.encode += performance.now() - mark
  }

  async #cutBefore(frame: WindowFrame, writer: SegmentWriter, next: Checkpoint['next']): Promise<void> {
    await writer.cut(this.#checkpoint(frame.index, this.#savedMs(frame.timestamp), next))
  }

  /** @param time seconds in the file */
  #savedMs(time: number): number {
    return Math.max(0, Math.round((time - this.parts.media.facts.firstTimestamp) * 1000))
  }

  /** Time in the result from its first frame. */
  #resultMs(frame: WindowFrame): number {
    const { plan } = this.parts.media
    return Math.round((plan.place(frame).timestamp - plan.start) * 1000)
  }

  /** The state at the time of the call. */
  async #checkpoint(frames: number, savedMs: number, next: Checkpoint['next']): Promise<Checkpoint> {
    const { request, context, media, faces } = this.parts
    const quality = this.#quality.takeNew()
    const weak = this.#weak.takeState()
    const [cover, ranOn] = await Promise.all([
      this.#cover.write(request.proofOf ? null : context.analyst, media.facts.color, media.facts),
      faces.then(joinRanOn),
    ])
    return { frames, quality, weak, cover, savedMs, next, ranOn }
  }
}
