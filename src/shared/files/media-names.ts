/** @file Recognises pictures and videos by file name. Pure. */

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

/** Kind of a file by its extension; null: neither. */
export function mediaKindOf(name: string): 'face' | 'video' | null {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  if (pictures.includes(extension)) return 'face'
  return videos.includes(extension) ? 'video' : null
}
