/**
 * @file What a file is that no decoder here takes for a picture, by its first bytes, so that the refusal can say it.
 * Signatures: HEIF (ISO/IEC 23008-12, annex B), TIFF 6.0, JPEG XL (ISO/IEC 18181-2), Photoshop, Matroska, PDF.
 */
import { readPictureSize } from './picture-size.ts'

/** `cut-off`: it begins as a picture that could be read. Null: nothing that is known. */
export type PictureKind = 'HEIC' | 'TIFF' | 'JPEG XL' | 'Photoshop' | 'PDF' | 'video' | 'cut-off'

const heifBrands = ['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'mif1', 'msf1']

export function pictureKind(bytes: Uint8Array): PictureKind | null {
  const text = String.fromCharCode(...bytes.subarray(0, 16))
  if (text.slice(4, 8) === 'ftyp' && !text.startsWith('avi', 8)) {
    return heifBrands.includes(text.slice(8, 12)) ? 'HEIC' : 'video'
  }
  if (text.startsWith('II*\0') || text.startsWith('MM\0*')) return 'TIFF'
  if (text.startsWith('\xff\x0a') || text.startsWith('\0\0\0\x0cJXL ')) return 'JPEG XL'
  if (text.startsWith('8BPS')) return 'Photoshop'
  if (text.startsWith('%PDF')) return 'PDF'
  if (text.startsWith('\x1aE\xdf\xa3') || /^RIFF....AVI /s.test(text)) return 'video'
  return readPictureSize(bytes) ? 'cut-off' : null
}
