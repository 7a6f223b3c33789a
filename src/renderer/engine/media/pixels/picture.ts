/** @file Still pictures: decodes them upright, crops them and writes JPEG. */
import { MienError } from '@shared/errors.ts'
import { identity } from '../../face/affine.ts'
import type { Look } from '../../face/analyst.ts'
import { regionBounds, type Region } from '../../face/region.ts'
import { rgbaToPlanes } from './color.ts'
import { pictureKind } from './picture-kind.ts'
import { readPictureSize } from './picture-size.ts'
import type { ColorModel } from './planes.ts'
import { VersionedFile } from '../demux/versioned-file.ts'

const maxPixels = 64 * 1024 * 1024
const still: ColorModel = { matrix: 'bt601', full: true }

/** Reads a picture file. @throws MienError `file-unreadable`, `file-unreachable`, `file-changed` */
export async function fetchPicture(url: string, signal: AbortSignal): Promise<Blob> {
  return new Blob([await new VersionedFile(url, signal).all()])
}

/**
 * Decodes a picture upright, with its EXIF orientation applied.
 * @throws MienError `picture-unreadable`, `picture-too-large`
 */
export async function decodePicture(blob: Blob): Promise<ImageBitmap> {
  const head = new Uint8Array(await blob.slice(0, 256 * 1024).arrayBuffer())
  const said = readPictureSize(head)
  if (said) checkSize(said.width, said.height)
  let bitmap: ImageBitmap
  try {
    bitmap = await createImageBitmap(blob, { imageOrientation: 'from-image', premultiplyAlpha: 'none' })
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

/**
 * Converts a rectangle of a picture to an input for face analysis.
 * @param rect in picture pixels
 * @param max maximum side of the result in pixels
 */
export function lookAt(
  picture: Drawable,
  rect: { x: number; y: number; width: number; height: number },
  max: number,
): Look {
  const scale = Math.min(1, max / Math.max(rect.width, rect.height))
  const width = Math.max(2, Math.round(rect.width * scale))
  const height = Math.max(2, Math.round(rect.height * scale))
  const canvas = draw(width, height, (context) => {
    context.fillStyle = '#fff'
    context.fillRect(0, 0, width, height)
    context.drawImage(picture, rect.x, rect.y, rect.width, rect.height, 0, 0, width, height)
  })
  const planes = rgbaToPlanes(pixelsOf(canvas), width, height, still)
  const scaleX = width / rect.width
  const scaleY = height / rect.height
  return {
    patch: { ...planes, left: 0, top: 0, color: still },
    view: { ...identity, a: scaleX, c: -rect.x * scaleX, e: scaleY, f: -rect.y * scaleY },
  }
}

/** Crops the upright square around a region. @param side of the result in pixels */
export function cutSquare(picture: Drawable, region: Region, side: number): OffscreenCanvas {
  const bounds = regionBounds({ ...region, angle: 0 }, identity)
  const size = bounds.right - bounds.left
  return draw(side, side, (context) => {
    context.fillStyle = '#000'
    context.fillRect(0, 0, side, side)
    context.drawImage(picture, bounds.left, bounds.top, size, size, 0, 0, side, side)
  })
}

export function toJpeg(canvas: OffscreenCanvas, quality = 0.88): Promise<Blob> {
  return canvas.convertToBlob({ type: 'image/jpeg', quality })
}
