/** @file Encodes frames without a swap, in segments. */
import type { Encoder } from '@shared/engine/encoder.ts'
import { MienError } from '@shared/mien-error.ts'
import type { DecodedFrame } from '../demux/decode-frames.ts'
import type { VideoLabel } from '../label/label-drawing.ts'
import type { VideoFacts } from '../demux/media-input.ts'
import { planesByteLength } from '../pixels/planes.ts'
import type { Timed } from '../range/swap-plan.ts'
import { evenSize, readEven, SampleMaker, type Encoding } from './even-frame.ts'
import { encoderFor, type AnyEncoder, type EncodedSegment } from './segment-encoder.ts'

/** Packets of a segment are in memory until it is complete. */
const segmentSeconds = 4

interface EncodeAgain {
  /** At least as many as `times`. */
  frames: AsyncGenerator<DecodedFrame, void>
  /** Of the video that the frames are decoded from. */
  facts: VideoFacts
  /** The frames' times in the result. */
  times: readonly Timed[]
  encoding: Encoding
  encoder: Encoder
  /** Drawn into the frames. */
  label: VideoLabel | null
}

export async function* encodeAgain(setup: EncodeAgain): AsyncGenerator<EncodedSegment, void> {
  const { frames, facts, times, encoding, encoder, label } = setup
  const { width, height } = evenSize(facts)
  const samples = new SampleMaker(facts, encoding, label)
  let segment: { encoder: AnyEncoder; from: number } | null = null
  try {
    for (const time of times) {
      const { value } = await frames.next()
      if (!value) throw new MienError('part-unsupported', { reason: 'frames' })
      if (segment && time.timestamp - segment.from >= segmentSeconds) {
        yield await segment.encoder.finish()
        segment = null
      }
      segment ??= { encoder: encoderFor(encoding, encoder), from: time.timestamp }
      const buffer = new ArrayBuffer(planesByteLength(width, height))
      await readEven(value.sample, facts, buffer)
      const sample = samples.make({ buffer, ...time })
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
