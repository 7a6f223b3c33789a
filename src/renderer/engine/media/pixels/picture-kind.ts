/** @file Identifies a file that can't be decoded as a picture, for the error message. */
import { fileType } from '@shared/files/file-type.ts'
import { readPictureSize } from './picture-size.ts'

/** Supported formats. If such a file can't be decoded, it is damaged. */
const readable: readonly string[] = ['JPEG', 'PNG', 'GIF', 'WebP', 'BMP', 'AVIF']

/**
 * `video`, `sound` or `text`; `cut-off` for an incomplete supported picture; otherwise a format name. Null: unknown.
 */
export function pictureKind(bytes: Uint8Array): string | null {
  const type = fileType(bytes)
  if (type === null || readable.includes(type.name)) return readPictureSize(bytes) === null ? null : 'cut-off'
  return type.family === 'picture' || type.family === 'document' ? type.name : type.family
}
