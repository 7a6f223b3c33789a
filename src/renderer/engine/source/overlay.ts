/** @file Lays one picture of a face over another, and fills what the other doesn't show. */
import { meshPoints } from '../face/topology.ts'
import { blurField } from '../raster/blur.ts'
import { meshWithOpenings, withOpenings } from '../raster/mesh-weights.ts'
import { rasterise } from '../raster/raster.ts'
import { enlarge } from './enlarge.ts'
import type { SourceCut } from './source-face.ts'
import { mirrorOf } from '../face/mirror.ts'

/** Side of the working size for light, in pixels. */
const side = 128
/** Standard deviation of the light that is matched, in face widths. */
const lightSigma = 0.15
/** Weight of the whole face's light where both pictures show nothing nearby. */
const wholeWeight = 1e-3

/** The pixels of a picture of a face, warped onto the mesh of `onto`. RGBA; alpha is 0 outside the mesh. */
export function laidOver(
  picture: Pick<SourceCut, 'rgba' | 'width' | 'height' | 'points'>,
  onto: SourceCut,
): Uint8Array {
  const mesh = {
    triangles: meshWithOpenings,
    to: withOpenings(onto.points),
    from: withOpenings(picture.points),
    weights: new Float32Array(meshPoints * 2),
    flags: new Uint8Array(meshWithOpenings.length / 3),
  }
  const canvas = { left: 0, top: 0, width: onto.width, height: onto.height }
  const laid = new Uint8Array(onto.rgba.length)
  for (let channel = 0; channel < 4; channel += 1) {
    const data = new Uint8Array(picture.width * picture.height)
    for (let pixel = 0; pixel < data.length; pixel += 1) data[pixel] = picture.rgba[pixel * 4 + channel] ?? 0
    const out = new Uint8Array(onto.width * onto.height)
    rasterise(mesh, canvas, { data, width: picture.width, height: picture.height }, out, null)
    for (let pixel = 0; pixel < out.length; pixel += 1) laid[pixel * 4 + channel] = out[pixel] ?? 0
  }
  return laid
}

/**
 * Fills what `cut` doesn't show with what `other` shows, in the light of `cut`, in place. Alpha stays as it is.
 * @returns the share that was filled of each pixel, 0…1
 */
export function fillFrom(cut: SourceCut, other: Uint8Array): Float32Array {
  const { rgba } = cut
  const shares = new Float32Array(cut.width * cut.height)
  for (let pixel = 0; pixel < shares.length; pixel += 1)
    shares[pixel] = (1 - (rgba[pixel * 4 + 3] ?? 0) / 255) * ((other[pixel * 4 + 3] ?? 0) / 255)
  drawLit(cut, other, shares)
  return shares
}

/** A copy of the cut's pixels with all that `other` shows drawn over them, in the light of `cut`. */
export function drawnOver(cut: SourceCut, other: Uint8Array): Uint8ClampedArray {
  const copy = { ...cut, rgba: cut.rgba.slice() }
  const shares = Float32Array.from({ length: cut.width * cut.height }, (_, pixel) => (other[pixel * 4 + 3] ?? 0) / 255)
  drawLit(copy, other, shares)
  return copy.rgba
}

/** Draws a share of each pixel of `other` into `cut`, in the light of `cut`, in place. A share below 0.01 becomes 0. */
function drawLit(cut: SourceCut, other: Uint8Array, shares: Float32Array): void {
  const { rgba } = cut
  const gains = [0, 1, 2].map((channel) => gainOf(cut, other, channel))
  for (let pixel = 0; pixel < shares.length; pixel += 1) {
    const at = pixel * 4
    const share = shares[pixel] ?? 0
    if (share < 0.01) {
      shares[pixel] = 0
      continue
    }
    for (let channel = 0; channel < 3; channel += 1) {
      const filled = (other[at + channel] ?? 0) * (gains[channel]?.[pixel] ?? 1)
      rgba[at + channel] = (rgba[at + channel] ?? 0) + (filled - (rgba[at + channel] ?? 0)) * share
    }
  }
}

/** By pixel, the light of `cut` over that of `other` in one channel, measured where both show the face. */
function gainOf(cut: SourceCut, other: Uint8Array, channel: number): Float32Array {
  const [own, theirs] = [new Float32Array(side * side), new Float32Array(side * side)]
  let [ownSum, theirSum] = [0, 0]
  for (let cell = 0; cell < side * side; cell += 1) {
    const x = Math.floor((((cell % side) + 0.5) * cut.width) / side)
    const y = Math.floor(((Math.floor(cell / side) + 0.5) * cut.height) / side)
    const at = (y * cut.width + x) * 4
    const both = ((cut.rgba[at + 3] ?? 0) * (other[at + 3] ?? 0)) / 65025
    own[cell] = both * (cut.rgba[at + channel] ?? 0)
    theirs[cell] = both * (other[at + channel] ?? 0)
    ownSum += own[cell] ?? 0
    theirSum += theirs[cell] ?? 0
  }
  const faceWidth = Math.abs((cut.points[454 * 3] ?? 0) - (cut.points[234 * 3] ?? 0))
  const sigma = Math.max(1, ((faceWidth * side) / cut.width) * lightSigma)
  for (const field of [own, theirs]) blurField(field, side, side, sigma)
  const whole = wholeWeight / (side * side)
  const gain = own.map(
    (value, cell) => (value + ownSum * whole + 1e-6) / ((theirs[cell] ?? 0) + theirSum * whole + 1e-6),
  )
  return enlarge(gain, side, cut)
}

/**
 * The other half of a face at each place shows what one half doesn't, such as a brow below hair: the face's mirror image
 * on its own mesh. RGBA, as large as the cut; alpha is 0 outside the mesh.
 */
export function otherHalf(cut: SourceCut): Uint8Array {
  const points = cut.points.slice()
  for (let point = 0; point < meshPoints; point += 1) {
    const other = (mirrorOf[point] ?? point) * 3
    points.set(cut.points.subarray(other, other + 3), point * 3)
  }
  return laidOver({ ...cut, points }, cut)
}
