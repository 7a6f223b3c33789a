/** @file Encodes segments of tiny pictures without loss, like `SegmentEncoder` those of all others. */
import { EncodedPacket, type VideoSample } from 'mediabunny'
import type { Encoder } from '@shared/engine/engine.ts'
import { isExact } from '@shared/tasks/output.ts'
import { planesByteLength, planesOver } from '../pixels/planes.ts'
import { pcmFrame, pcmRecord } from './pcm-avc.ts'
import { SegmentEncoder, tagged, type EncodedSegment, type EncoderSettings } from './segment-encoder.ts'

export type AnyEncoder = Pick<SegmentEncoder, 'add' | 'finish' | 'cancel'>

export const encoderFor = (encoding: EncoderSettings, encoder: Encoder): AnyEncoder =>
  isExact(encoding) ? new ExactEncoder(encoding) : new SegmentEncoder(encoding, encoder)

class ExactEncoder implements AnyEncoder {
  readonly #encoding: EncoderSettings
  readonly #packets: EncodedPacket[] = []
  #display: Pick<VideoDecoderConfig, 'displayAspectWidth' | 'displayAspectHeight'> = {}

  constructor(encoding: EncoderSettings) {
    this.#encoding = encoding
  }

  /** @param sample in I420 */
  async add(sample: VideoSample): Promise<void> {
    const { width, height } = this.#encoding
    const buffer = new ArrayBuffer(planesByteLength(width, height))
    await sample.copyTo(buffer)
    // By its time, so that segments and parts can follow each other.
    const id = Math.round(sample.timestamp * 1000) % 2 ** 15
    const data = pcmFrame(planesOver(buffer, width, height), id)
    this.#packets.push(new EncodedPacket(data, 'key', sample.timestamp, sample.duration))
    this.#display = { displayAspectWidth: sample.displayWidth, displayAspectHeight: sample.displayHeight }
  }

  finish(): Promise<EncodedSegment> {
    const { width, height, tags } = this.#encoding
    const size = { codedWidth: width, codedHeight: height, ...this.#display }
    const config = { codec: 'avc1.42c01f', ...size, description: pcmRecord(this.#encoding) }
    return Promise.resolve({ packets: this.#packets, config: tagged(config, tags) })
  }

  cancel(): Promise<void> {
    return Promise.resolve()
  }
}
