/** @file Reads what a WebP file says besides pixels, and writes it into another (RFC 9649). */
import { joined } from './jpeg.ts'
import type { PictureMetadata, WrittenMetadata } from './metadata.ts'

export interface WebpFacts extends PictureMetadata {
  lossless: boolean
  hasAlpha: boolean
  animated: boolean
}

interface Chunk {
  type: string
  data: Uint8Array
}

/** Bytes before the first chunk. */
const head = 12

/** Chunks up to the first that is cut off. */
export function* chunksOf(bytes: Uint8Array): Generator<Chunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = head; at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4, true)
    if (at + 8 + length > bytes.length) return
    yield { type: String.fromCharCode(...bytes.subarray(at, at + 4)), data: bytes.subarray(at + 8, at + 8 + length) }
    at += 8 + length + (length & 1)
  }
}

export function readWebp(bytes: Uint8Array): WebpFacts {
  const facts: WebpFacts = { icc: null, exif: null, lossless: false, hasAlpha: false, animated: false }
  for (const { type, data } of chunksOf(bytes)) {
    if (type === 'VP8X') {
      facts.hasAlpha = ((data[0] ?? 0) & 0x10) !== 0
      facts.animated = ((data[0] ?? 0) & 0x02) !== 0
    } else if (type === 'VP8L') {
      facts.lossless = true
      facts.hasAlpha ||= ((data[4] ?? 0) & 0x10) !== 0
    } else if (type === 'ICCP') facts.icc = data
    // Some programs write the name that EXIF has in a JPEG file before it.
    else if (type === 'EXIF')
      facts.exif = String.fromCharCode(...data.subarray(0, 4)) === 'Exif' ? data.subarray(6) : data
  }
  return facts
}

/** A WebP file of the same colours without alpha; null if alpha is part of them, as in a lossless picture. */
export function opaque(bytes: Uint8Array): Blob | null {
  const image = [...chunksOf(bytes)].find(({ type }) => type === 'VP8 ')
  return image ? riffOf([chunk('VP8 ', image.data)]) : null
}

/** Bytes of a VP8L chunk before the image: a mark, and the size. Alpha has the size of its image. */
const losslessHead = 5

/**
 * Replaces the metadata of a WebP file, and optionally its alpha.
 * @param alpha a lossless WebP file of the same size whose green values are the alpha of a lossy picture
 */
export function withMetadata(
  encoded: Uint8Array<ArrayBuffer>,
  size: { width: number; height: number },
  { icc, exif, xmp, hasAlpha }: Pick<WebpFacts & WrittenMetadata, 'icc' | 'exif' | 'xmp' | 'hasAlpha'>,
  alpha: Uint8Array | null = null,
): Blob {
  const image = [...chunksOf(encoded)].filter(({ type }) => type === 'VP8 ' || type === 'VP8L' || type === 'ALPH')
  const mask = alpha && [...chunksOf(alpha)].find(({ type }) => type === 'VP8L')
  const head = new DataView(new ArrayBuffer(10))
  head.setUint8(0, (icc ? 0x20 : 0) | (hasAlpha ? 0x10 : 0) | (exif ? 0x08 : 0) | (xmp === undefined ? 0 : 0x04))
  for (const [at, length] of [[4, size.width] as const, [7, size.height] as const]) {
    head.setUint16(at, (length - 1) & 0xffff, true)
    head.setUint8(at + 2, (length - 1) >> 16)
  }
  const parts = [
    chunk('VP8X', new Uint8Array(head.buffer)),
    ...(icc ? [chunk('ICCP', icc)] : []),
    // Compressed as a lossless image, without filter.
    ...(mask ? [chunk('ALPH', joined([Uint8Array.of(1), mask.data.subarray(losslessHead)]))] : []),
    ...image.map(({ type, data }) => chunk(type, data)),
    ...(exif ? [chunk('EXIF', exif)] : []),
    ...(xmp === undefined ? [] : [chunk('XMP ', new TextEncoder().encode(xmp))]),
  ]
  return riffOf(parts)
}

function riffOf(parts: readonly Uint8Array<ArrayBuffer>[]): Blob {
  const riff = new DataView(new ArrayBuffer(12))
  riff.setUint32(0, 0x52494646)
  riff.setUint32(4, 4 + parts.reduce((sum, { length }) => sum + length, 0), true)
  riff.setUint32(8, 0x57454250)
  return new Blob([riff, ...parts], { type: 'image/webp' })
}

function chunk(type: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(8 + data.length + (data.length & 1))
  for (let at = 0; at < 4; at += 1) whole[at] = type.charCodeAt(at)
  new DataView(whole.buffer).setUint32(4, data.length, true)
  whole.set(data, 8)
  return whole
}
