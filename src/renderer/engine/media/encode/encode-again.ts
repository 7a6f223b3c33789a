/** @file Encodes frames as they are, in segments. */
import type { Encoder } from '@shared/engine.ts'
import { MienError } from '@shared/errors.ts'
import type { DecodedFrame } from '../demux/decode-frames.ts'
import type { VideoFacts } from '../demux/media-input.ts'
import { colorModelOf } from '../pixels/color.ts'
import { planesByteLength, type ColorModel } from '../pixels/planes.ts'
import type { Timed } from '../range/swap-plan.ts'
import { encodable, evenSize, readEven } from './even-frame.ts'
import { SegmentEncoder, type EncodedSegment, type EncoderFacts } from './segment-encoder.ts'

/** Packets of a segment are in memory until it is complete. */
const segmentSeconds = 4

interface EncodeAgain {
  /** At least as many as `times`. */
  frames: AsyncGenerator<DecodedFrame, void>
  /** Of the video that the frames are decoded from. */
  facts: VideoFacts
  /** The frames' times in the result. */
  times: readonly Timed[]
  /** Determine the encoder's settings. */
  settings: EncoderFacts
  encoder: Encoder
}

export async function* encodeAgain(setup: EncodeAgain): AsyncGenerator<EncodedSegment, void> {
  const { frames, facts, times, settings, encoder } = setup
  const { width, height } = evenSize(facts)
  const buffer = new ArrayBuffer(planesByteLength(width, height))
  let colorSpace: VideoColorSpaceInit | null = null
  let color: ColorModel | null = null
  let segment: { encoder: SegmentEncoder; from: number } | null = null
  try {
    for (const time of times) {
      const { value } = await frames.next()
      if (!value) throw new MienError('part-unsupported', { reason: 'frames' })
      if (segment && time.timestamp - segment.from >= segmentSeconds) {
        yield await segment.encoder.finish()
        segment = null
      }
      segment ??= { encoder: new SegmentEncoder(settings, encoder), from: time.timestamp }
      colorSpace ??= value.sample.colorSpace.toJSON()
      color ??= colorModelOf(colorSpace, facts.height)
      await readEven(value.sample, facts, color, buffer)
      const sample = encodable({ buffer, ...time }, width, height, facts, colorSpace)
      await segment.encoder.add(sample)
      sample.close()
    }
    if (segment) yield await segment.encoder.finish()
    segment = null
  } finally {
    await frames.return()
    await segment?.encoder.cancel()
  }
}
