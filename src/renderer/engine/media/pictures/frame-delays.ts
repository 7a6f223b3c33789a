/** @file Frame durations of animated pictures (GIF89a, RFC 9649, W3C PNG third edition 11.3.7, ISO/IEC 14496-12). Pure. */
import { fileType } from '@shared/files/file-type.ts'
import { boxIn, nameAt, numberAt, timesAt } from '../containers/boxes.ts'
import { chunksOf as pngChunks, readPng } from './png.ts'
import { chunksOf as webpChunks, readWebp } from './webp.ts'

/** Durations in milliseconds up to this are a mistake of the file. Browsers show such frames for `assumedMs`. */
const tooShortMs = 10
const assumedMs = 100

/**
 * The duration of each frame in milliseconds.
 * @param bytes the file; its start is enough to find out that a PNG or WebP picture is still
 * @returns null for a still picture and for other files
 */
export function frameDelays(bytes: Uint8Array): number[] | null {
  const delays = delaysIn(bytes)
  return delays.length > 1 ? delays.map((ms) => (ms <= tooShortMs ? assumedMs : ms)) : null
}

function delaysIn(bytes: Uint8Array): number[] {
  switch (fileType(bytes)?.name) {
    case 'GIF':
      return gifDelays(bytes)
    case 'WebP':
      return [...webpChunks(bytes)].flatMap(({ type, data }) =>
        type === 'ANMF' ? (data[12] ?? 0) | ((data[13] ?? 0) << 8) | ((data[14] ?? 0) << 16) : [],
      )
    case 'PNG':
      return [...pngChunks(bytes)].flatMap(({ type, data }) => (type === 'fcTL' ? pngDelay(data) : []))
    case 'AVIF':
      return avifDelays(bytes)
    default:
      return []
  }
}

/** Whether the start of a file says that it may have several frames. Only a GIF has to be read to the end for it. */
export function mayMove(head: Uint8Array): boolean {
  switch (fileType(head)?.name) {
    case 'GIF':
      return true
    case 'WebP':
      return readWebp(head).animated
    case 'PNG':
      return readPng(head).animated
    case 'AVIF':
      return brandsOf(head).includes('avis')
    default:
      return false
  }
}

function pngDelay(control: Uint8Array): number {
  const view = new DataView(control.buffer, control.byteOffset, control.byteLength)
  if (view.byteLength < 24) return 0
  return (view.getUint16(20) * 1000) / (view.getUint16(22) || 100)
}

function brandsOf(head: Uint8Array): string[] {
  const end = Math.min(head.length, numberAt(head, 0))
  return Array.from({ length: Math.max(0, end - 8) >> 2 }, (_, index) => nameAt(head, 8 + 4 * index))
}

const maxFrames = 100_000

/** Of the first track, which is as in a video. */
function avifDelays(bytes: Uint8Array): number[] {
  const media = boxIn(bytes, { from: 0, to: bytes.length }, 'moov', 'trak', 'mdia')
  const header = media && boxIn(bytes, media, 'mdhd')
  const times = media && boxIn(bytes, media, 'minf', 'stbl', 'stts')
  const delays: number[] = []
  if (!header || !times) return delays
  const { clock } = timesAt(bytes, header.from)
  for (let at = times.from + 8; at + 8 <= times.to && delays.length < maxFrames; at += 8) {
    const count = Math.min(maxFrames, numberAt(bytes, at))
    delays.push(...new Array<number>(count).fill((numberAt(bytes, at + 4) * 1000) / clock))
  }
  return delays
}

function gifDelays(bytes: Uint8Array): number[] {
  const delays: number[] = []
  const tableBytes = (packed: number): number => ((packed & 0x80) === 0 ? 0 : 3 << ((packed & 7) + 1))
  const afterBlocks = (from: number): number => {
    let at = from
    while ((bytes[at] ?? 0) > 0) at += 1 + (bytes[at] ?? 0)
    return at + 1
  }
  let delay = 0
  for (let at = 13 + tableBytes(bytes[10] ?? 0); at < bytes.length;) {
    switch (bytes[at]) {
      case 0x21:
        if (bytes[at + 1] === 0xf9) delay = 10 * ((bytes[at + 4] ?? 0) | ((bytes[at + 5] ?? 0) << 8))
        at = afterBlocks(at + 2)
        break
      case 0x2c:
        delays.push(delay)
        delay = 0
        at = afterBlocks(at + 11 + tableBytes(bytes[at + 9] ?? 0))
        break
      default:
        return delays
    }
  }
  return delays
}
