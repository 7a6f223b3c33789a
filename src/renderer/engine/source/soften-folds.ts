/**
 * @file Softens the folds and lines of a source that smiles, which would look frozen on another expression. They are kept apart,
 * for frames in which the person in the video smiles, too.
 */
import { smileOf } from '../face/smile.ts'
import { leftEye, outerLips, rightEye, faceOval } from '../face/topology.ts'
import { blurField } from '../raster/blur.ts'
import { lumaOf } from '../common/luma.ts'
import { fillPolygon } from '../common/polygon.ts'
import { polygonOf, shrink } from './clean-source.ts'
import { enlarge } from './enlarge.ts'
import type { SmileFolds, SourceCut } from './source-face.ts'

/** Side of the working size in pixels. It can be small because light is smooth. */
const side = 256

interface Folds {
  /** Where they are, as loops of landmarks. */
  areas: readonly (readonly number[])[]
  /** Standard deviation, in face widths, of the mean of the skin around. */
  aroundSigma: number
  /** Difference to the skin around, in log luma, from which it is a fold. */
  knee: number
  /** Whether folds lighter than the skin around are softened, too. */
  light: boolean
}

/** From nose to mouth, and the cheek's shadow below them. */
const shadows: Folds = {
  areas: [
    [64, 129, 142, 36, 205, 207, 214, 212, 202, 57, 61, 40, 92, 165, 98],
    [294, 358, 371, 266, 425, 427, 434, 432, 422, 287, 291, 270, 322, 391, 327],
  ],
  aroundSigma: 0.2,
  knee: 0.05,
  light: false,
}
/** Narrow lines with a light edge, from the temple to below the mouth's corner. */
const lines: Folds = {
  areas: [
    [64, 129, 142, 101, 118, 111, 143, 156, 162, 127, 234, 123, 187, 192, 214, 202, 57, 61, 40, 92, 165, 98],
    [294, 358, 371, 330, 347, 340, 372, 383, 389, 356, 454, 352, 411, 416, 434, 422, 287, 291, 270, 322, 391, 327],
  ],
  aroundSigma: 0.05,
  knee: 0.16,
  light: true,
}
/** Share of a fold's depth that is removed from a full smile. */
const removed = 0.8
/** Share of what was removed that comes back as another face smiles: with all of it, folds are hard on most faces. */
const drawn = 0.65
/** Depth in log luma at which a fold fully takes the hue of the skin around; its own hue is too warm. */
const hueFrom = 0.15

/**
 * Changes the cut in place; a face that doesn't smile stays as it is.
 * @param faceWidth in pixels of the cut
 * @returns the folds for frames in which the person in the video smiles, too; null: it has none
 */
export function softenFolds(cut: SourceCut, faceWidth: number): SmileFolds | null {
  const smile = smileOf(cut.points, 3)
  if (smile === 0) return null
  const folded = cut.rgba.slice()
  for (const folds of [lines, shadows]) soften(cut, (faceWidth * side) / cut.width, removed * smile, folds)
  const change = new Int8Array(folded.length)
  for (let at = 0; at < change.length; at += 1)
    change[at] = Math.max(-128, Math.min(127, drawn * ((folded[at] ?? 0) - (cut.rgba[at] ?? 0))))
  return { change, smile }
}

/** @param width face width at working size, in pixels @param strength share of a fold's depth that is removed */
function soften(cut: SourceCut, width: number, strength: number, { areas, aroundSigma, knee, light }: Folds): void {
  const [red, green, blue] = skinAround(cut, width, aroundSigma)
  const skin = [0, 0, 0]
  const { rgba } = cut
  for (const outline of areas) {
    const share = new Float32Array(side * side)
    fillPolygon(share, side, polygonOf(cut, outline, side), 0, 1)
    blurField(share, side, side, Math.max(1, width * 0.02))
    const shares = enlarge(share, side, cut)
    for (let pixel = 0; pixel < shares.length; pixel += 1) {
      const within = shares[pixel] ?? 0
      if (within < 0.01) continue
      const at = pixel * 4
      skin[0] = (red[pixel] ?? 0) + 8
      skin[1] = (green[pixel] ?? 0) + 8
      skin[2] = (blue[pixel] ?? 0) + 8
      const darker =
        Math.log(lumaOf(skin[0], skin[1], skin[2])) -
        Math.log(lumaOf(rgba[at] ?? 0, rgba[at + 1] ?? 0, rgba[at + 2] ?? 0) + 8)
      const depth = Math.abs(darker) - knee
      if (depth <= 0 || (darker < 0 && !light)) continue
      const change = Math.sign(darker) * depth * strength * within
      const gain = Math.exp(change)
      const hue = Math.min(1, depth / hueFrom) * strength * within
      const level = Math.exp(change - darker)
      for (let c = 0; c < 3; c += 1) {
        const changed = ((rgba[at + c] ?? 0) + 8) * gain
        rgba[at + c] = changed + ((skin[c] ?? 0) * level - changed) * hue - 8
      }
    }
  }
}

/** By channel and pixel of the cut, the mean of the skin around. @param width as of `soften` @param sigma in face widths */
function skinAround(cut: SourceCut, width: number, sigma: number): [Float32Array, Float32Array, Float32Array] {
  const rgb = shrink(cut, side)
  const skin = new Float32Array(side * side)
  fillPolygon(skin, side, polygonOf(cut, faceOval, side), 0, 1)
  for (const loop of [rightEye, leftEye, outerLips])
    fillPolygon(skin, side, polygonOf(cut, loop, side), width * 0.012, 0)
  const share = skin.slice()
  blurField(share, side, side, width * sigma)
  const mean = (channel: number): Float32Array => {
    const sum = skin.map((value, pixel) => value * (rgb[pixel * 3 + channel] ?? 0))
    blurField(sum, side, side, width * sigma)
    return enlarge(
      sum.map((value, pixel) => value / Math.max(1e-3, share[pixel] ?? 0)),
      side,
      cut,
    )
  }
  return [mean(0), mean(1), mean(2)]
}
