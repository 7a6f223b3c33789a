/** @file Converts between RGB and YUV (ITU-T H.273: BT.601, BT.709, BT.2020 non-constant luminance). */
import { createPlanes, type ColorModel, type Planes } from './planes.ts'

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

/** Converts RGBA (rows without padding, alpha ignored) to I420 planes. Chroma is the mean of each 2 × 2 block. */
export function rgbaToPlanes(
  rgba: Uint8ClampedArray | Uint8Array,
  width: number,
  height: number,
  color: ColorModel,
): Planes {
  const planes = createPlanes(width, height)
  const [kr, kb] = shares[color.matrix]
  const kg = 1 - kr - kb
  const lumaScale = color.full ? 1 : 219 / 255
  const black = color.full ? 0 : 16
  const chromaScale = color.full ? 1 : 224 / 255
  const uScale = chromaScale / (2 * (1 - kb))
  const vScale = chromaScale / (2 * (1 - kr))
  let at = 0
  for (let pixel = 0; pixel < width * height; pixel += 1, at += 4) {
    const luma = kr * (rgba[at] ?? 0) + kg * (rgba[at + 1] ?? 0) + kb * (rgba[at + 2] ?? 0)
    planes.y[pixel] = luma * lumaScale + black + 0.5
  }
  let out = 0
  for (let row = 0; row < height; row += 2) {
    const below = row + 1 < height ? width * 4 : 0
    for (let column = 0; column < width; column += 2) {
      const right = column + 1 < width ? 4 : 0
      const a = (row * width + column) * 4
      const corners = [a, a + right, a + below, a + below + right]
      let red = 0
      let green = 0
      let blue = 0
      for (const corner of corners) {
        red += rgba[corner] ?? 0
        green += rgba[corner + 1] ?? 0
        blue += rgba[corner + 2] ?? 0
      }
      const luma = kr * red + kg * green + kb * blue
      planes.u[out] = clampByte(((blue - luma) / 4) * uScale + 128.5)
      planes.v[out] = clampByte(((red - luma) / 4) * vScale + 128.5)
      out += 1
    }
  }
  return planes
}

/** Converts I420 planes to opaque RGBA. */
export function planesToRgba(planes: Planes, color: ColorModel): Uint8ClampedArray<ArrayBuffer> {
  const { width, height, y, u, v } = planes
  const { black, scale, redV, greenU, greenV, blueU } = yuvToRgb(color)
  const rgba = new Uint8ClampedArray(width * height * 4)
  const chromaWidth = (width + 1) >> 1
  for (let row = 0, at = 0; row < height; row += 1) {
    const chromaRow = (row >> 1) * chromaWidth
    for (let column = 0; column < width; column += 1, at += 4) {
      const luma = ((y[row * width + column] ?? 0) - black) * scale
      const cu = (u[chromaRow + (column >> 1)] ?? 128) - 128
      const cv = (v[chromaRow + (column >> 1)] ?? 128) - 128
      rgba[at] = luma + redV * cv
      rgba[at + 1] = luma - greenU * cu - greenV * cv
      rgba[at + 2] = luma + blueU * cu
      rgba[at + 3] = 255
    }
  }
  return rgba
}

const clampByte = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : value)
