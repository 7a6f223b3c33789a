/** @file Reads what a JPEG file says besides pixels, and writes it into another (ITU-T T.81, ICC.1:2022 B.4, Exif 4.5). */
import type { PictureMetadata, WrittenMetadata } from './metadata.ts'

export interface JpegFacts extends PictureMetadata {
  /** As of libjpeg, 1…100; estimated from the table for luma. */
  quality: number
  /** Colour has the full resolution. */
  fullColor: boolean
  /** 1 for grey, 3 for colour, 4 for CMYK. */
  components: number
}

const exifName = 'Exif\0\0'
const xmpName = 'http://ns.adobe.com/xap/1.0/\0'
const iccName = 'ICC_PROFILE\0'
/** A segment's length includes its own two bytes. */
const maxSegment = 65_533

interface Segment {
  marker: number
  body: Uint8Array
  end: number
}

/** The segments before the pixels. Ends at the first that is cut off. */
export function* segmentsOf(bytes: Uint8Array): Generator<Segment> {
  for (let at = 2; at + 4 <= bytes.length;) {
    if (bytes[at] !== 0xff) return
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) {
      at += 1
      continue
    }
    const end = at + 2 + (((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0))
    if (marker === 0xda || end < at + 4 || end > bytes.length) return
    yield { marker, body: bytes.subarray(at + 4, end), end }
    at = end
  }
}

export const startsWith = (body: Uint8Array, name: string): boolean =>
  String.fromCharCode(...body.subarray(0, name.length)) === name

/** The luma table of quality 50 in zigzag order (T.81, table K.1), which libjpeg scales. */
const luma50 = [
  ...[16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40],
  ...[26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58, 51, 61, 60, 57, 51],
  ...[56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87],
  ...[95, 98, 103, 104, 103, 62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99],
]

/** @param table 64 values in zigzag order */
function qualityOf(table: readonly number[]): number {
  const ratio = table.reduce((sum, value, at) => sum + value / (luma50[at] ?? 1), 0) / luma50.length
  const quality = ratio <= 1 ? 100 - 50 * ratio : 50 / ratio
  return Math.max(1, Math.min(100, Math.round(quality)))
}

export function readJpeg(bytes: Uint8Array): JpegFacts {
  const facts: JpegFacts = { icc: null, exif: null, quality: 90, fullColor: false, components: 3 }
  const icc = new Map<number, Uint8Array>()
  for (const { marker, body } of segmentsOf(bytes)) {
    if (marker === 0xe1 && startsWith(body, exifName)) facts.exif ??= body.subarray(exifName.length)
    else if (marker === 0xe2 && startsWith(body, iccName))
      icc.set(body[iccName.length] ?? 0, body.subarray(iccName.length + 2))
    else if (marker === 0xdb) readTables(body, facts)
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      facts.components = body[5] ?? 3
      facts.fullColor = body[7] === 0x11
    }
  }
  if (icc.size > 0) facts.icc = joined([...icc].toSorted(([a], [b]) => a - b).map(([, part]) => part))
  return facts
}

/** A segment may have several tables. Luma has number 0. */
function readTables(body: Uint8Array, facts: JpegFacts): void {
  for (let at = 0; at < body.length;) {
    const size = (body[at] ?? 0) >> 4 === 0 ? 1 : 2
    const from = at + 1
    if (((body[at] ?? 0) & 15) === 0 && from + 64 * size <= body.length) {
      const value = (index: number): number =>
        size === 1
          ? (body[from + index] ?? 0)
          : ((body[from + index * 2] ?? 0) << 8) | (body[from + index * 2 + 1] ?? 0)
      facts.quality = qualityOf(Array.from({ length: 64 }, (_, index) => value(index)))
    }
    at = from + 64 * size
  }
}

/** Replaces the metadata of a JPEG file. */
export function withMetadata(encoded: Uint8Array<ArrayBuffer>, { icc, exif, xmp }: WrittenMetadata): Blob {
  const kept: Uint8Array<ArrayBuffer>[] = []
  let pixels = 2
  for (const { marker, body, end } of segmentsOf(encoded)) {
    const start = end - body.length - 4
    if (marker !== 0xe1 && marker !== 0xe2) kept.push(encoded.subarray(start, end))
    pixels = end
  }
  const added: Uint8Array<ArrayBuffer>[] = []
  if (exif && exif.length + exifName.length <= maxSegment) added.push(segment(0xe1, exifName, [], exif))
  if (xmp !== undefined) added.push(segment(0xe1, xmpName, [], new TextEncoder().encode(xmp)))
  const room = maxSegment - iccName.length - 2
  const parts = Math.ceil((icc?.length ?? 0) / room)
  for (let part = 0; icc && part < parts; part += 1)
    added.push(segment(0xe2, iccName, [part + 1, parts], icc.subarray(part * room, (part + 1) * room)))
  // The JFIF segment, if there is one, comes first.
  const [first, ...rest] = kept
  return new Blob([encoded.subarray(0, 2), ...(first ? [first] : []), ...added, ...rest, encoded.subarray(pixels)], {
    type: 'image/jpeg',
  })
}

function segment(marker: number, name: string, numbers: number[], data: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = Array.from(name, (letter) => letter.charCodeAt(0))
  const length = 2 + head.length + numbers.length + data.length
  return joined([Uint8Array.from([0xff, marker, length >> 8, length & 255, ...head, ...numbers]), data])
}

export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
