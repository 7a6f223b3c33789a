/** @file Crops a picture to a slot so that its face stays visible. */
import type { FaceOutline } from '@shared/engine/engine.ts'

export interface Crop {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Null if the picture was never opened on this computer. */
export const sizeOf = (media: {
  width: number | null
  height: number | null
}): { width: number; height: number } | null =>
  media.width === null || media.height === null ? null : { width: media.width, height: media.height }

/** Size of the first one that was opened on this computer, else a size of 16:9. */
export const knownSize = (...media: Parameters<typeof sizeOf>[0][]): { width: number; height: number } =>
  media.map(sizeOf).find((size) => size !== null) ?? { width: 1280, height: 720 }

/** Width ÷ height of a video; 16:9 if unknown. */
export const aspectOf = (width: number | null, height: number | null): number =>
  width === null || height === null ? 16 / 9 : width / height

/**
 * The largest part of a picture with the slot's `aspect` (width ÷ height), as close to the centre of the face as the
 * edges allow. In pixels of the picture.
 */
export function coverCrop(picture: { width: number; height: number }, aspect: number, face?: FaceOutline): Crop {
  const wide = picture.width / picture.height > aspect
  const width = wide ? picture.height * aspect : picture.width
  const height = wide ? picture.height : picture.width / aspect
  const middle = face === undefined ? null : { x: face.box.x + face.box.width / 2, y: face.box.y + face.box.height / 2 }
  const clamp = (value: number, max: number): number => Math.max(0, Math.min(value, max))
  // In a portrait, the head is slightly above the centre.
  return {
    x: clamp((middle?.x ?? picture.width / 2) - width / 2, picture.width - width),
    y: clamp(middle === null ? (picture.height - height) / 2 : middle.y - height * 0.42, picture.height - height),
    width,
    height,
  }
}

/** How a video fills its slot: portrait and nearly square ones whole, others cropped around the face. */
export function slotFit(
  size: { width: number; height: number },
  face?: FaceOutline,
): { crop: Crop; fit: 'contain' | 'cover'; position: string } {
  if (size.width / size.height < 1.25) return { crop: { x: 0, y: 0, ...size }, fit: 'contain', position: '50% 50%' }
  const crop = coverCrop(size, 16 / 9, face)
  return { crop, fit: 'cover', position: objectPosition(size, crop) }
}

/** The same crop as the `object-position` of an element with `object-fit: cover`. */
export function objectPosition(picture: { width: number; height: number }, crop: Crop): string {
  const share = (offset: number, room: number): string => `${(room < 1 ? 50 : (offset / room) * 100).toFixed(2)}%`
  return `${share(crop.x, picture.width - crop.width)} ${share(crop.y, picture.height - crop.height)}`
}
