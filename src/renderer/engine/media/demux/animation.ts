/**
 * @file Animated pictures as videos, so that all that reads videos reads them. Their frames get an index in memory, an
 * MP4 file, which also says how long the last one lasts. Its packets are frame numbers, and a decoder fetches the
 * frames by number from Chromium's.
 */
import {
  BufferSource,
  BufferTarget,
  CustomVideoDecoder,
  EncodedPacket,
  EncodedVideoPacketSource,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
  registerDecoder,
  VideoSample,
  type VideoCodec,
} from 'mediabunny'
import { MienError } from '@shared/mien-error.ts'
import type { Missing } from '@shared/engine/engine.ts'
import { fileType, headBytes } from '@shared/files/file-type.ts'
import { frameDelays, mayMove } from '../pictures/frame-delays.ts'
import { isHdrAvif } from '../pictures/left-out.ts'
import { rgbaToPlanes } from '../pixels/color.ts'
import { draw, pixelsOf } from '../pixels/picture.ts'
import { readPictureSize } from '../pixels/picture-size.ts'
import type { ColorModel, Planes } from '../pixels/planes.ts'
import { VersionedFile } from '../versioned-file.ts'

const mimeTypes: Readonly<Record<string, string>> = {
  ...{ GIF: 'image/gif', WebP: 'image/webp', PNG: 'image/png', AVIF: 'image/avif' },
}
/** In a PNG file, as many bytes may come before the chunk that says whether it is animated. */
const chunksBytes = 1024 * 1024
/** The whole file is in memory. */
const maxBytes = 256 * 1024 * 1024

const colorSpace = { matrix: 'bt709', primaries: 'bt709', transfer: 'bt709', fullRange: false } as const
/** Most AVIF files are in BT.601. Converted to another matrix, saturated colours would move. */
const avifSpace = { ...colorSpace, matrix: 'smpte170m' } as const

/** Codec that the index claims to have. It needs no description, and nothing looks into its packets. */
const codec = 'vp8'

export interface Animation {
  /** Name of the format, such as "GIF". */
  name: string
  bytes: Uint8Array<ArrayBuffer>
  /** Milliseconds. */
  delays: readonly number[]
}

/**
 * Reads an animated GIF, WebP, PNG or AVIF file.
 * @returns null for anything else
 * @throws MienError `codec-unsupported`, errors of `VersionedFile`
 */
export async function readAnimation(file: VersionedFile): Promise<Animation | null> {
  const size = await file.size()
  const name = fileType(await file.read(0, Math.min(headBytes, size)))?.name ?? ''
  if (!(name in mimeTypes) || !mayMove(await file.read(0, Math.min(chunksBytes, size)))) return null
  if (size > maxBytes) {
    throw new MienError('codec-unsupported', { reason: 'bytes', codec: name, bytes: size, limit: maxBytes })
  }
  const bytes = await file.all()
  const delays = frameDelays(bytes)
  return delays && { name, bytes, delays }
}

/** Frames that are compressed alone, most without loss, take about three times as many bits as those of a video. */
const bitsRatio = 3

/** Bits per second of a video that shows as much. Its index has next to none. AVIF is compressed as a video. */
export const bitrateOfAnimation = ({ name, bytes, delays }: Animation): number =>
  (bytes.length * 8000) / (name === 'AVIF' ? 1 : bitsRatio) / delays.reduce((sum, delay) => sum + delay, 0)

/** What results don't have of it. */
export const missingOfAnimation = ({ name, bytes }: Animation): Missing[] =>
  name === 'AVIF' && isHdrAvif(bytes) ? ['hdr'] : []

/** Whether a file is a still picture, or looks like one that can't be read. @throws as `readAnimation` */
export async function isPicture(url: string, signal: AbortSignal): Promise<boolean> {
  const file = new VersionedFile(url, signal)
  const type = fileType(await file.read(0, Math.min(headBytes, await file.size())))
  return type?.family === 'picture' && (await readAnimation(file)) === null
}

/**
 * Open animations by the colour space of their index: in the configurations of one track's decoders it is the same
 * object.
 */
const open = new WeakMap<VideoColorSpaceInit, Frames>()

const framesOf = ({ colorSpace: key }: VideoDecoderConfig): Frames | null => (key && open.get(key)) ?? null

/** @throws MienError `video-damaged` */
export async function openAnimation({ name, bytes, delays }: Animation): Promise<{ input: Input; close: () => void }> {
  const size = readPictureSize(bytes)
  if (!size || size.width === 0 || size.height === 0) throw new MienError('video-damaged', { reason: 'no frames' })
  const target = new BufferTarget()
  const output = new Output({ format: new Mp4OutputFormat({ fastStart: 'in-memory' }), target })
  const packets = new EncodedVideoPacketSource(codec)
  // Times are whole milliseconds.
  output.addVideoTrack(packets, { frameRate: 1000 })
  await output.start()
  const decoderConfig = {
    codec,
    codedWidth: size.width,
    codedHeight: size.height,
    colorSpace: name === 'AVIF' ? avifSpace : colorSpace,
  }
  let ms = 0
  for (const [index, delay] of delays.entries()) {
    const data = new Uint8Array(Uint32Array.of(index).buffer)
    await packets.add(new EncodedPacket(data, 'key', ms / 1000, delay / 1000), { decoderConfig })
    ms += delay
  }
  await output.finalize()
  const input = new Input({ source: new BufferSource(target.buffer ?? new ArrayBuffer()), formats: [MP4] })
  const config = await (await input.getPrimaryVideoTrack())?.getDecoderConfig()
  const color: ColorModel = { matrix: name === 'AVIF' ? 'bt601' : 'bt709', full: false }
  const frames = new Frames(bytes, mimeTypes[name] ?? '', size, color)
  if (config?.colorSpace) open.set(config.colorSpace, frames)
  return {
    input,
    close: () => {
      frames.close()
    },
  }
}

/** The frames of one animation. */
class Frames {
  readonly #decoder: ImageDecoder

  constructor(
    data: Uint8Array<ArrayBuffer>,
    type: string,
    private readonly size: { width: number; height: number },
    private readonly color: ColorModel,
  ) {
    this.#decoder = new ImageDecoder({ data, type, preferAnimation: true })
  }

  /** What is transparent is white, as on most pages. */
  async planes(frameIndex: number): Promise<Planes> {
    const { width, height } = this.size
    const { image } = await this.#decoder.decode({ frameIndex })
    try {
      const canvas = draw(width, height, (context) => {
        context.fillStyle = '#fff'
        context.fillRect(0, 0, width, height)
        context.drawImage(image, 0, 0)
      })
      return rgbaToPlanes(pixelsOf(canvas), width, height, this.color)
    } finally {
      image.close()
    }
  }

  close(): void {
    this.#decoder.close()
  }
}

class AnimationDecoder extends CustomVideoDecoder {
  static override supports(_codec: VideoCodec, config: VideoDecoderConfig): boolean {
    return framesOf(config) !== null
  }

  init(): void {
    // The frames' decoder is open.
  }

  async decode({ data, timestamp, duration }: EncodedPacket): Promise<void> {
    const frames = framesOf(this.config)
    if (!frames) throw new Error('not an animation')
    const index = new DataView(data.buffer, data.byteOffset).getUint32(0, true)
    const { y, width, height } = await frames.planes(index)
    const size = { codedWidth: width, codedHeight: height }
    // Not a `VideoSample` of the buffer: it reads chroma at the wrong place if a side is odd.
    const frame = new VideoFrame(y.buffer, {
      format: 'I420',
      ...size,
      timestamp: Math.round(timestamp * 1e6),
      ...(this.config.colorSpace && { colorSpace: this.config.colorSpace }),
    })
    this.onSample(new VideoSample(frame, { timestamp, duration }))
  }

  flush(): void {
    // `decode` waits for its frame.
  }

  close(): void {
    // Other decoders may read the same animation.
  }
}

registerDecoder(AnimationDecoder)
