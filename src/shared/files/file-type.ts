/**
 * @file Detects a file's type by its first bytes. Pure. Signatures: ISO/IEC 14496-12 and 23008-12 (annex B), TIFF 6.0,
 * ISO/IEC 18181-2, RFC 9559 (Matroska), RFC 3533 (Ogg), Microsoft's ASF and RIFF, Adobe's FLV, Apple's QuickTime, ISO/IEC
 * 13818-1 (MPEG-TS), ITU-T H.264 (annex B), FFmpeg's IVF, NUT and YUV4MPEG2.
 */

export interface FileType {
  family: 'picture' | 'video' | 'sound' | 'document' | 'text'
  /** Common name, such as "AVI". */
  name: string
}

/** Number of bytes that `fileType` needs. */
export const headBytes = 512

/** The first match counts. Signatures that also occur in text come after it. */
const signatures: readonly [FileType['family'], string, RegExp][] = [
  ['picture', 'JPEG', /^\xff\xd8\xff/],
  ['picture', 'PNG', /^\x89PNG/],
  ['picture', 'GIF', /^GIF8/],
  ['picture', 'WebP', /^RIFF....WEBP/s],
  ['picture', 'HEIC', /^....ftyp(?:hei[cmsx]|hev[cx]|mif1|msf1)/s],
  ['picture', 'AVIF', /^....ftypavi/s],
  // Camera makers' formats. They must come before TIFF, which some resemble.
  ['picture', 'RAW', /^(?:....ftypcrx |II\*\0....CR|II[RU][OS\0]|IIU\0|MMOR|FUJIFILMCCD-RAW)/s],
  ['picture', 'TIFF', /^(?:II\*\0|MM\0\*)/],
  ['picture', 'JPEG 2000', /^(?:\0\0\0\x0cjP {2}|\xff\x4f\xff\x51)/],
  ['picture', 'JPEG XL', /^(?:\xff\x0a|\0\0\0\x0cJXL )/],
  ['picture', 'Photoshop', /^8BPS/],
  ['picture', 'SVG', /^(?:\xef\xbb\xbf)?\s*<(?:svg|\?xml[^]*<svg)[\s>]/i],
  ['video', 'QuickTime', /^....ftypqt /s],
  ['video', 'MP4', /^....ftyp/s],
  ['video', 'AVI', /^RIFF....AVI /s],
  ['video', 'WMV', /^\x30\x26\xb2\x75\x8e\x66\xcf\x11/],
  ['video', 'FLV', /^FLV\x01/],
  ['video', 'MPEG-1 or MPEG-2', /^\0\0\x01[\xba\xb3]/],
  ['video', 'RealMedia', /^\.RMF/],
  ['video', 'MXF', /^\x06\x0e\x2b\x34/],
  ['video', 'IVF', /^DKIF/],
  ['video', 'NUT', /^nut\/multimedia container/],
  ['video', 'YUV4MPEG2', /^YUV4MPEG2 /],
  // Its first unit is a delimiter or a parameter set.
  ['video', 'raw H.264', /^\0?\0\0\x01[\x09\x27\x47\x67]/],
  ['video', 'WebM', /^\x1a\x45\xdf\xa3[^]{0,56}webm/],
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
  // No control characters other than line ends and tabs.
  ['text', 'text', /^[^\0-\x08\x0b\x0c\x0e-\x1f\x7f]+$/],
  ['picture', 'BMP', /^BM/],
  // QuickTime's `ftyp` is optional.
  ['video', 'QuickTime', /^....(?:moov|mdat|free|skip|wide|pnot)/s],
  ['video', 'MPEG-TS', /^G[^]{187}G/],
]

/** Null: unknown. */
export function fileType(bytes: Uint8Array): FileType | null {
  const head = String.fromCharCode(...bytes.subarray(0, headBytes))
  const found = signatures.find(([, , signature]) => signature.test(head))
  return found ? { family: found[0], name: found[1] } : null
}
