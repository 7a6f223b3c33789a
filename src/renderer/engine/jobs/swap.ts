/** @file A swap from end to end: decode, follow, paint, encode, all at once over a window of a few frames. */
import { VideoSample, VideoSampleSink } from 'mediabunny'
import type { SwapResult } from '@shared/engine.ts'
import { MienError } from '@shared/errors.ts'
import { compose, identity } from '../face/affine.ts'
import { yawOf, type Points } from '../face/landmarks.ts'
import { meshPoints } from '../face/topology.ts'
import { colorModelOf } from '../media/color.ts'
import { readFrame } from '../media/frame-planes.ts'
import { mediaError, openMedia, type MediaInput } from '../media/media-input.ts'
import { MediaOutput } from '../media/media-output.ts'
import type { ColorModel, Planes } from '../media/planes.ts'
import { stillOf } from '../media/still.ts'
import { FaceRenderer } from '../render/face-renderer.ts'
import { prepareSource } from '../source/prepare-source.ts'
import { SourceFace, type SourceCut } from '../source/source-face.ts'
import { follow } from '../track/follow.ts'
import { opacityAtYaw, smoothed, smoothReach } from '../track/track.ts'
import { Tracker } from '../track/tracker.ts'
import { copyPlanes, CoverTaker } from './cover.ts'
import { FrameWindow, type WindowFrame } from './frame-window.ts'
import type { JobContext, RequestOf } from './job.ts'
import { Preview, previewWidth } from './preview.ts'
import { Progress } from './progress.ts'
import { QualityRuns } from './quality-runs.ts'

/** Frames held at once: what smoothing looks ahead, interpolation, and a few under way. */
const windowFrames = 14

/** @throws MienError with the codes of the picture, the video, `no-face-in-video`, `disk-full`, `cancelled` */
export async function swap(request: RequestOf<'swap'>, context: JobContext): Promise<SwapResult> {
  const started = performance.now()
  const progress = new Progress((state) => {
    context.emit({ type: 'progress', id: request.id, progress: state })
  })
  progress.update({ stage: 'preparing' })
  const media = await openMedia(request.video, context.signal)
  try {
    progress.update({ framesTotal: media.facts.frames })
    const cut = await prepareSource(request.face, context.analyst, context.signal)
    const prepared = performance.now()
    const work = new Swap(request, context, media, cut, progress)
    const result = await work.run()
    const ended = performance.now()
    return {
      ...result,
      elapsedMs: Math.round(ended - started),
      workFps: (result.frames * 1000) / (ended - prepared),
      stages: { ...result.stages, prepare: prepared - started, work: ended - prepared },
    }
  } catch (error) {
    if (context.signal.aborted) throw new MienError('cancelled')
    throw error
  } finally {
    media.close()
  }
}

type WorkResult = Omit<SwapResult, 'elapsedMs' | 'workFps'>

class Swap {
  readonly #request: RequestOf<'swap'>
  readonly #context: JobContext
  readonly #media: MediaInput
  readonly #cut: SourceCut
  readonly #progress: Progress
  readonly #quality = new QualityRuns()
  readonly #stages = { decode: 0, encode: 0, smooth: 0, preview: 0 }
  #analysed = 0
  /** As encoded: even. */
  readonly #width: number
  readonly #height: number
  #color: ColorModel = { matrix: 'bt709', full: false }
  #colorSpace: VideoColorSpaceInit = {}

  constructor(request: RequestOf<'swap'>, context: JobContext, media: MediaInput, cut: SourceCut, progress: Progress) {
    this.#request = request
    this.#context = context
    this.#media = media
    this.#cut = cut
    this.#progress = progress
    this.#width = (media.facts.codedWidth + 1) & ~1
    this.#height = (media.facts.codedHeight + 1) & ~1
  }

  async run(): Promise<WorkResult> {
    const { facts, audio } = this.#media
    const output = await MediaOutput.open(this.#request.folder, facts, audio)
    const frames = new FrameWindow(this.#width, this.#height, windowFrames)
    const stop = (): void => {
      frames.stop()
    }
    this.#context.signal.addEventListener('abort', stop)
    try {
      this.#progress.update({ stage: 'swapping' })
      const decoding = this.#decode(frames).catch((error: unknown) => {
        throw mediaError(error, this.#context.signal)
      })
      const work = [decoding, this.#follow(frames, decoding), this.#paint(frames, output)] as const
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
      return await this.#finish(frames, output)
    } catch (error) {
      await output.cancel()
      throw error
    } finally {
      this.#context.signal.removeEventListener('abort', stop)
    }
  }

  async #finish(frames: FrameWindow, output: MediaOutput): Promise<WorkResult> {
    const { facts } = this.#media
    if (this.#quality.swapped === 0) throw new MienError('no-face-in-video')
    this.#progress.update({ stage: 'finishing', framesDone: frames.count })
    const { sizeBytes, videoCodec } = await output.finish()
    const turned = facts.rotation % 180 !== 0
    const grownX = this.#width - facts.codedWidth
    const grownY = this.#height - facts.codedHeight
    return {
      width: facts.width + (turned ? grownY : grownX),
      height: facts.height + (turned ? grownX : grownY),
      frames: frames.count,
      swappedFrames: this.#quality.swapped,
      durationMs: facts.durationMs,
      sizeBytes,
      fps: Math.round(facts.fps * 1000) / 1000,
      videoCodec,
      audioCodec: output.audioCodec,
      faces: this.#faces,
      quality: this.#quality.runs,
      stages: { ...this.#stages, ...this.#renderStages, analysedFrames: this.#analysed },
    }
  }

  #faces = 0
  #renderStages: Record<string, number> = {}

  async #decode(frames: FrameWindow): Promise<void> {
    const { video, facts } = this.#media
    const { codedWidth, codedHeight } = facts
    const odd = codedWidth !== this.#width || codedHeight !== this.#height
    for await (const sample of new VideoSampleSink(video).samples()) {
      try {
        if (frames.count === 0) {
          this.#colorSpace = sample.colorSpace.toJSON()
          this.#color = colorModelOf(this.#colorSpace, facts.height)
        }
        const { buffer, planes } = await frames.room()
        const mark = performance.now()
        if (odd) {
          const exact = new ArrayBuffer(codedWidth * codedHeight * 2 + 4096)
          growToEven(await readFrame(sample, codedWidth, codedHeight, this.#color, exact), planes)
        } else {
          await readFrame(sample, codedWidth, codedHeight, this.#color, buffer)
        }
        this.#stages.decode += performance.now() - mark
        frames.push({ timestamp: sample.timestamp, duration: sample.duration, planes, buffer })
      } finally {
        sample.close()
      }
    }
    if (frames.count === 0) throw new MienError('video-damaged', { reason: 'no frame could be read' })
    frames.finish()
  }

  async #follow(frames: FrameWindow, decoding: Promise<void>): Promise<void> {
    // The colour model is known once the first frame is here.
    if (!(await frames.arrived(0))) return decoding
    const { facts } = this.#media
    const tracker = new Tracker({
      analyst: this.#context.analyst,
      view: facts.view,
      size: { width: facts.width, height: facts.height },
      color: this.#color,
    })
    this.#analysed = await follow(frames, tracker, this.#context.signal)
  }

  async #paint(frames: FrameWindow, output: MediaOutput): Promise<void> {
    const { facts } = this.#media
    const { folder } = this.#request
    const preview = new Preview(folder)
    const cover = new CoverTaker(folder, facts.frames)
    const look = (planes: Planes): OffscreenCanvas => stillOf(planes, this.#color, facts, previewWidth)
    let renderer: FaceRenderer | null = null
    for (let index = 0; await frames.ready(index, smoothReach); index += 1) {
      this.#context.signal.throwIfAborted()
      const frame = frames.frame(index)
      if (!frame) throw new Error('a frame went missing')
      renderer ??= new FaceRenderer(new SourceFace(this.#cut, this.#color))
      const mark = performance.now()
      const points = smoothed(frames.trackAt, index)
      const yaw = points ? yawOf(points) : 0
      const opacity = points ? opacityAtYaw(yaw) : 0
      this.#stages.smooth += performance.now() - mark
      const previewMark = performance.now()
      const before = preview.due ? look(frame.planes) : null
      const coverBefore = points && cover.wants(index, yaw, opacity) ? copyPlanes(frame.planes) : null
      let previewed = performance.now() - previewMark
      if (points && opacity > 0.004) renderer.paint(frame.planes, this.#coded(points), opacity)
      this.#quality.add(points === null ? 'none' : opacity > 0.02 ? 'swapped' : 'turned')
      const painted = performance.now()
      if (before) preview.show(index, before, look(frame.planes))
      if (coverBefore) cover.keep(index, yaw, coverBefore, copyPlanes(frame.planes))
      const encodeMark = performance.now()
      previewed += encodeMark - painted
      this.#stages.preview += previewed
      const sample = this.#sample(frame)
      frames.release(index, smoothReach + 4)
      await output.add(sample)
      sample.close()
      this.#stages.encode += performance.now() - encodeMark
      this.#progress.update({
        framesDone: index + 1,
        framesSwapped: this.#quality.swapped,
        previewFrame: preview.frame,
      })
    }
    await preview.settle()
    this.#faces = await cover.write(this.#context.analyst, this.#color, facts)
    if (renderer) this.#renderStages = { ...renderer.stages }
  }

  /** The mesh's points in coded pixels. */
  #coded(points: Points): Float32Array {
    const { a, b, c, d, e, f } = compose(this.#media.facts.view, identity)
    const coded = new Float32Array(meshPoints * 2)
    for (let point = 0; point < meshPoints; point += 1) {
      const x = points[point * 3] ?? 0
      const y = points[point * 3 + 1] ?? 0
      coded[point * 2] = a * x + b * y + c
      coded[point * 2 + 1] = d * x + e * y + f
    }
    return coded
  }

  /** The frame as the encoder takes it; copies the pixels. */
  #sample(frame: WindowFrame): VideoSample {
    const { facts } = this.#media
    const turned = facts.rotation % 180 !== 0
    return new VideoSample(frame.buffer, {
      format: 'I420',
      codedWidth: this.#width,
      codedHeight: this.#height,
      displayWidth: (turned ? facts.height : facts.width) + this.#width - facts.codedWidth,
      displayHeight: (turned ? facts.width : facts.height) + this.#height - facts.codedHeight,
      timestamp: frame.timestamp,
      duration: frame.duration,
      colorSpace: this.#colorSpace,
    })
  }
}

/** H.264 has even sizes only: the last row or column is repeated. Chroma has the same size either way. */
function growToEven(from: WindowFrame['planes'], to: WindowFrame['planes']): void {
  for (let row = 0; row < to.height; row += 1) {
    const start = Math.min(row, from.height - 1) * from.width
    to.y.set(from.y.subarray(start, start + from.width), row * to.width)
    if (to.width > from.width) to.y[row * to.width + from.width] = from.y[start + from.width - 1] ?? 16
  }
  to.u.set(from.u)
  to.v.set(from.v)
}
