/** @file Encodes one stretch of video by itself: it begins with a key frame and leans on nothing before it. */
import { Mp4OutputFormat, NullTarget, Output, Quality, VideoSampleSource } from 'mediabunny'
import type { EncodedPacket, VideoSample } from 'mediabunny'
import type { VideoFacts } from './media-input.ts'

export interface EncodedSegment {
  packets: EncodedPacket[]
  config: VideoDecoderConfig
}

/**
 * One encoder for each segment. A fresh one costs a few milliseconds every few seconds, and makes the packets of a segment
 * the same whether the swap was interrupted before it or not.
 */
export class SegmentEncoder {
  readonly #packets: EncodedPacket[] = []
  readonly #source: VideoSampleSource
  /** Goes nowhere: only the packets are wanted. */
  readonly #output = new Output({ format: new Mp4OutputFormat({ fastStart: 'fragmented' }), target: new NullTarget() })
  readonly #started: Promise<void>
  #config: VideoDecoderConfig | null = null

  constructor(facts: VideoFacts) {
    this.#source = new VideoSampleSource({
      codec: 'avc',
      quality: new Quality({ bitrate: bitrateFor(facts), bitrateMode: 'variable' }),
      latencyMode: 'quality',
      keyFrameInterval: 2,
      onEncodedPacket: (packet, meta) => {
        this.#packets.push(packet)
        this.#config ??= meta?.decoderConfig ?? null
      },
    })
    this.#output.addVideoTrack(this.#source)
    this.#started = this.#output.start()
    // `add` awaits it.
    this.#started.catch(() => undefined)
  }

  /** Encodes a frame; resolves when the next may come. */
  async add(sample: VideoSample): Promise<void> {
    await this.#started
    await this.#source.add(sample)
  }

  async finish(): Promise<EncodedSegment> {
    await this.#output.finalize()
    if (!this.#config) throw new Error('the encoder did not say what it makes')
    return { packets: this.#packets, config: this.#config }
  }

  async cancel(): Promise<void> {
    await this.#output.cancel()
  }
}

/** Bits a second: half as much again as the source had, since it is encoded a second time, but never starved. */
function bitrateFor({ bitrate, codedWidth, codedHeight, fps }: VideoFacts): number {
  const pixels = codedWidth * codedHeight * Math.min(60, Math.max(10, fps))
  return Math.round(Math.min(Math.max(bitrate * 1.5, pixels * 0.1), Math.max(pixels * 0.4, 500_000)))
}
