/**
 * @file Encodes one segment of video independently: it starts with a key frame and references nothing before it. Tiny
 * pictures are encoded without loss. A swap runs with the requested encoder and falls back from hardware to software.
 */
import { AwakeTimeout } from '@shared/awake-timeout.ts'
import type { Encoder, EncoderChoice } from '@shared/engine/encoder.ts'
import {
  canEncodeVideo,
  Mp4OutputFormat,
  NullTarget,
  Output,
  Quality,
  VideoSampleSource,
  EncodedPacket,
  type VideoSample,
} from 'mediabunny'
import { spaceOfTags, type ColorTags } from '../pixels/color-tags.ts'
import { tagRecord } from './avc-config.ts'
import type { Encoding } from './even-frame.ts'
import { isExact } from '@shared/tasks/output.ts'
import { planesByteLength, planesOver } from '../pixels/planes.ts'
import { pcmFrame, pcmRecord } from './pcm-avc.ts'

/** The encoder failed, which allows a fallback, unlike all other errors. */
export class EncoderFailed extends Error {}

/** Timeout for the hardware encoder. The software encoder may be slow but never hangs. */
const patienceMs = 10_000

/**
 * Awaits `work`, with a timeout for the hardware encoder that doesn't count the computer's sleep.
 * @throws EncoderFailed for any error of `work`, and on timeout
 */
export async function withEncoderTimeout<T>(encoder: Encoder, work: Promise<T>): Promise<T> {
  const { promise: inactivity, reject } = Promise.withResolvers<never>()
  const timeout = new AwakeTimeout(() => {
    reject(new Error('it does not answer'))
  })
  if (encoder === 'hardware') timeout.start(patienceMs)
  try {
    return await Promise.race([work, inactivity])
  } catch (error) {
    throw new EncoderFailed(error instanceof Error ? error.message : String(error), { cause: error })
  } finally {
    timeout.stop()
  }
}

export interface EncodedSegment {
  packets: EncodedPacket[]
  config: VideoDecoderConfig
}

type EncoderSettings = Pick<Encoding, 'width' | 'height' | 'fps' | 'bitrate' | 'tags'>

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
 * OpenH264 fails at noise that needs more bits than it has room for in a frame. The next try at that frame has this share of
 * the bits per second, down to `minBitrate`.
 */
const coarser = 1 / 2
const minBitrate = 10_000

/**
 * Encodes one segment. A new encoder per segment costs a few milliseconds, but makes the packets the same whether or
 * not the swap was interrupted before. Where the software encoder fails, another one goes on with fewer bits. Encoder errors
 * are thrown as `EncoderFailed`.
 */
export class SegmentEncoder {
  readonly #packets: EncodedPacket[] = []
  /** Copies of the frames that have no packet yet, for the software encoder. */
  #pending: VideoSample[] = []
  #run: Run
  #bitrate: number
  #config: VideoDecoderConfig | null = null

  constructor(
    private readonly encoding: EncoderSettings,
    private readonly encoder: Encoder,
  ) {
    this.#bitrate = encoding.bitrate
    this.#run = this.#start()
  }

  /** Encodes a frame; resolves when the encoder accepts the next one. */
  async add(sample: VideoSample): Promise<void> {
    if (this.encoder === 'software') this.#pending.push(sample.clone())
    await this.#encode([sample], false)
  }

  async finish(): Promise<EncodedSegment> {
    await this.#encode([], true)
    if (!this.#config) throw new Error('the encoder did not say what it makes')
    return { packets: this.#packets, config: tagged(this.#config, this.encoding.tags) }
  }

  async cancel(): Promise<void> {
    // No other encoder goes on.
    this.#bitrate = 0
    this.#giveUp()
    await withEncoderTimeout(this.encoder, this.#run.output.cancel())
  }

  #start(): Run {
    const source = new VideoSampleSource({
      ...settings({ bitrate: this.#bitrate }, this.encoder),
      keyFrameInterval: 2,
      // Otherwise the encoder assumes 30 fps and, at lower rates, doesn't use the full bitrate.
      onEncoderConfig: (config) => {
        config.framerate = Math.min(60, Math.max(1, this.encoding.fps))
      },
      onEncodedPacket: (packet, meta) => {
        this.#packets.push(packet)
        this.#pending.shift()?.close()
        this.#config ??= meta?.decoderConfig ?? null
      },
    })
    // Discards the file; only the packets are needed.
    const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'fragmented' }), target: new NullTarget() })
    output.addVideoTrack(source)
    const started = output.start()
    // Awaited with the first frame.
    started.catch(() => undefined)
    return { source, output, started }
  }

  async #encode(samples: readonly VideoSample[], ends: boolean): Promise<void> {
    for (let todo = samples; ; todo = [...this.#pending]) {
      const { source, output, started } = this.#run
      try {
        await started
        for (const sample of todo) await withEncoderTimeout(this.encoder, source.add(sample))
        if (ends) await withEncoderTimeout(this.encoder, output.finalize())
        return
      } catch (error) {
        this.#bitrate *= coarser
        if (this.encoder === 'hardware' || this.#bitrate < minBitrate) {
          this.#giveUp()
          throw error
        }
        // What is left of it is of no use.
        output.cancel().catch(() => undefined)
        this.#run = this.#start()
      }
    }
  }

  #giveUp(): void {
    for (const sample of this.#pending) sample.close()
    this.#pending = []
  }
}

interface Run {
  source: VideoSampleSource
  output: Output
  started: Promise<void>
}

/** With the colours of the source, instead of those that the encoder assumes. */
function tagged({ colorSpace: _, ...config }: VideoDecoderConfig, tags: ColorTags): VideoDecoderConfig {
  const colorSpace = spaceOfTags(tags)
  return { ...config, description: tagRecord(config.description, tags), ...(colorSpace && { colorSpace }) }
}

export type AnyEncoder = Pick<SegmentEncoder, 'add' | 'finish' | 'cancel'>

export const encoderFor = (encoding: EncoderSettings, encoder: Encoder): AnyEncoder =>
  isExact(encoding) ? new ExactEncoder(encoding) : new SegmentEncoder(encoding, encoder)

/** Encodes segments of tiny pictures without loss, like `SegmentEncoder` those of all others. */
class ExactEncoder implements AnyEncoder {
  readonly #packets: EncodedPacket[] = []
  #display: Pick<VideoDecoderConfig, 'displayAspectWidth' | 'displayAspectHeight'> = {}

  constructor(private readonly encoding: EncoderSettings) {}

  /** @param sample in I420 */
  async add(sample: VideoSample): Promise<void> {
    const { width, height } = this.encoding
    const buffer = new ArrayBuffer(planesByteLength(width, height))
    await sample.copyTo(buffer)
    // By its time, so that segments and parts can follow each other.
    const id = Math.round(sample.timestamp * 1000) % 2 ** 15
    const data = pcmFrame(planesOver(buffer, width, height), id)
    this.#packets.push(new EncodedPacket(data, 'key', sample.timestamp, sample.duration))
    this.#display = { displayAspectWidth: sample.displayWidth, displayAspectHeight: sample.displayHeight }
  }

  finish(): Promise<EncodedSegment> {
    const { width, height, tags } = this.encoding
    const size = { codedWidth: width, codedHeight: height, ...this.#display }
    const config = { codec: 'avc1.42c01f', ...size, description: pcmRecord(this.encoding) }
    return Promise.resolve({ packets: this.#packets, config: tagged(config, tags) })
  }

  cancel(): Promise<void> {
    return Promise.resolve()
  }
}

const software: readonly EncoderChoice[] = [
  { encoder: 'software', fellBack: null },
  { encoder: 'software', fellBack: 'failed' },
  { encoder: 'software', fellBack: 'refused' },
]

interface Ports<T> {
  /** True if the hardware encoder supports this frame size. */
  fits: () => Promise<boolean>
  /** True if an earlier run saved segments with this encoder choice. */
  isBegun: (way: EncoderChoice) => Promise<boolean>
  run: (way: EncoderChoice) => Promise<T>
}

/**
 * Resumes with the encoder choice of an earlier run, because segments of two encoders cannot be joined. A run that used
 * hardware starts over if software is now requested.
 * @throws the error of `run`; a hardware `EncoderFailed` is retried in software first
 */
export async function encodeWithFallback<T>(
  wanted: Encoder,
  { fits, isBegun, run }: Ports<T>,
): Promise<T & EncoderChoice> {
  const first: EncoderChoice = { encoder: wanted, fellBack: null }
  const ways = wanted === 'hardware' ? [first, ...software] : software
  let way: EncoderChoice | null = null
  for (const each of ways) if (way === null && (await isBegun(each))) way = each
  way ??= wanted === 'software' || (await fits()) ? first : { encoder: 'software', fellBack: 'refused' }
  try {
    return { ...(await run(way)), ...way }
  } catch (error) {
    if (way.encoder === 'software' || !(error instanceof EncoderFailed)) throw error
    console.warn(`the graphics chip's encoder failed: ${error.message}`)
    const again: EncoderChoice = { encoder: 'software', fellBack: 'failed' }
    return { ...(await run(again)), ...again }
  }
}
