/** @file Encodes one segment of video independently: it starts with a key frame and references nothing before it. */
import { canEncodeVideo, Mp4OutputFormat, NullTarget, Output, Quality, VideoSampleSource } from 'mediabunny'
import type { EncodedPacket, VideoSample } from 'mediabunny'
import type { Encoder } from '@shared/engine.ts'
import { withEncoderTimeout } from './encoder-failed.ts'
import type { VideoFacts } from '../demux/media-input.ts'

export interface EncodedSegment {
  packets: EncodedPacket[]
  config: VideoDecoderConfig
}

/** Properties that determine an encoder's settings. */
export type EncoderFacts = Pick<VideoFacts, 'codedWidth' | 'codedHeight' | 'fps' | 'bitrate'>

const settings = (facts: EncoderFacts, encoder: Encoder) =>
  ({
    codec: 'avc',
    quality: new Quality({ bitrate: bitrateFor(facts), bitrateMode: 'variable' }),
    latencyMode: 'quality',
    hardwareAcceleration: encoder === 'hardware' ? 'prefer-hardware' : 'prefer-software',
  }) as const

/** True if this encoder exists and supports frames of this size, rounded up to even. */
export function canEncode(facts: EncoderFacts, encoder: Encoder): Promise<boolean> {
  const { codec, ...options } = settings(facts, encoder)
  const even = (length: number): number => (length + 1) & ~1
  return canEncodeVideo(codec, { ...options, width: even(facts.codedWidth), height: even(facts.codedHeight) })
}

/**
 * Encodes one segment. A new encoder per segment costs a few milliseconds, but makes the packets the same whether or
 * not the swap was interrupted before. Encoder errors are thrown as `EncoderFailed`.
 */
export class SegmentEncoder {
  readonly #packets: EncodedPacket[] = []
  readonly #encoder: Encoder
  readonly #source: VideoSampleSource
  /** Discards the file; only the packets are needed. */
  readonly #output = new Output({ format: new Mp4OutputFormat({ fastStart: 'fragmented' }), target: new NullTarget() })
  readonly #started: Promise<void>
  #config: VideoDecoderConfig | null = null

  constructor(facts: EncoderFacts, encoder: Encoder) {
    this.#encoder = encoder
    this.#source = new VideoSampleSource({
      ...settings(facts, encoder),
      keyFrameInterval: 2,
      // Otherwise the encoder assumes 30 fps and, at lower rates, doesn't use the full bitrate.
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

  /** Encodes a frame; resolves when the encoder accepts the next one. */
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

/** Maximum bitrate, in bits per second, of the highest H.264 level that players support. */
const maxBits = 240e6

/** Pixels per frame from which 0.1 bits per pixel are enough. In smaller frames each pixel matters more. */
const roomy = 1280 * 720

/**
 * Bitrate in bits per second: 1.5 times the source's, to limit the loss of encoding a second time, with a minimum for
 * quality. The maximum is 4 bits per pixel, since editing codecs use far more than needed; grain needs 3.
 */
export function bitrateFor({ bitrate, codedWidth, codedHeight, fps }: EncoderFacts): number {
  const area = codedWidth * codedHeight
  const pixels = area * Math.min(60, Math.max(10, fps))
  const max = Math.min(maxBits, Math.max(pixels * 4, 500_000))
  const min = pixels * 0.1 * Math.max(1, Math.sqrt(roomy / area))
  return Math.round(Math.min(Math.max(bitrate * 1.5, min), max))
}
