/** @file Converts decoded frames of any pixel format to 8-bit I420. */
import type { VideoSample } from 'mediabunny'
import { MienError } from '@shared/mien-error.ts'
import { rgbaToPlanes } from './color.ts'
import { chromaOf, planesOver, type ColorModel, type Planes } from './planes.ts'

interface PlanarLayout {
  /** Bits per sample. */
  bits: 8 | 10 | 12
  /** Luma samples per chroma sample, in each direction. */
  chromaX: 1 | 2
  chromaY: 1 | 2
}

/** Parses `I420`, `I422P10`, `I444AP12` and similar; null for other formats. */
export function parsePlanar(format: string): PlanarLayout | null {
  const match = /^I(420|422|444)A?(?:P(10|12))?$/.exec(format)
  if (!match) return null
  return {
    bits: match[2] === '10' ? 10 : match[2] === '12' ? 12 : 8,
    chromaX: match[1] === '444' ? 1 : 2,
    chromaY: match[1] === '420' ? 2 : 1,
  }
}

/**
 * Reads the frame's visible pixels into `buffer`.
 * @param buffer of `planesByteLength` bytes
 * @throws MienError `codec-unsupported` if the frame's size isn't `width` × `height`
 */
export async function readFrame(
  sample: VideoSample,
  width: number,
  height: number,
  color: ColorModel,
  buffer: ArrayBuffer,
): Promise<Planes> {
  const planes = planesOver(buffer, width, height)
  if (sample.codedWidth !== width || sample.codedHeight !== height) {
    throw new MienError('codec-unsupported', {
      reason: 'size-changes',
      width: sample.codedWidth,
      height: sample.codedHeight,
    })
  }
  if (sample.format === 'I420') {
    await sample.copyTo(buffer)
    return planes
  }
  const planar = sample.format ? parsePlanar(sample.format) : null
  if (planar || sample.format === 'NV12') {
    const raw = new ArrayBuffer(sample.allocationSize())
    const layout = await sample.copyTo(raw)
    if (planar?.chromaX === 1 && color.isOfRgb)
      fill(planes, rgbaToPlanes(rgbaOf(raw, layout, planar, planes), width, height, color))
    else if (planar) readPlanar(raw, layout, planar, planes)
    else readInterleaved(raw, layout, planes)
    return planes
  }
  const rgba = new Uint8Array(width * height * 4)
  await sample.copyTo(rgba, { format: 'RGBA' })
  fill(planes, rgbaToPlanes(rgba, width, height, color))
  return planes
}

function fill(planes: Planes, from: Planes): void {
  for (const plane of ['y', 'u', 'v'] as const) planes[plane].set(from[plane])
}

/** Joins planes of green, blue and red. */
export function rgbaOf(
  raw: ArrayBuffer,
  layout: PlaneLayout[],
  { bits }: PlanarLayout,
  { width, height }: Pick<Planes, 'width' | 'height'>,
): Uint8Array {
  const samples = bits === 8 ? new Uint8Array(raw) : new Uint16Array(raw)
  const unit = samples.BYTES_PER_ELEMENT
  const rgba = new Uint8Array(width * height * 4)
  for (const [channel, plane] of [2, 0, 1].entries()) {
    const { offset, stride } = layout[plane] ?? { offset: 0, stride: 0 }
    for (let row = 0; row < height; row += 1)
      for (let column = 0; column < width; column += 1)
        rgba[(row * width + column) * 4 + channel] =
          (samples[(offset + row * stride) / unit + column] ?? 0) >> (bits - 8)
  }
  return rgba
}

function readInterleaved(raw: ArrayBuffer, layout: PlaneLayout[], to: Planes): void {
  const from = new Uint8Array(raw)
  const luma = layout[0] ?? { offset: 0, stride: to.width }
  for (let row = 0; row < to.height; row += 1) {
    const start = luma.offset + row * luma.stride
    to.y.set(from.subarray(start, start + to.width), row * to.width)
  }
  const chroma = layout[1] ?? { offset: to.width * to.height, stride: to.width }
  const width = chromaOf(to.width)
  for (let row = 0; row < chromaOf(to.height); row += 1) {
    let at = chroma.offset + row * chroma.stride
    for (let column = 0; column < width; column += 1, at += 2) {
      to.u[row * width + column] = from[at] ?? 128
      to.v[row * width + column] = from[at + 1] ?? 128
    }
  }
}

/**
 * Converts to 8-bit 4:2:0: finer chroma is averaged, the last column and row of odd sizes alone. All is rounded: without,
 * deep and finely coloured videos would get darker and yellower.
 */
export function readPlanar(raw: ArrayBuffer, layout: PlaneLayout[], from: PlanarLayout, to: Planes): void {
  const samples = from.bits === 8 ? new Uint8Array(raw) : new Uint16Array(raw)
  const unit = from.bits === 8 ? 1 : 2
  // Four samples are added.
  const shift = from.bits - 8 + 2
  const half = 1 << (shift - 1)
  const read = (index: number, out: Uint8Array, width: number, height: number, stepX: number, stepY: number): void => {
    const { offset, stride } = layout[index] ?? { offset: 0, stride: 0 }
    for (let row = 0; row < height; row += 1) {
      const upper = (offset + row * stepY * stride) / unit
      const lower = row * stepY + 1 < to.height && stepY === 2 ? upper + stride / unit : upper
      for (let column = 0; column < width; column += 1) {
        const left = column * stepX
        const right = left + 1 < to.width && stepX === 2 ? left + 1 : left
        const sum =
          (samples[upper + left] ?? 0) +
          (samples[upper + right] ?? 0) +
          (samples[lower + left] ?? 0) +
          (samples[lower + right] ?? 0)
        // The deepest white is rounded up to 256.
        out[row * width + column] = Math.min(255, (sum + half) >> shift)
      }
    }
  }
  read(0, to.y, to.width, to.height, 1, 1)
  const stepX = 3 - from.chromaX
  const stepY = 3 - from.chromaY
  read(1, to.u, chromaOf(to.width), chromaOf(to.height), stepX, stepY)
  read(2, to.v, chromaOf(to.width), chromaOf(to.height), stepX, stepY)
}
