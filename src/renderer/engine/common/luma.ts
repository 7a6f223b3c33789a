/** @file Brightness of RGB pixels, for comparisons within one picture. */

/** Roughly the luma of BT.601. */
export const lumaOf = (red: number, green: number, blue: number): number => 0.3 * red + 0.6 * green + 0.1 * blue

/** The same of a pixel of RGB values, three for each. */
export const lumaAt = (rgb: Float32Array, pixel: number): number =>
  lumaOf(rgb[pixel * 3] ?? 0, rgb[pixel * 3 + 1] ?? 0, rgb[pixel * 3 + 2] ?? 0)
