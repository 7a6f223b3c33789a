/** @file Converts frames for the encoder, which needs an even width and height. */
import { VideoSample } from 'mediabunny'
import type { VideoFacts } from '../demux/media-input.ts'
import { readFrame } from '../pixels/frame-planes.ts'
import { planesOver, type ColorModel, type Planes } from '../pixels/planes.ts'

/** Rounded up to even, in pixels. */
export const evenSize = ({ codedWidth, codedHeight }: Pick<VideoFacts, 'codedWidth' | 'codedHeight'>) => ({
  width: (codedWidth + 1) & ~1,
  height: (codedHeight + 1) & ~1,
})

/** Reads a frame into a buffer of `evenSize`. @throws as `readFrame` */
export async function readEven(
  sample: VideoSample,
  facts: Pick<VideoFacts, 'codedWidth' | 'codedHeight'>,
  color: ColorModel,
  buffer: ArrayBuffer,
): Promise<void> {
  const { codedWidth, codedHeight } = facts
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

/** Copies an I420 frame to a sample for the encoder. @param width even coded width, like `height` */
export function encodable(
  { buffer, timestamp, duration }: Timed,
  width: number,
  height: number,
  facts: VideoFacts,
  colorSpace: VideoColorSpaceInit,
): VideoSample {
  const turned = facts.rotation % 180 !== 0
  // Not from the buffer itself: a `VideoSample` would copy it to the heap, and later to a `VideoFrame`.
  const frame = new VideoFrame(buffer, {
    format: 'I420',
    codedWidth: width,
    codedHeight: height,
    displayWidth: (turned ? facts.height : facts.width) + width - facts.codedWidth,
    displayHeight: (turned ? facts.width : facts.height) + height - facts.codedHeight,
    timestamp: Math.trunc(timestamp * 1e6),
    duration: Math.trunc(duration * 1e6),
    colorSpace,
  })
  // The exact times: a `VideoFrame` has whole microseconds.
  return new VideoSample(frame, { timestamp, duration })
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
