/** @file Converts frames for the encoder, which needs an even width and height, and scales them. */
import { VideoSample } from 'mediabunny'
import type { OutputOptions } from '@shared/options/default-options.ts'
import { outputBitrate, outputSize } from '@shared/tasks/output.ts'
import type { VideoFacts } from '../demux/media-input.ts'
import { tagsOfResult, type ColorTags } from '../pixels/color-tags.ts'
import { readFrame } from '../pixels/frame-planes.ts'
import type { VideoLabel } from '../label/label-drawing.ts'
import { planesOver, type Planes } from '../pixels/planes.ts'
import { PlaneScaler } from '../pixels/scale.ts'

/** How a video is encoded. Sizes are in pixels before the player turns the frame. */
export interface Encoding {
  /** Even. */
  width: number
  height: number
  displayWidth: number
  displayHeight: number
  fps: number
  /** Bits per second. */
  bitrate: number
  tags: ColorTags
}

/** Frames that are scaled get square pixels. */
export function encodingOf(facts: VideoFacts, { size, quality }: Pick<OutputOptions, 'size' | 'quality'>): Encoding {
  const { fps, bitrate, codedWidth, codedHeight } = facts
  const turned = facts.rotation % 180 !== 0
  const source = { width: codedWidth, height: codedHeight, fps, bitrate }
  const shown = outputSize(facts, size)
  if (shown.width === facts.width && shown.height === facts.height) {
    const { width, height } = evenSize(facts)
    return {
      ...{ width, height, fps },
      displayWidth: (turned ? facts.height : facts.width) + width - codedWidth,
      displayHeight: (turned ? facts.width : facts.height) + height - codedHeight,
      bitrate: outputBitrate(source, source, quality),
      tags: tagsOfResult(facts.tags, codedHeight, height),
    }
  }
  const [width, height] = turned ? [shown.height, shown.width] : [shown.width, shown.height]
  const rate = outputBitrate(source, shown, quality)
  const tags = tagsOfResult(facts.tags, codedHeight, height)
  return { width, height, displayWidth: width, displayHeight: height, fps, bitrate: rate, tags }
}

/** Rounded up to even, in pixels. */
export const evenSize = ({ codedWidth, codedHeight }: Pick<VideoFacts, 'codedWidth' | 'codedHeight'>) => ({
  width: (codedWidth + 1) & ~1,
  height: (codedHeight + 1) & ~1,
})

/** Reads a frame into a buffer of `evenSize`. @throws as `readFrame` */
export async function readEven(
  sample: VideoSample,
  facts: Pick<VideoFacts, 'codedWidth' | 'codedHeight' | 'color'>,
  buffer: ArrayBuffer,
): Promise<void> {
  const { codedWidth, codedHeight, color } = facts
  const { width, height } = evenSize(facts)
  if (width === codedWidth && height === codedHeight) {
    await readFrame(sample, width, height, color, buffer)
    return
  }
  const exact = new ArrayBuffer(codedWidth * codedHeight * 2 + 4096)
  growToEven(await readFrame(sample, codedWidth, codedHeight, color, exact), planesOver(buffer, width, height))
}

interface Timed {
  buffer: ArrayBuffer
  /** Seconds. */
  timestamp: number
  /** Seconds. */
  duration: number
}

/** WebCodecs, "VideoFrameBufferInit": the types lack what is transferred. */
type Transferring = VideoFrameBufferInit & { transfer: ArrayBuffer[] }

/** An encoder converts planes that have another one than it writes. What a result says is written by `SegmentEncoder`. */
const unconverted = { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', fullRange: false } as const

/** Makes samples for the encoder from frames of `evenSize`. */
export class SampleMaker {
  readonly #scaler: PlaneScaler | null

  /**
   * @param facts of the video that the frames are from
   * @param label drawn into the frames
   */
  constructor(
    facts: VideoFacts,
    private readonly encoding: Encoding,
    private readonly label: VideoLabel | null,
  ) {
    const from = evenSize(facts)
    const isScaled = from.width !== encoding.width || from.height !== encoding.height
    this.#scaler = isScaled ? new PlaneScaler(from, encoding) : null
  }

  /** @param buffer an I420 frame, which is handed over to the sample, unless the sample is scaled. The label may be drawn into it */
  make({ buffer, timestamp, duration }: Timed): VideoSample {
    const { width, height, displayWidth, displayHeight } = this.encoding
    const pixels = this.#scaler?.scale(buffer) ?? buffer
    this.label?.drawAt(timestamp, planesOver(pixels, width, height), this.encoding.tags.full)
    // Not from the buffer itself: a `VideoSample` would copy it to the heap, and later to a `VideoFrame`. A copy of 1.4 MB takes
    // a millisecond, most of it for new memory.
    const init: Transferring = {
      format: 'I420',
      codedWidth: width,
      codedHeight: height,
      ...{ displayWidth, displayHeight },
      timestamp: Math.trunc(timestamp * 1e6),
      duration: Math.trunc(duration * 1e6),
      colorSpace: unconverted,
      transfer: [pixels],
    }
    const frame = new VideoFrame(pixels, init)
    // The exact times: a `VideoFrame` has whole microseconds.
    return new VideoSample(frame, { timestamp, duration })
  }
}

/** Repeats the last row or column, because H.264 needs even sizes. Chroma has the same size in both. */
function growToEven(from: Planes, to: Planes): void {
  for (let row = 0; row < to.height; row += 1) {
    const start = Math.min(row, from.height - 1) * from.width
    to.y.set(from.y.subarray(start, start + from.width), row * to.width)
    if (to.width > from.width) to.y[row * to.width + from.width] = from.y[start + from.width - 1] ?? 16
  }
  to.u.set(from.u)
  to.v.set(from.v)
}
