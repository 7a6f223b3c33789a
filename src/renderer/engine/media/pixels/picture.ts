/** @file Still pictures: decodes them upright, draws them and writes JPEG. Frames as upright pictures. */
import { MienError } from '@shared/mien-error.ts'
import { pictureKind } from './picture-kind.ts'
import { readPictureSize } from './picture-size.ts'
import { VersionedFile } from '../versioned-file.ts'
import { planesToRgba } from './color.ts'
import { halve, type ColorModel, type Planes } from './planes.ts'

const maxPixels = 64 * 1024 * 1024

/** Reads a picture file. @throws MienError `file-unreadable`, `file-unreachable`, `file-changed` */
export async function fetchPicture(url: string, signal: AbortSignal): Promise<Blob> {
  return new Blob([await new VersionedFile(url, signal).all()])
}

/**
 * Decodes a picture upright, with its EXIF orientation applied (not in WebP files: Chromium ignores it there).
 * @param colors `none` for the numbers in the file, whatever its colour profile
 * @throws MienError `picture-unreadable`, `picture-too-large`
 */
export async function decodePicture(blob: Blob, colors: ColorSpaceConversion = 'default'): Promise<ImageBitmap> {
  const head = new Uint8Array(await blob.slice(0, 256 * 1024).arrayBuffer())
  const said = readPictureSize(head)
  if (said) checkSize(said.width, said.height)
  let bitmap: ImageBitmap
  try {
    const options = { imageOrientation: 'from-image', premultiplyAlpha: 'none', colorSpaceConversion: colors } as const
    bitmap = await createImageBitmap(blob, options)
  } catch (error) {
    throw new MienError('picture-unreadable', { kind: pictureKind(head) }, { cause: error })
  }
  checkSize(bitmap.width, bitmap.height)
  return bitmap
}

function checkSize(width: number, height: number): void {
  if (width * height > maxPixels) {
    throw new MienError('picture-too-large', {
      megapixels: Math.round((width * height) / 1e6),
      limit: Math.floor(maxPixels / 1e6),
    })
  }
}

export type Drawable = ImageBitmap | VideoFrame | OffscreenCanvas

/** Draws onto a new canvas of the given size in pixels. */
export function draw(
  width: number,
  height: number,
  render: (context: OffscreenCanvasRenderingContext2D) => void,
): OffscreenCanvas {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) throw new Error('no 2d canvas')
  context.imageSmoothingQuality = 'high'
  render(context)
  return canvas
}

export function pixelsOf(canvas: OffscreenCanvas): Uint8ClampedArray {
  const context = canvas.getContext('2d')
  if (!context) throw new Error('no 2d canvas')
  return context.getImageData(0, 0, canvas.width, canvas.height).data
}

export function toJpeg(canvas: OffscreenCanvas, quality = 0.88): Promise<Blob> {
  return canvas.convertToBlob({ type: 'image/jpeg', quality })
}

/** How a player shows coded frames: size in pixels, rotation in degrees clockwise. */
export interface Shown {
  width: number
  height: number
  rotation: 0 | 90 | 180 | 270
  flip: boolean
}

/**
 * Draws a frame upright. It is halved until it is at most `maxWidth` pixels wide, which costs far less than scaling on
 * a canvas.
 */
export function stillOf(frame: Planes, color: ColorModel, shown: Shown, maxWidth: number): OffscreenCanvas {
  let small = frame
  let { width, height } = shown
  while (width > maxWidth) {
    small = halve(small)
    width = Math.round(width / 2)
    height = Math.round(height / 2)
  }
  const coded = draw(small.width, small.height, (context) => {
    context.putImageData(new ImageData(planesToRgba(small, color), small.width, small.height), 0, 0)
  })
  if (shown.rotation === 0 && !shown.flip && width === small.width && height === small.height) return coded
  const turned = shown.rotation % 180 !== 0
  return draw(width, height, (context) => {
    context.translate(width / 2, height / 2)
    if (shown.flip) context.scale(-1, 1)
    context.rotate((shown.rotation * Math.PI) / 180)
    const [across, down] = turned ? [height, width] : [width, height]
    context.drawImage(coded, -across / 2, -down / 2, across, down)
  })
}
