/** @file Encodes one stretch of video by itself: it begins with a key frame and leans on nothing before it. */
import { canEncodeVideo, Mp4OutputFormat, NullTarget, Output, Quality, VideoSampleSource } from 'mediabunny'
import type { EncodedPacket, VideoSample } from 'mediabunny'
import type { Encoder } from '@shared/engine.ts'
import { withEncoderTimeout } from './encoder-failed.ts'
import type { VideoFacts } from '../demux/media-input.ts'

export interface EncodedSegment {
  packets: EncodedPacket[]
  config: VideoDecoderConfig
}

/** What an encoder's settings follow from. */
export type EncoderFacts = Pick<VideoFacts, 'codedWidth' | 'codedHeight' | 'fps' | 'bitrate'>

const settings = (facts: EncoderFacts, encoder: Encoder) =>
  ({
    codec: 'avc',
    quality: new Quality({ bitrate: bitrateFor(facts), bitrateMode: 'variable' }),
    latencyMode: 'quality',
    hardwareAcceleration: encoder === 'hardware' ? 'prefer-hardware' : 'prefer-software',
  }) as const

/** Whether there is this encoder, and whether it takes frames of this size. */
export function canEncode(facts: EncoderFacts, encoder: Encoder): Promise<boolean> {
  const { codec, ...options } = settings(facts, encoder)
  const even = (length: number): number => (length + 1) & ~1
  return canEncodeVideo(codec, { ...options, width: even(facts.codedWidth), height: even(facts.codedHeight) })
}

/**
 * One encoder for each segment. A fresh one costs a few milliseconds every few seconds, and makes the packets of a segment
 * the same whether the swap was interrupted before it or not. What goes wrong with it is `EncoderFailed`.
 */
export class SegmentEncoder {
  readonly #packets: EncodedPacket[] = []
  readonly #encoder: Encoder
  readonly #source: VideoSampleSource
  /** Goes nowhere: only the packets are wanted. */
  readonly #output = new Output({ format: new Mp4OutputFormat({ fastStart: 'fragmented' }), target: new NullTarget() })
  readonly #started: Promise<void>
  #config: VideoDecoderConfig | null = null

  constructor(facts: EncoderFacts, encoder: Encoder) {
    this.#encoder = encoder
    this.#source = new VideoSampleSource({
      ...settings(facts, encoder),
      keyFrameInterval: 2,
      // Else it takes a second for thirty frames, and the bits of fewer are never spent.
      onEncoderConfig: (config) => {
        config.framerate = Math.min(60, Math.max(1, facts.fps))
      },
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
    await withEncoderTimeout(this.#encoder, this.#source.add(sample))
  }

  async finish(): Promise<EncodedSegment> {
    await withEncoderTimeout(this.#encoder, this.#output.finalize())
    if (!this.#config) throw new Error('the encoder did not say what it makes')
    return { packets: this.#packets, config: this.#config }
  }

  async cancel(): Promise<void> {
    await withEncoderTimeout(this.#encoder, this.#output.cancel())
  }
}

/** What the highest level of H.264 that players know may have, in bits a second. */
const maxBits = 240e6

/** Pixels of a picture in which a tenth of a bit for each will do: in a smaller one more of what is seen hangs on each. */
const roomy = 1280 * 720

/**
 * Bits a second: half as much again as the source had, since it is encoded a second time, but never starved. What has
 * little to lose (a codec of an editing room) needs no more than four bits a pixel; grain needs three.
 */
export function bitrateFor({ bitrate, codedWidth, codedHeight, fps }: EncoderFacts): number {
  const area = codedWidth * codedHeight
  const pixels = area * Math.min(60, Math.max(10, fps))
  const max = Math.min(maxBits, Math.max(pixels * 4, 500_000))
  const min = pixels * 0.1 * Math.max(1, Math.sqrt(roomy / area))
  return Math.round(Math.min(Math.max(bitrate * 1.5, min), max))
}
