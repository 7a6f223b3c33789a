/** @file Recognises pictures and videos by their names, and addresses. Pure. */

/** The place for a face or a video in the composer, and the kind of file for it. */
export type SlotName = 'face' | 'video'

/** Extensions of supported formats, for the file dialogs. */
export const readablePictures = ['jpg', 'jpeg', 'png', 'webp', 'avif', 'gif', 'bmp'] as const
export const readableVideos = ['mp4', 'm4v', 'mov', 'webm', 'mkv'] as const

const pictures: readonly string[] = [
  ...readablePictures,
  ...['heic', 'heif', 'tif', 'tiff', 'jxl', 'svg', 'psd', 'cr2', 'cr3', 'nef', 'arw', 'dng', 'raf', 'orf', 'rw2'],
]
const videos: readonly string[] = [
  ...readableVideos,
  ...['avi', 'mpg', 'mpeg', 'ts', 'mts', 'm2ts', '3gp', 'wmv', 'asf', 'flv', 'ogv', 'vob', 'rm', 'rmvb', 'mxf'],
]

/** Kind of a file by its MIME type, else by its extension; null: neither. */
export function mediaKindOf(name: string, type = ''): SlotName | null {
  if (type.startsWith('image/')) return 'face'
  if (type.startsWith('video/')) return 'video'
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  if (pictures.includes(extension)) return 'face'
  return videos.includes(extension) ? 'video' : null
}

/** The trimmed text if it is an http(s) address, else null. */
export function addressIn(text: string): string | null {
  const trimmed = text.trim()
  return /^https?:\/\/\S+$/i.test(trimmed) ? trimmed : null
}
