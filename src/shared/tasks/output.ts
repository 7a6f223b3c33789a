/** @file Size, quality and format of results: the rules of the engine, and what the studio says about the file's size. */
import type { OutputOptions, OutputQuality, OutputSize } from '../options/default-options.ts'
import type { Range } from '../people/people.ts'
import type { VideoMedia } from './task.ts'
import type { ResultFormat, TargetKind } from '../engine/engine.ts'

/** Pixels. */
export interface Size {
  width: number
  height: number
}

/** Size as shown of a result. A result is never larger than its source. Sides that are scaled become even. */
export function outputSize({ width, height }: Size, size: OutputSize): Size {
  if (size === null) return { width, height }
  const isLines = typeof size === 'string'
  const [from, to] = isLines ? [Math.min(width, height), parseInt(size, 10)] : [Math.max(width, height), size]
  if (to >= from) return { width, height }
  const scaled = (side: number): number => Math.max(2, 2 * Math.round((side * to) / from / 2))
  return { width: scaled(width), height: scaled(height) }
}

/** Maximum bitrate, in bits per second, of the highest H.264 level that players support. */
const maxBits = 240e6

/** Pixels per frame from which 0.1 bits per pixel are enough. In smaller frames each pixel matters more. */
const roomy = 1280 * 720

/** Bitrate as a multiple of `balanced`. */
const shares: Readonly<Record<OutputQuality, number>> = { small: 0.5, balanced: 1, best: 2 }

/** A smaller picture needs more bits for each pixel: the bitrate falls with this power of the number of pixels. */
const shrinking = 0.75

/** Video properties that determine the bitrate of its result; `bitrate` in bits per second. */
export interface SourceRate extends Size {
  fps: number
  bitrate: number
}

/**
 * Bitrate of a result in bits per second. Balanced is 1.5 times the source's, to limit the loss of encoding a second
 * time, with a minimum for quality. The maximum is 6 bits per pixel, since editing codecs use far more than needed;
 * grain needs 3, and noise that takes 12 in the source loses up to 1.5 of 255 of its colours with 4, 0.7 with 6.
 */
export function outputBitrate(source: SourceRate, { width, height }: Size, quality: OutputQuality): number {
  const area = width * height
  const pixels = area * Math.min(60, Math.max(10, source.fps))
  const max = Math.min(maxBits, Math.max(pixels * 6, 500_000))
  const min = pixels * 0.1 * Math.max(1, Math.sqrt(roomy / area))
  const scaled = source.bitrate * (area / (source.width * source.height)) ** shrinking
  return Math.round(Math.min(Math.max(scaled * 1.5, min) * shares[quality], max))
}

/** Pixels of a macroblock's side, and bytes of one that is written as it is: 384 of its planes, 2 of its header. */
const macroblock = { side: 16, bytes: 386 }

/**
 * Pixels of a picture up to which OpenH264 changes colours by more than one level: it has no finer steps than those of
 * QP 12, and so few pixels don't even them out. Without loss, 25 such frames a second take 2.8 Mb/s.
 */
const maxExact = 96 * 96

/** Whether frames of this size are encoded without loss. Encoded sides are even. */
export const isExact = ({ width, height }: Size): boolean =>
  4 * Math.ceil(width / 2) * Math.ceil(height / 2) <= maxExact

/** Bitrate of frames that are encoded without loss, in bits per second. */
function exactBitrate({ width, height }: Size, fps: number): number {
  const { side, bytes } = macroblock
  return Math.ceil(width / side) * Math.ceil(height / side) * bytes * 8 * fps
}

/** Facts of a video that decide how large its result will be. */
type Footage = Pick<
  VideoMedia,
  'name' | 'kind' | 'width' | 'height' | 'durationMs' | 'fps' | 'sizeBytes' | 'bitrate' | 'audioCodec'
>

/** Bits per second of sound in a video whose own bitrate is unknown. */
const usualSound = 128_000

/**
 * About how many bytes a result will have; null if facts are unknown. A JPEG, PNG or WebP picture keeps
 * its format and quality; others become PNG, whose size can't be foreseen.
 * @param range null: the whole video
 */
export function expectedBytes(
  { name, kind, width, height, durationMs, fps, sizeBytes, bitrate, audioCodec }: Footage,
  { size, quality }: Pick<OutputOptions, 'size' | 'quality'>,
  range: Range | null,
): number | null {
  if (!width || !height || sizeBytes === null) return null
  const becomes = outputSize({ width, height }, size)
  if (kind === 'picture') {
    if (!/\.(?:jpe?g|png|webp)$/i.test(name)) return null
    return Math.round(sizeBytes * ((becomes.width * becomes.height) / (width * height)) ** shrinking)
  }
  if (!durationMs || fps === null) return null
  const all = (sizeBytes * 8000) / durationMs
  const known = bitrate ?? Math.max(0, all - (audioCodec === null ? 0 : usualSound))
  const sound = audioCodec === null ? 0 : Math.max(0, all - known)
  const source = { width, height, fps, bitrate: known }
  const video = isExact(becomes) ? exactBitrate(becomes, fps) : outputBitrate(source, becomes, quality)
  const parts = range?.rest === 'drop' ? range.parts : [{ fromMs: 0, toMs: durationMs }]
  const ms = parts.reduce((sum, { fromMs, toMs }) => sum + Math.min(toMs, durationMs) - fromMs, 0)
  return Math.round(((video + sound) * ms) / 8000)
}

/** A picture stays what it is; formats that can't be written become PNG. All else becomes MP4. */
export function resultFormatOf({ kind, codec }: { kind: TargetKind; codec: string | null }): ResultFormat {
  if (kind !== 'picture') return 'mp4'
  if (codec === 'jpeg') return 'jpg'
  return codec === 'webp' ? 'webp' : 'png'
}

/** Extensions that a file of this format may have. */
export const extensionsOf = (format: ResultFormat): readonly string[] => (format === 'jpg' ? ['jpg', 'jpeg'] : [format])
