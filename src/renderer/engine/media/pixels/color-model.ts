/** @file Models of colour: how RGB and YUV belong together (ITU-T H.273: BT.601, BT.709, BT.2020 non-constant luminance, SMPTE 240M, FCC). */
import type { ColorModel } from './planes.ts'

/** Luma coefficients of red and blue. */
export const shares = {
  bt601: [0.299, 0.114],
  bt709: [0.2126, 0.0722],
  bt2020: [0.2627, 0.0593],
  smpte240m: [0.212, 0.087],
  fcc: [0.3, 0.11],
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
