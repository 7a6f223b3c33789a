/**
 * @file Reads a picture's size in pixels from its first bytes, so that a huge one is rejected before it is decoded.
 * Layouts: PNG (W3C), JPEG (T.81 B.2.2), GIF89a, BMP, WebP (RFC 9649), AVIF's `ispe` (ISO/IEC 23008-12).
 */
import { fileType } from '@shared/files/file-type.ts'

export interface PictureSize {
  width: number
  height: number
}

/** By the names of `fileType`; `avif` for all others, since an AVIF may have the brand of a video. */
const layouts: Readonly<Record<string, (view: DataView) => PictureSize | null>> = {
  PNG: png,
  JPEG: jpeg,
  GIF: gif,
  WebP: webp,
  BMP: bmp,
}

/** Null for an unknown format or header; the decoder then decides. */
export function readPictureSize(bytes: Uint8Array): PictureSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return (layouts[fileType(bytes)?.name ?? ''] ?? avif)(view)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function png(view: DataView): PictureSize {
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

function jpeg(view: DataView): PictureSize | null {
  for (let at = 2; ;) {
    while (view.getUint8(at) === 0xff && view.getUint8(at + 1) === 0xff) at += 1
    const marker = view.getUint16(at)
    const low = marker & 0xff
    // Start-of-frame markers, except the Huffman, arithmetic and reserved markers in the same range.
    if (low >= 0xc0 && low <= 0xcf && low !== 0xc4 && low !== 0xc8 && low !== 0xcc) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    }
    if (marker >> 8 !== 0xff) return null
    at += 2 + view.getUint16(at + 2)
  }
}

function gif(view: DataView): PictureSize {
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
}

function webp(view: DataView): PictureSize | null {
  switch (view.getUint32(12)) {
    case 0x56503820: // "VP8 "
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    case 0x5650384c: {
      // "VP8L"
      const bits = view.getUint32(21, true)
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
    }
    case 0x56503858: // "VP8X"
      return {
        width: (view.getUint16(24, true) | (view.getUint8(26) << 16)) + 1,
        height: (view.getUint16(27, true) | (view.getUint8(29) << 16)) + 1,
      }
    default:
      return null
  }
}

function bmp(view: DataView): PictureSize {
  return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) }
}

function avif(view: DataView): PictureSize | null {
  const limit = Math.min(view.byteLength - 16, 4096)
  for (let at = 8; at < limit; at += 1) {
    if (view.getUint32(at) === 0x69737065) return { width: view.getUint32(at + 8), height: view.getUint32(at + 12) }
  }
  return null
}
