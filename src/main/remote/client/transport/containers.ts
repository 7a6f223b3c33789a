/** @file Checks the type of a result, and whether a movie file is complete. Pure except for the given reads. */
import { MienError } from '@shared/errors.ts'
import { fileType, headBytes } from '@shared/files/file-type.ts'

/** Extensions of the types that a result may have, by the names of `fileType`. */
const containers: Readonly<Record<string, string>> = {
  ...{ MP4: 'mp4', QuickTime: 'mov', WebM: 'webm', Matroska: 'mkv', AVI: 'avi' },
  ...{ 'MPEG-TS': 'ts', Theora: 'ogv', Ogg: 'ogv' },
  ...{ JPEG: 'jpg', PNG: 'png', WebP: 'webp', GIF: 'gif', AVIF: 'avif', HEIC: 'avif', BMP: 'bmp' },
}

/** Extension by the first `headBytes` bytes of a file; null: not supported. */
export const containerOf = (head: Uint8Array): string | null => containers[fileType(head)?.name ?? ''] ?? null

/** Reads `length` bytes at `position`; fewer at the end of the file. */
export type ReadAt = (position: number, length: number) => Promise<Uint8Array>

/**
 * Checks that a file of `size` bytes has the wanted type and is complete.
 * @throws MienError `result-unreadable` with `reason`: page, not-a-video, not-a-picture, cut-off
 */
export async function checkContainer(read: ReadAt, size: number, wanted: 'video' | 'picture'): Promise<string> {
  const head = await read(0, headBytes)
  const found = containerOf(head)
  if (found === null || (fileType(head)?.family === 'picture') !== (wanted === 'picture'))
    throw new MienError('result-unreadable', {
      reason: isPage(head) ? 'page' : wanted === 'video' ? 'not-a-video' : 'not-a-picture',
      bytes: size,
    })
  if ((found === 'mp4' || found === 'mov') && !(await boxesFit(read, size)))
    throw new MienError('result-unreadable', { reason: 'cut-off', bytes: size })
  return found
}

/** A web page, or an answer in JSON or XML, whatever its type was. */
const isPage = (head: Uint8Array): boolean =>
  /^(?:\ufeff|\s)*(?:<[!?a-z]|[{[]\s*["{])/i.test(new TextDecoder().decode(head))

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
