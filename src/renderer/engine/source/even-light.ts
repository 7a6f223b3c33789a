/**
 * @file Makes the light on a source's face even. Light from one side draws a line along the nose, a shadow below a cheek
 * bone or a shine on one cheek, which don't belong on a face that is lit in another way.
 */
import { faceOval, leftBrow, leftEye, outerLips, rightBrow, rightEye } from '../face/topology.ts'
import { fillPolygon } from '../common/polygon.ts'
import { smoothstep } from '../common/smoothstep.ts'
import { blurField } from '../raster/blur.ts'
import { polygonOf, shrink } from './clean-source.ts'
import { enlarge } from './enlarge.ts'
import type { SourceCut } from './source-face.ts'

/** Side of the working size in pixels. */
const side = 256
/** Standard deviations, in face widths, of the means that are compared: of a place, and of the skin around. */
const nearSigma = 0.02
const aroundSigma = 0.13
/** Features aren't compared, because brows and mouths may be uneven. They are grown by this much, in face widths. */
const featureMargin = 0.02
/** Standard deviation, in face widths, of the mean of the changes around a brow, which gets the same light. */
const browSigma = 0.04
/** Share that a place has of the difference of both halves together (squares) over which the other half counts more and more. */
const unevenFrom = 0.35
const unevenTo = 0.65
/** Share of the change that is made. */
const removed = 0.8
/** Depth of shadows near the face's outline, in log light, from which they are removed. */
const outlineKnee = 0.04
/** Standard deviation, in face widths, of the blur of the face's area, and what it is within from where on the outline is near. */
const outlineSigma = 0.07
const outlineFrom = 0.9
const outlineTo = 0.6
/** Keeps the logarithm of dark pixels bounded. */
const floor = 8

/**
 * Where a place of skin differs from the skin around it, the same place of the other half often differs less or the other way.
 * Each place gets the mean of both; near the outline the smaller one, and no shadow of hair or ears. A brow gets the light that
 * the skin around it gets. Changes the cut in place.
 * @param other the face's other half, as of `otherHalf`
 */
export function evenLight(cut: SourceCut, other: Uint8Array): void {
  const width = (Math.abs((cut.points[454 * 3] ?? 0) - (cut.points[234 * 3] ?? 0)) * side) / cut.width
  const skin = new Float32Array(side * side)
  fillPolygon(skin, side, polygonOf(cut, faceOval, side), 0, 1)
  const inner = skin.slice()
  blurField(inner, side, side, width * outlineSigma)
  for (const loop of [rightBrow, leftBrow, rightEye, leftEye, outerLips])
    fillPolygon(skin, side, polygonOf(cut, loop, side), width * featureMargin, 0)
  const own = shrink(cut, side)
  const mirrored = shrink({ ...cut, rgba: new Uint8ClampedArray(other) }, side)
  const change = [0, 1, 2].map((channel) => {
    const across = differences(mirrored, channel, skin, width)
    return differences(own, channel, skin, width).map((value, pixel) => {
      const better = across[pixel] ?? 0
      const near = smoothstep(outlineFrom, outlineTo, inner[pixel] ?? 0)
      const uneven = value ** 2 / (value ** 2 + better ** 2 + 1e-6)
      const share = 0.5 + (smoothstep(unevenFrom, unevenTo, uneven) - 0.5) * near
      const even = value + (better - value) * share
      return (even + Math.max(0, -outlineKnee - even) * near - value) * removed
    })
  })
  const { rgba } = cut
  const brows = new Float32Array(side * side)
  for (const loop of [rightBrow, leftBrow])
    fillPolygon(brows, side, polygonOf(cut, loop, side), width * featureMargin, 1)
  const lit = skin.slice()
  blurField(lit, side, side, width * browSigma)
  for (const [channel, field] of change.entries()) {
    for (const [pixel, value] of skin.entries()) field[pixel] = (field[pixel] ?? 0) * value
    const around = field.slice()
    blurField(around, side, side, width * browSigma)
    for (const [pixel, value] of brows.entries())
      if (value > 0) field[pixel] = (around[pixel] ?? 0) / Math.max(1e-2, lit[pixel] ?? 0)
    blurField(field, side, side, width * nearSigma)
    const changes = enlarge(field, side, cut)
    for (let pixel = 0; pixel < changes.length; pixel += 1) {
      const change = changes[pixel] ?? 0
      if (change === 0) continue
      const at = pixel * 4 + channel
      rgba[at] = ((rgba[at] ?? 0) + floor) * Math.exp(change) - floor
    }
  }
}

/** How much lighter each place is than the skin around it, in log light of a channel. */
function differences(rgb: Float32Array, channel: number, skin: Float32Array, width: number): Float32Array {
  const pixels = side * side
  /** The skin's share of each pixel, then its light. */
  const near = new Float32Array(2 * pixels)
  near.set(skin)
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    const share = skin[pixel] ?? 0
    if (share > 0) near[pixels + pixel] = share * Math.log((rgb[pixel * 3 + channel] ?? 0) + floor)
  }
  const around = near.slice()
  blurField(near, side, side, width * nearSigma)
  blurField(around, side, side, width * aroundSigma)
  const mean = (of: Float32Array, pixel: number): number => (of[pixels + pixel] ?? 0) / Math.max(1e-3, of[pixel] ?? 0)
  const differences = new Float32Array(pixels)
  for (let pixel = 0; pixel < pixels; pixel += 1) differences[pixel] = mean(near, pixel) - mean(around, pixel)
  return differences
}
