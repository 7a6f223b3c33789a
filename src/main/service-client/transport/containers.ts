/** @file Detects file types by signature, and truncated movie files. Pure except for the given reads. */
import { MienError } from '@shared/errors.ts'

export type Container =
  'mp4' | 'mov' | 'webm' | 'mkv' | 'avi' | 'ts' | 'ogv' | 'jpg' | 'png' | 'webp' | 'gif' | 'avif' | 'bmp'

const pictures: readonly Container[] = ['jpg', 'png', 'webp', 'gif', 'avif', 'bmp']
const ascii = (bytes: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...bytes.subarray(from, Math.min(to, bytes.length)))

/** Box types that a QuickTime file without `ftyp` may start with. */
const oldMovie = /^(?:moov|mdat|free|skip|wide|pnot)$/

/** File type by signature (needs 64 bytes if the file is that long); null: not supported. GIF counts as a picture. */
export function containerOf(head: Uint8Array): Container | null {
  const start = ascii(head, 0, 4)
  const box = ascii(head, 4, 8)
  if (box === 'ftyp') {
    const brand = ascii(head, 8, 12)
    if (/^(?:avif|avis|heic|heix|mif1|msf1)$/.test(brand)) return 'avif'
    return brand === 'qt  ' ? 'mov' : 'mp4'
  }
  if (oldMovie.test(box)) return 'mov'
  if (start === '\x1a\x45\xdf\xa3') return ascii(head, 0, 64).includes('webm') ? 'webm' : 'mkv'
  if (start === 'RIFF') return ascii(head, 8, 12) === 'WEBP' ? 'webp' : ascii(head, 8, 11) === 'AVI' ? 'avi' : null
  if (start === 'OggS') return 'ogv'
  if (start === 'GIF8') return 'gif'
  if (start === '\x89PNG') return 'png'
  if (start.startsWith('\xff\xd8\xff')) return 'jpg'
  if (start.startsWith('BM')) return 'bmp'
  return head[0] === 0x47 && head.length >= 189 && head[188] === 0x47 ? 'ts' : null
}

/** Reads `length` bytes at `position`; fewer at the end of the file. */
export type ReadAt = (position: number, length: number) => Promise<Uint8Array>

/**
 * Checks that a file of `size` bytes has the wanted type and is complete.
 * @throws MienError `result-unreadable` with `reason`: not-a-video, not-a-picture, cut-off
 */
export async function checkContainer(read: ReadAt, size: number, wanted: 'video' | 'picture'): Promise<Container> {
  const found = containerOf(await read(0, 200))
  if (found === null || pictures.includes(found) !== (wanted === 'picture'))
    throw new MienError('result-unreadable', {
      reason: wanted === 'video' ? 'not-a-video' : 'not-a-picture',
      bytes: size,
    })
  if ((found === 'mp4' || found === 'mov') && !(await boxesFit(read, size)))
    throw new MienError('result-unreadable', { reason: 'cut-off', bytes: size })
  return found
}

/**
 * Whether every top-level box (ISO/IEC 14496-12, 4.2) ends within the file; in a truncated file the last one doesn't.
 */
async function boxesFit(read: ReadAt, size: number): Promise<boolean> {
  let at = 0
  for (let boxes = 0; at < size && boxes < 100_000; boxes++) {
    const bytes = await read(at, 16)
    if (bytes.length < 8) return false
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    let length = view.getUint32(0)
    // 0: extends to the end of the file. 1: a 64-bit length follows.
    if (length === 0) return true
    if (length === 1) {
      if (bytes.length < 16) return false
      length = Number(view.getBigUint64(8))
    }
    if (length < 8) return false
    at += length
  }
  return at <= size
}
