/** @file Converts between RGB and YUV (ITU-T H.273: BT.601, BT.709, BT.2020 non-constant luminance). */
import { kernels, Room } from '../../kernels/kernels.ts'
import { chromaOf, createPlanes, type ColorModel, type Planes } from './planes.ts'

/** Luma coefficients of red and blue. */
export const shares = {
  bt601: [0.299, 0.114],
  bt709: [0.2126, 0.0722],
  bt2020: [0.2627, 0.0593],
} as const

export interface YuvToRgb {
  /** `(Y − black) · scale` is luma, 0…255. */
  black: number
  scale: number
  redV: number
  greenU: number
  greenV: number
  blueU: number
}

/** Factors for `R = L + redV·V`, `G = L − greenU·U − greenV·V`, `B = L + blueU·U` with U and V centred on 0. */
export function yuvToRgb({ matrix, full }: ColorModel): YuvToRgb {
  const [red, blue] = shares[matrix]
  const green = 1 - red - blue
  const chroma = full ? 1 : 255 / 224
  const redV = 2 * (1 - red) * chroma
  const blueU = 2 * (1 - blue) * chroma
  return {
    black: full ? 0 : 16,
    scale: full ? 1 : 255 / 219,
    redV,
    blueU,
    greenU: (blue / green) * blueU,
    greenV: (red / green) * redV,
  }
}

/** The colour model of a frame. A missing matrix is guessed from the height in pixels, as players do. */
export function colorModelOf(space: VideoColorSpaceInit, height: number): ColorModel {
  const full = space.fullRange === true
  // Chromium also reports bt2020-ncl, which TypeScript's type lacks.
  switch (space.matrix as string | null | undefined) {
    case 'bt709':
      return { matrix: 'bt709', full }
    case 'bt470bg':
    case 'smpte170m':
      return { matrix: 'bt601', full }
    case 'bt2020-ncl':
      return { matrix: 'bt2020', full }
    default:
      return { matrix: height >= 720 ? 'bt709' : 'bt601', full }
  }
}

/** Rows that are converted at once: the kernels' memory never shrinks. Even. */
const band = 64

/** Converts RGBA (rows without padding, alpha ignored) to I420 planes. Chroma is the mean of each 2 × 2 block. */
export function rgbaToPlanes(
  rgba: Uint8ClampedArray | Uint8Array,
  width: number,
  height: number,
  color: ColorModel,
): Planes {
  const planes = createPlanes(width, height)
  const [kr, kb] = shares[color.matrix]
  const black = color.full ? 0 : 16
  const chromaScale = color.full ? 1 : 224 / 255
  const factors = [kr, 1 - kr - kb, kb, color.full ? 1 : 219 / 255, black] as const
  const scales = [chromaScale / (2 * (1 - kb)), chromaScale / (2 * (1 - kr))] as const
  for (let top = 0; top < height; top += band) {
    const rows = Math.min(band, height - top)
    const parts = bandsOf(planes, top, rows)
    const room = new Room()
    const from = room.copy(rgba.subarray(top * width * 4, (top + rows) * width * 4))
    const to = parts.map((part) => room.take(part.length)) as [number, number, number]
    kernels.rgba_to_planes(from, width, rows, ...factors, ...scales, ...to)
    for (const [plane, part] of parts.entries()) part.set(room.bytes(to[plane] ?? 0, part.length))
  }
  return planes
}

/** Converts I420 planes to opaque RGBA. */
export function planesToRgba(planes: Planes, color: ColorModel): Uint8ClampedArray<ArrayBuffer> {
  const { width, height } = planes
  const { black, scale, redV, greenU, greenV, blueU } = yuvToRgb(color)
  const rgba = new Uint8ClampedArray(width * height * 4)
  for (let top = 0; top < height; top += band) {
    const rows = Math.min(band, height - top)
    const room = new Room()
    const from = bandsOf(planes, top, rows).map((part) => room.copy(part)) as [number, number, number]
    const to = room.take(width * rows * 4)
    kernels.planes_to_rgba(...from, width, rows, black, scale, redV, greenU, greenV, blueU, to)
    rgba.set(room.bytes(to, width * rows * 4), top * width * 4)
  }
  return rgba
}

/** Views of some rows of the planes. */
function bandsOf({ width, y, u, v }: Planes, top: number, rows: number): [Uint8Array, Uint8Array, Uint8Array] {
  const [from, to] = [(top / 2) * chromaOf(width), (top / 2 + chromaOf(rows)) * chromaOf(width)]
  return [y.subarray(top * width, (top + rows) * width), u.subarray(from, to), v.subarray(from, to)]
}
