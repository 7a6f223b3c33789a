/** @file Reduces the source's own lighting, so that the video's light can be applied. */
import { faceOval, leftBrow, leftEye, outerLips, rightBrow, rightEye } from '../face/topology.ts'
import { blurField } from '../raster/blur.ts'
import { fillPolygon, shrink } from './clean-source.ts'
import { enlarge } from './enlarge.ts'
import type { SourceCut } from './source-face.ts'

/** Side of the working size in pixels. It can be small because light is smooth. */
export const side = 256
/** Shading between these two scales, in face widths, is reduced; finer and coarser shading is kept. */
const fineSigma = 0.035
export const coarseSigma = 0.2
/** Share of the shading to remove. */
const strength = 0.6
const maxLift = 1.7
const maxDrop = 0.8

/**
 * Evens the light between features, in place, by multiplying with a smooth field.
 * @param faceWidth in pixels of the cut
 * @param keepBrows false if a brow is in shadow and is treated as skin
 */
export function evenLight(cut: SourceCut, faceWidth: number, keepBrows: boolean): void {
  const scale = side / cut.width
  const width = faceWidth * scale
  const { luma, skin } = skinLight(cut, width, keepBrows)
  const fine = localMean(luma, skin, width * fineSigma)
  const coarse = localMean(luma, skin, width * coarseSigma)
  const gain = fine.mean.map((value, pixel) => {
    // In and between features the light is poorly known, so keep it there.
    const known = Math.min(1, (fine.share[pixel] ?? 0) ** 2 * 2)
    const lift = Math.exp(((coarse.mean[pixel] ?? 0) - value) * strength * known)
    return Math.min(maxLift, Math.max(maxDrop, lift))
  })
  blurField(gain, side, side, 1.5)
  multiply(cut, gain)
}

/** Multiplies the cut, in place, by a field at working size. */
export function multiply(cut: SourceCut, gain: Float32Array): void {
  const { rgba } = cut
  const factors = enlarge(gain, side, cut)
  for (let pixel = 0; pixel < factors.length; pixel += 1) {
    const factor = factors[pixel] ?? 1
    for (let at = pixel * 4; at < pixel * 4 + 3; at += 1) rgba[at] = ((rgba[at] ?? 0) + 8) * factor - 8
  }
}

export const lumaOf = (red: number, green: number, blue: number): number => 0.3 * red + 0.6 * green + 0.1 * blue

/**
 * Colours, skin mask and the logarithm of the skin's luma, at working size.
 * @param width face width at working size, in pixels
 */
export function skinLight(
  cut: SourceCut,
  width: number,
  keepBrows: boolean,
): { rgb: Float32Array; luma: Float32Array; skin: Float32Array } {
  const scale = side / cut.width
  const rgb = shrink(cut, side)
  const polygonOf = (loop: readonly number[]): (readonly [number, number])[] =>
    loop.map((point) => [(cut.points[point * 3] ?? 0) * scale, (cut.points[point * 3 + 1] ?? 0) * scale] as const)
  const skin = new Float32Array(side * side)
  fillPolygon(skin, side, polygonOf(faceOval), 0, 1)
  const brows = keepBrows ? [rightBrow, leftBrow] : []
  for (const loop of [rightEye, leftEye, ...brows, outerLips]) {
    fillPolygon(skin, side, polygonOf(loop), width * 0.012, 0)
  }
  const luma = new Float32Array(side * side)
  for (let pixel = 0; pixel < luma.length; pixel += 1) {
    const value = lumaOf(rgb[pixel * 3] ?? 0, rgb[pixel * 3 + 1] ?? 0, rgb[pixel * 3 + 2] ?? 0)
    luma[pixel] = Math.log(value + 8) * (skin[pixel] ?? 0)
  }
  return { rgb, luma, skin }
}

/** Gaussian-weighted mean of `field` (already multiplied by `mask`); features get the mean of their surroundings. */
export function localMean(
  field: Float32Array,
  mask: Float32Array,
  sigma: number,
): { mean: Float32Array; share: Float32Array } {
  const sum = Float32Array.from(field)
  const share = Float32Array.from(mask)
  blurField(sum, side, side, sigma)
  blurField(share, side, side, sigma)
  const total =
    field.reduce((all, value) => all + value, 0) /
    Math.max(
      1,
      mask.reduce((all, value) => all + value, 0),
    )
  return { mean: sum.map((value, pixel) => (value + total * 1e-3) / ((share[pixel] ?? 0) + 1e-3)), share }
}
