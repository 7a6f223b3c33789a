/** @file Pictures as 8-bit I420 planes, the only format in which the engine analyses and renders pixels. */

/** Chroma planes have `(width + 1) >> 1` × `(height + 1) >> 1` pixels. Rows have no padding. */
export interface Planes {
  width: number
  height: number
  y: Uint8Array
  u: Uint8Array
  v: Uint8Array
}

/** A rectangle cut out of a frame. `left` and `top` are even, in the frame's pixels. */
export interface Patch extends Planes {
  left: number
  top: number
  color: ColorModel
}

/** How Y, U and V relate to red, green and blue. `full` is full range, 0…255. */
export interface ColorModel {
  matrix: 'bt601' | 'bt709' | 'bt2020' | 'smpte240m' | 'fcc'
  full: boolean
  /** The decoder gives planes of green, blue and red, which are converted to this model. */
  isOfRgb?: true
}

export const chromaOf = (length: number): number => (length + 1) >> 1

export function planesByteLength(width: number, height: number): number {
  return width * height + 2 * chromaOf(width) * chromaOf(height)
}

/** Views of the three planes inside one buffer, in I420 order. */
export function planesOver(buffer: ArrayBuffer, width: number, height: number): Planes {
  const luma = width * height
  const chroma = chromaOf(width) * chromaOf(height)
  return {
    width,
    height,
    y: new Uint8Array(buffer, 0, luma),
    u: new Uint8Array(buffer, luma, chroma),
    v: new Uint8Array(buffer, luma + chroma, chroma),
  }
}

export function createPlanes(width: number, height: number): Planes {
  return planesOver(new ArrayBuffer(planesByteLength(width, height)), width, height)
}

/** Copies a rectangle, grown to even edges and clipped to the frame; null if it is outside. */
export function cutPatch(
  from: Planes,
  color: ColorModel,
  rect: { left: number; top: number; right: number; bottom: number },
): Patch | null {
  const left = Math.max(0, Math.floor(rect.left)) & ~1
  const top = Math.max(0, Math.floor(rect.top)) & ~1
  const right = Math.min(from.width, (Math.ceil(rect.right) + 1) & ~1)
  const bottom = Math.min(from.height, (Math.ceil(rect.bottom) + 1) & ~1)
  const width = right - left
  const height = bottom - top
  if (width < 2 || height < 2) return null
  const patch = { ...createPlanes(width, height), left, top, color }
  copyRows(from.y, from.width, left, top, patch.y, width, height)
  const chromaStride = chromaOf(from.width)
  copyRows(from.u, chromaStride, left >> 1, top >> 1, patch.u, chromaOf(width), chromaOf(height))
  copyRows(from.v, chromaStride, left >> 1, top >> 1, patch.v, chromaOf(width), chromaOf(height))
  return patch
}

/** Transfer list of a patch. Its planes are views of one buffer. */
export const buffersOf = (patch: Patch): ArrayBuffer[] =>
  patch.y.buffer instanceof ArrayBuffer ? [patch.y.buffer] : []

function copyRows(
  from: Uint8Array,
  stride: number,
  left: number,
  top: number,
  to: Uint8Array,
  width: number,
  height: number,
): void {
  for (let row = 0; row < height; row += 1) {
    const start = (top + row) * stride + left
    to.set(from.subarray(start, start + width), row * width)
  }
}

/** Rounded mean of 2 × 2 bytes. @param at offset of the upper left byte */
export function meanOfFour(plane: Uint8Array, at: number, stride: number): number {
  const below = at + stride
  return ((plane[at] ?? 0) + (plane[at + 1] ?? 0) + (plane[below] ?? 0) + (plane[below + 1] ?? 0) + 2) >> 2
}

/** Halves width and height by averaging; at least 2 × 2 pixels. */
export function halve(from: Planes): Planes {
  const to = createPlanes(Math.max(2, from.width >> 1), Math.max(2, from.height >> 1))
  halvePlane(from.y, from.width, from.height, to.y, to.width, to.height)
  const sizes = [chromaOf(from.width), chromaOf(from.height), chromaOf(to.width), chromaOf(to.height)] as const
  halvePlane(from.u, sizes[0], sizes[1], to.u, sizes[2], sizes[3])
  halvePlane(from.v, sizes[0], sizes[1], to.v, sizes[2], sizes[3])
  return to
}

export function halvePlane(
  from: Uint8Array,
  width: number,
  height: number,
  to: Uint8Array,
  toWidth: number,
  toHeight: number,
): void {
  for (let row = 0; row < toHeight; row += 1) {
    const upper = Math.min(row * 2, height - 1) * width
    const lower = Math.min(row * 2 + 1, height - 1) * width
    for (let column = 0; column < toWidth; column += 1) {
      const a = Math.min(column * 2, width - 1)
      const b = Math.min(column * 2 + 1, width - 1)
      to[row * toWidth + column] =
        ((from[upper + a] ?? 0) + (from[upper + b] ?? 0) + (from[lower + a] ?? 0) + (from[lower + b] ?? 0) + 2) >> 2
    }
  }
}
