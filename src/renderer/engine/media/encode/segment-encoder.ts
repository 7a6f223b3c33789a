/** @file Encodes one segment of video independently: it starts with a key frame and references nothing before it. */
import { canEncodeVideo, Mp4OutputFormat, NullTarget, Output, Quality, VideoSampleSource } from 'mediabunny'
import type { EncodedPacket, VideoSample } from 'mediabunny'
import type { Encoder } from '@shared/engine/engine.ts'
import { withEncoderTimeout } from './encoder-failed.ts'
import { spaceOfTags, type ColorTags } from '../pixels/color-tags.ts'
import { tagRecord } from './avc-config.ts'
import type { Encoding } from './even-frame.ts'

export interface EncodedSegment {
  packets: EncodedPacket[]
  config: VideoDecoderConfig
}

export type EncoderSettings = Pick<Encoding, 'width' | 'height' | 'fps' | 'bitrate' | 'tags'>

const settings = ({ bitrate }: Pick<EncoderSettings, 'bitrate'>, encoder: Encoder) =>
  ({
    codec: 'avc',
    quality: new Quality({ bitrate, bitrateMode: 'variable' }),
    latencyMode: 'quality',
    hardwareAcceleration: encoder === 'hardware' ? 'prefer-hardware' : 'prefer-software',
  }) as const

/** True if this encoder exists and supports frames of this size. */
export function canEncode(encoding: Omit<EncoderSettings, 'tags'>, encoder: Encoder): Promise<boolean> {
  const { codec, ...options } = settings(encoding, encoder)
  const { width, height } = encoding
  return canEncodeVideo(codec, { ...options, width, height })
}

/**
 * Encodes one segment. A new encoder per segment costs a few milliseconds, but makes the packets the same whether or
 * not the swap was interrupted before. Encoder errors are thrown as `EncoderFailed`.
 */
export class SegmentEncoder {
  readonly #packets: EncodedPacket[] = []
  readonly #encoder: Encoder
  readonly #tags: ColorTags
  readonly #source: VideoSampleSource
  /** Discards the file; only the packets are needed. */
  readonly #output = new Output({ format: new Mp4OutputFormat({ fastStart: 'fragmented' }), target: new NullTarget() })
  readonly #started: Promise<void>
  #config: VideoDecoderConfig | null = null

  constructor(encoding: EncoderSettings, encoder: Encoder) {
    this.#encoder = encoder
    this.#tags = encoding.tags
    this.#source = new VideoSampleSource({
      ...settings(encoding, encoder),
      keyFrameInterval: 2,
      // Otherwise the encoder assumes 30 fps and, at lower rates, doesn't use the full bitrate.
      onEncoderConfig: (config) => {
        config.framerate = Math.min(60, Math.max(1, encoding.fps))
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
    return { packets: this.#packets, config: tagged(this.#config, this.#tags) }
  }

  async cancel(): Promise<void> {
    await withEncoderTimeout(this.#encoder, this.#output.cancel())
  }
}

/** With the colours of the source, instead of those that the encoder assumes. */
export function tagged({ colorSpace: _, ...config }: VideoDecoderConfig, tags: ColorTags): VideoDecoderConfig {
  const colorSpace = spaceOfTags(tags)
  return { ...config, description: tagRecord(config.description, tags), ...(colorSpace && { colorSpace }) }
}
