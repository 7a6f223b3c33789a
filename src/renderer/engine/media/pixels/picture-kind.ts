/** @file What a file is that no decoder here takes for a picture, so that the refusal can say it. */
import { fileType } from '@shared/file-type.ts'
import { readPictureSize } from './picture-size.ts'

/** Kinds that can be decoded: such a file is damaged. */
const readable: readonly string[] = ['JPEG', 'PNG', 'GIF', 'WebP', 'BMP', 'AVIF']

/** `video`, `sound`, `text`; `cut-off`: it begins as a picture that could be read; else a name. Null: nothing that is known. */
export function pictureKind(bytes: Uint8Array): string | null {
  const type = fileType(bytes)
  if (type === null || readable.includes(type.name)) return readPictureSize(bytes) === null ? null : 'cut-off'
  return type.family === 'picture' || type.family === 'document' ? type.name : type.family
}
