/**
 * @file Detects a file's type by its first bytes, so that an error can name it. Pure. Signatures: ISO/IEC 14496-12 and
 * 23008-12 (annex B), TIFF 6.0, ISO/IEC 18181-2, RFC 9559 (Matroska), RFC 3533 (Ogg), Microsoft's ASF and RIFF, Adobe's
 * FLV.
 */

export interface FileType {
  family: 'picture' | 'video' | 'sound' | 'document' | 'text'
  /** Common name, such as "AVI". */
  name: string
}

/** Number of bytes that `fileType` needs. */
export const headBytes = 512

const heifBrands = ['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'mif1', 'msf1']

const signatures: readonly [FileType['family'], string, RegExp][] = [
  ['picture', 'JPEG', /^\xff\xd8\xff/],
  ['picture', 'PNG', /^\x89PNG/],
  ['picture', 'GIF', /^GIF8/],
  ['picture', 'WebP', /^RIFF....WEBP/s],
  ['picture', 'BMP', /^BM....\0\0\0\0/s],
  // Camera makers' formats. The first must come before TIFF, which it resembles.
  ['picture', 'RAW', /^(?:II\*\0....CR|II[RU][OS\0]|IIU\0|MMOR|FUJIFILMCCD-RAW)/s],
  ['picture', 'TIFF', /^(?:II\*\0|MM\0\*)/],
  ['picture', 'JPEG XL', /^(?:\xff\x0a|\0\0\0\x0cJXL )/],
  ['picture', 'Photoshop', /^8BPS/],
  ['picture', 'SVG', /^(?:\xef\xbb\xbf)?\s*<(?:svg|\?xml[^]*<svg)[\s>]/i],
  ['video', 'AVI', /^RIFF....AVI /s],
  ['video', 'WMV', /^\x30\x26\xb2\x75\x8e\x66\xcf\x11/],
  ['video', 'FLV', /^FLV\x01/],
  ['video', 'MPEG-1 or MPEG-2', /^\0\0\x01[\xba\xb3]/],
  ['video', 'RealMedia', /^\.RMF/],
  ['video', 'MXF', /^\x06\x0e\x2b\x34/],
  ['video', 'Matroska', /^\x1a\x45\xdf\xa3/],
  ['video', 'Theora', /^OggS[^]*\x80theora/],
  ['sound', 'Ogg', /^OggS/],
  ['sound', 'MP3', /^ID3/],
  ['sound', 'FLAC', /^fLaC/],
  ['sound', 'WAV', /^RIFF....WAVE/s],
  ['document', 'PDF', /^%PDF/],
  ['document', 'ZIP', /^PK\x03\x04/],
  ['document', 'RAR', /^Rar!/],
  ['document', '7z', /^7z\xbc\xaf/],
  ['document', 'gzip', /^\x1f\x8b/],
]

function ofBox(brand: string): FileType {
  if (heifBrands.includes(brand)) return { family: 'picture', name: 'HEIC' }
  if (brand.startsWith('avi')) return { family: 'picture', name: 'AVIF' }
  if (brand === 'crx ') return { family: 'picture', name: 'RAW' }
  return { family: 'video', name: 'MP4' }
}

/** Null: unknown. A file without control characters other than line ends and tabs is text. */
export function fileType(bytes: Uint8Array): FileType | null {
  const head = bytes.subarray(0, headBytes)
  if (head.length === 0) return null
  const text = String.fromCharCode(...head)
  if (text.slice(4, 8) === 'ftyp') return ofBox(text.slice(8, 12))
  const found = signatures.find(([, , signature]) => signature.test(text))
  if (found) return { family: found[0], name: found[1] }
  const isText = head.every(
    (byte) => (byte >= 0x20 && byte !== 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d,
  )
  return isText ? { family: 'text', name: 'text' } : null
}
