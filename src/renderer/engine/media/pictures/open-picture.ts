/**
 * @file Pictures whose faces are swapped. Pixels keep the numbers of the file, in the colour space of its profile, which
 * the result gets too: a conversion would change all pixels, and lose colours outside of sRGB.
 */
import { MienError } from '@shared/mien-error.ts'
import type { Missing } from '@shared/engine/engine.ts'
import { fileType } from '@shared/files/file-type.ts'
import { decodePicture, draw, type Drawable } from '../pixels/picture.ts'
import { orientationOf, uprightExif } from './exif.ts'
import { hasGainMap, hasMotion, isHdrAvif } from './left-out.ts'
import * as jpeg from './jpeg.ts'
import { isForRgb, type PictureMetadata, type WrittenMetadata } from './metadata.ts'
import { readPng, translucentPixels, writePng } from './png.ts'
import * as webp from './webp.ts'

export type PictureFormat = 'jpg' | 'png' | 'webp'

/** Quality of a lossy picture is the original's, but at least this. */
const minQuality = 90
/** A WebP file doesn't say its quality. */
const webpQuality = 0.95

export interface Pixels {
  /** Not premultiplied. */
  rgba: Uint8ClampedArray<ArrayBuffer>
  width: number
  height: number
}

export interface OpenPicture extends Pixels {
  /** Name of the file's format, such as "JPEG". */
  kind: string
  /** Of the result: the file's, or PNG for formats that can't be written. */
  format: PictureFormat
  /** What results don't have of it. */
  missing: Missing[]
  /** The original pixels. */
  picture: Drawable
  /** Encodes the picture, or the same picture in another size. The pixels may be changed by it. */
  encode: (pixels: Pixels, xmp: string) => Promise<Blob>
  close: () => void
}

/** @throws MienError `picture-unreadable`, `picture-too-large` */
export async function openPicture(file: Blob): Promise<OpenPicture> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const kind = fileType(bytes)?.name ?? ''
  const found = formatOf(kind, bytes)
  const bitmap = await decodePicture(file, found.convert ? 'default' : 'none')
  try {
    const { pixels: decoded, left } = await pixelsOf(bitmap)
    // Chromium ignores the orientation of WebP files.
    const asInFile = kind === 'WebP' || left !== 1 || found.orientation === 1
    if (asInFile) setColors(decoded, (await found.colors?.()) ?? null)
    // AVIF has no EXIF orientation, but says by itself how it is turned.
    const orientation = found.orientation === 1 ? left : found.orientation
    const pixels = asInFile ? upright(decoded, orientation) : decoded
    const picture = pixels === decoded ? bitmap : await bitmapOf(pixels)
    const close = (): void => {
      bitmap.close()
      if (picture !== bitmap) picture.close()
    }
    const { format, encode } = found
    return { ...pixels, kind, format, missing: missingOf(kind, bytes), picture, encode, close }
  } catch (error) {
    bitmap.close()
    throw new MienError('picture-unreadable', { kind: null }, { cause: error })
  }
}

/**
 * The bitmap's numbers. Where the picture is translucent, Chromium has premultiplied them.
 * @returns `left` is the orientation that isn't applied, 1…8
 */
async function pixelsOf(bitmap: ImageBitmap): Promise<{ pixels: Pixels; left: number }> {
  const frame = new VideoFrame(bitmap, { timestamp: 0 })
  try {
    const { codedWidth: width, codedHeight: height } = frame
    const rgba = new Uint8ClampedArray(width * height * 4)
    await frame.copyTo(rgba, { format: 'RGBA' })
    // TypeScript's type lacks both.
    const left = orientationOfFrame(frame as { rotation?: number; flip?: boolean })
    return { pixels: { rgba, width, height }, left }
  } finally {
    frame.close()
  }
}

/** EXIF's for a turn clockwise, and one that is mirrored from left to right then. */
export const orientationOfFrame = ({ rotation = 0, flip = false }: { rotation?: number; flip?: boolean }): number =>
  (flip ? [2, 5, 4, 7] : [1, 6, 3, 8])[rotation / 90] ?? 1

export const bitmapOf = ({ rgba, width, height }: Pixels, options: ImageBitmapOptions = {}): Promise<ImageBitmap> =>
  createImageBitmap(new ImageData(rgba, width, height), options)

interface Found {
  format: PictureFormat
  /** Convert to sRGB: the profile isn't one for RGB. */
  convert: boolean
  /** EXIF orientation, 1…8. */
  orientation: number
  encode: (pixels: Pixels, xmp: string) => Promise<Blob>
  /** RGB of a file with alpha, before orientation; null if it is of a rare kind. */
  colors?: () => Promise<Uint8ClampedArray | null>
}

function setColors({ rgba }: Pixels, colors: Uint8ClampedArray | null): void {
  if (colors?.length !== rgba.length) return
  for (let at = 0; at < rgba.length; at += 4)
    for (let channel = 0; channel < 3; channel += 1) rgba[at + channel] = colors[at + channel] ?? 0
}

/** The colours of a WebP file with alpha: Chromium doesn't premultiply them if it sees no alpha. */
async function opaqueColors(bytes: Uint8Array, convert: boolean): Promise<Uint8ClampedArray | null> {
  const file = webp.opaque(bytes)
  if (!file || convert) return null
  const bitmap = await decodePicture(file, 'none')
  try {
    return (await pixelsOf(bitmap)).pixels.rgba
  } finally {
    bitmap.close()
  }
}

function formatOf(kind: string, bytes: Uint8Array): Found {
  switch (kind) {
    case 'JPEG': {
      const { components, ...facts } = jpeg.readJpeg(bytes)
      const convert = components !== 3 || (facts.icc !== null && !isForRgb(facts.icc))
      return {
        format: 'jpg',
        convert,
        orientation: orientationOf(facts.exif),
        encode: (pixels, xmp) => encodeJpeg(pixels, { ...kept(facts, convert, pixels), xmp }),
      }
    }
    case 'WebP': {
      const facts = webp.readWebp(bytes)
      const convert = facts.icc !== null && !isForRgb(facts.icc)
      const encode: Found['encode'] = (pixels, xmp) => encodeWebp(pixels, { ...kept(facts, convert, pixels), xmp })
      const found: Found = { format: 'webp', convert, orientation: orientationOf(facts.exif), encode }
      return facts.hasAlpha ? { ...found, colors: () => opaqueColors(bytes, convert) } : found
    }
    case 'PNG': {
      const facts = readPng(bytes)
      const convert = facts.grey
      const color = convert ? [] : facts.color
      return {
        format: 'png',
        convert,
        orientation: orientationOf(facts.exif),
        encode: (pixels, xmp) => writePng(pixels, { ...kept({ ...facts, color }, convert, pixels), xmp }),
        colors: async () => (facts.hasAlpha ? translucentPixels(bytes) : null),
      }
    }
    default: {
      const encode: Found['encode'] = (pixels, xmp) =>
        writePng(pixels, { color: [], exif: null, xmp, hasAlpha: hasAlpha(pixels) })
      return { format: 'png', convert: true, orientation: 1, encode }
    }
  }
}

function missingOf(kind: string, bytes: Uint8Array): Missing[] {
  if (kind === 'AVIF') return isHdrAvif(bytes) ? ['hdr'] : []
  if (kind !== 'JPEG') return []
  return [...(hasGainMap(bytes) ? (['hdr'] as const) : []), ...(hasMotion(bytes) ? (['motion'] as const) : [])]
}

/** Metadata of the result. */
function kept<F extends PictureMetadata>(facts: F, converted: boolean, size: Pixels): F {
  return { ...facts, icc: converted ? null : facts.icc, exif: facts.exif && uprightExif(facts.exif, size) }
}

function hasAlpha({ rgba }: Pixels): boolean {
  for (let at = 3; at < rgba.length; at += 4) if (rgba[at] !== 255) return true
  return false
}

/** @param orientation 1…8 (Exif 4.6.5) */
export function upright({ rgba, width, height }: Pixels, orientation: number): Pixels {
  if (orientation < 2 || orientation > 8) return { rgba, width, height }
  const turned = orientation > 4
  const [across, down] = turned ? [height, width] : [width, height]
  const [from, to] = [new Uint32Array(rgba.buffer), new Uint32Array(width * height)]
  const flipX = [2, 3, 7, 8].includes(orientation)
  const flipY = [3, 4, 6, 7].includes(orientation)
  for (let y = 0, at = 0; y < down; y += 1) {
    for (let x = 0; x < across; x += 1, at += 1) {
      const [column, row] = turned ? [y, x] : [x, y]
      to[at] = from[(flipY ? height - 1 - row : row) * width + (flipX ? width - 1 - column : column)] ?? 0
    }
  }
  return { rgba: new Uint8ClampedArray(to.buffer), width: across, height: down }
}

async function encodeJpeg(
  pixels: Pixels,
  { quality, fullColor, ...metadata }: Omit<jpeg.JpegFacts, 'components'> & WrittenMetadata,
): Promise<Blob> {
  // Chromium keeps the full resolution of colour at quality 1 only.
  const encoded = await encodeCanvas(pixels, 'image/jpeg', fullColor ? 1 : Math.max(minQuality, quality) / 100)
  return jpeg.withMetadata(encoded, metadata)
}

async function encodeWebp(pixels: Pixels, facts: webp.WebpFacts & WrittenMetadata): Promise<Blob> {
  const type = 'image/webp'
  // At quality 1, Chromium's encoder is lossless.
  if (facts.lossless) return webp.withMetadata(await encodeCanvas(pixels, type, 1), pixels, facts)
  if (!facts.hasAlpha) return webp.withMetadata(await encodeCanvas(pixels, type, webpQuality), pixels, facts)
  const alpha = pixels.rgba.slice()
  for (let at = 0; at < alpha.length; at += 4) {
    alpha.fill(alpha[at + 3] ?? 0, at, at + 3)
    alpha[at + 3] = 255
    pixels.rgba[at + 3] = 255
  }
  const mask = await encodeCanvas({ ...pixels, rgba: alpha }, type, 1)
  return webp.withMetadata(await encodeCanvas(pixels, type, webpQuality), pixels, facts, mask)
}

/** @param quality 0…1 */
async function encodeCanvas(
  { rgba, width, height }: Pixels,
  type: string,
  quality: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const canvas = draw(width, height, (context) => {
    context.putImageData(new ImageData(rgba, width, height), 0, 0)
  })
  const blob = await canvas.convertToBlob({ type, quality })
  if (blob.type !== type) throw new MienError('picture-too-large')
  return new Uint8Array(await blob.arrayBuffer())
}
