/** @file Keeps only skin, features and glasses on the source crop. Hair and background are filled from nearby skin. */
import { segmentSide } from '../face/region.ts'
import { leftBrow, leftEye, outerLips, rightBrow, rightEye } from '../face/topology.ts'
import { lumaAt } from '../common/luma.ts'
import { fillPolygon, type Polygon } from '../common/polygon.ts'
import { blurField } from '../raster/blur.ts'
import { enlarge } from './enlarge.ts'
import { pullPush } from './pull-push.ts'
import type { SourceCut } from './source-face.ts'

/** Side of the working size in pixels. */
const side = 256

/** Alpha from which a pixel counts as part of the picture. */
const opaque = 128

/** Share of the skin's median luma below which a pixel beside the eyes counts as shadow. */
const shadowLimit = 0.33

/** Share of the luma of the skin around below which a pixel beside hair belongs to a strand. */
const strandLimit = 0.88
/** How far a strand is followed, in face widths. */
const strandReach = 0.12
/** Standard deviation, in face widths, of the mean of the skin around. */
const skinAround = 0.06

/** Landmarks of the nose's outline: tip, wings and nostrils. */
const nose = [98, 64, 49, 209, 198, 236, 3, 195, 248, 456, 420, 429, 279, 294, 327, 326, 2, 97]

/** Features are kept whatever the segmenter says. `margin` grows them, in face widths. */
const features: readonly { outline: readonly number[]; margin: number }[] = [
  { outline: rightEye, margin: 0.015 },
  { outline: leftEye, margin: 0.015 },
  { outline: outerLips, margin: 0.03 },
  { outline: nose, margin: 0.03 },
]

/**
 * Fills everything that isn't skin or a feature, in place. Alpha becomes the share of the face's own pixels.
 * @param face the segmenter's confidence in a face, `segmentSide`² values, 0…255
 * @param glasses the same in glasses, which stay; null: none
 */
export function cleanSource(cut: SourceCut, face: Uint8Array, glasses: Uint8Array | null = null): void {
  const scale = side / cut.width
  const surely = (values: Uint8Array): Float32Array =>
    enlarge(Float32Array.from(values), segmentSide, { width: side, height: side }).map((value) => (value > 127 ? 1 : 0))
  const worn = glasses && surely(glasses)
  const known = surely(glasses ? face.map((value, pixel) => value + (glasses[pixel] ?? 0)) : face)
  leaveOutBeyond(known, cut)
  if (known.reduce((sum, value) => sum + value, 0) < side * side * 0.05) return
  const at = (point: number, axis: 0 | 1): number => (cut.points[point * 3 + axis] ?? 0) * scale
  const outlineOf = (loop: readonly number[]): Polygon => polygonOf(cut, loop, side)
  const faceWidth = Math.abs(at(454, 0) - at(234, 0))
  const rgb = shrink(cut, side)
  const isWorn = (pixel: number): boolean => (worn?.[pixel] ?? 0) > 0
  removeShadows(known, rgb, isWorn, { left: at(33, 0), right: at(263, 0), bottom: at(2, 1) })
  const browsOf = (margin: number): Float32Array => {
    const brows = new Float32Array(side * side)
    for (const outline of [rightBrow, leftBrow]) fillPolygon(brows, side, outlineOf(outline), faceWidth * margin, 1)
    return brows
  }
  const kept = browsOf(0.025).map((brow, pixel) => (isWorn(pixel) ? 1 : brow))
  removeStrands(known, rgb, kept, { bottom: Math.min(at(159, 1), at(386, 1)), faceWidth })
  // Pixels at the edge of the skin are mixed with their surroundings.
  const grown = erode(known, side, 4)
  const hanging = reachedFromBorder(known)
  for (const [pixel, brow] of browsOf(0).entries()) if (brow > 0 && (hanging[pixel] ?? 0) === 0) grown[pixel] = 1
  for (const { outline, margin } of features) fillPolygon(grown, side, outlineOf(outline), faceWidth * margin, 1)
  const soft = smooth(smooth(grown, side, 3), side, 2)
  pullPush(rgb, grown, side, side)
  const { rgba } = cut
  const shares = enlarge(soft, side, cut)
  for (let pixel = 0; pixel < shares.length; pixel += 1) {
    const share = (rgba[pixel * 4 + 3] ?? 0) < opaque ? 0 : (shares[pixel] ?? 1)
    shares[pixel] = share
    rgba[pixel * 4 + 3] = 255 * share
  }
  for (let c = 0; c < 3; c += 1) {
    const fills = enlarge(rgb, side, cut, 3, c)
    for (let pixel = 0; pixel < shares.length; pixel += 1) {
      const share = shares[pixel] ?? 1
      if (share >= 0.999) continue
      const fill = fills[pixel] ?? 0
      rgba[pixel * 4 + c] = fill + ((rgba[pixel * 4 + c] ?? 0) - fill) * share
    }
  }
}

/** Removes what lies beyond the picture's edges, or is transparent, from the mask: a picture may end at the forehead. */
function leaveOutBeyond(known: Float32Array, { rgba, width, height }: SourceCut): void {
  for (let pixel = 0; pixel < known.length; pixel += 1) {
    const x = Math.floor((((pixel % side) + 0.5) * width) / side)
    const y = Math.floor(((Math.floor(pixel / side) + 0.5) * height) / side)
    if ((rgba[(y * width + x) * 4 + 3] ?? 0) < opaque) known[pixel] = 0
  }
}

/**
 * What isn't face and hangs together with the border of the crop: hair that lies over a brow. Brows that the segmenter takes
 * for hair don't.
 * @returns 1 for such pixels, else 0
 */
function reachedFromBorder(known: Float32Array): Float32Array {
  const reached = new Float32Array(known.length)
  const next: number[] = []
  const visit = (pixel: number): void => {
    if ((known[pixel] ?? 1) > 0 || (reached[pixel] ?? 1) > 0) return
    reached[pixel] = 1
    next.push(pixel)
  }
  for (let at = 0; at < side; at += 1)
    for (const pixel of [at, (side - 1) * side + at, at * side, at * side + side - 1]) visit(pixel)
  for (let pixel = next.pop(); pixel !== undefined; pixel = next.pop()) {
    if (pixel % side > 0) visit(pixel - 1)
    if (pixel % side < side - 1) visit(pixel + 1)
    visit(pixel - side)
    visit(pixel + side)
  }
  return reached
}

/**
 * Removes skin far darker than the rest from the mask, to the `left` and `right` of the eyes and above `bottom`. On
 * another face this shadow of hair and temples would look like dirt. Dark glasses stay.
 */
function removeShadows(
  known: Float32Array,
  rgb: Float32Array,
  isWorn: (pixel: number) => boolean,
  { left, right, bottom }: { left: number; right: number; bottom: number },
): void {
  const lumas: number[] = []
  for (const [pixel, value] of known.entries()) if (value > 0) lumas.push(lumaAt(rgb, pixel))
  lumas.sort((a, b) => a - b)
  const limit = (lumas[lumas.length >> 1] ?? 0) * shadowLimit
  for (let pixel = 0; pixel < bottom * side; pixel += 1) {
    const column = pixel % side
    if ((column < left || column > right) && lumaAt(rgb, pixel) < limit && !isWorn(pixel)) known[pixel] = 0
  }
}

/**
 * Removes strands of hair that the segmenter took for skin from the mask: pixels above the eyes that are darker than the
 * skin around them and hang together with the hair. On another face, the tip of a strand would look like a scratch.
 * @param kept 1 where nothing is removed @param bottom the row of the upper lids
 */
function removeStrands(
  known: Float32Array,
  rgb: Float32Array,
  kept: Float32Array,
  { bottom, faceWidth }: { bottom: number; faceWidth: number },
): void {
  const luma = known.map((_, pixel) => lumaAt(rgb, pixel))
  const share = known.slice()
  const sum = known.map((value, pixel) => value * (luma[pixel] ?? 0))
  for (const field of [share, sum]) blurField(field, side, side, faceWidth * skinAround)
  const isStrand = (pixel: number): boolean =>
    known[pixel] === 1 &&
    kept[pixel] === 0 &&
    (luma[pixel] ?? 0) * (share[pixel] ?? 0) < strandLimit * (sum[pixel] ?? 0)
  const hair = reachedFromBorder(known)
  let rim = [...hair.keys()].filter((pixel) => hair[pixel] === 1)
  for (let step = 0; step < faceWidth * strandReach && rim.length > 0; step += 1) {
    const next: number[] = []
    for (const pixel of rim)
      for (const by of [-1, 1, -side, side, -side - 1, -side + 1, side - 1, side + 1]) {
        if (pixel + by >= bottom * side || !isStrand(pixel + by)) continue
        known[pixel + by] = 0
        next.push(pixel + by)
      }
    rim = next
  }
}

/** The outline of landmarks in a picture of the crop with `side` × `side` pixels. */
export function polygonOf({ points, width }: SourceCut, loop: readonly number[], side: number): Polygon {
  const scale = side / width
  return loop.map((point) => [(points[point * 3] ?? 0) * scale, (points[point * 3 + 1] ?? 0) * scale])
}

/** Samples the crop at `side` × `side` pixels: 3 floats (RGB) per pixel. */
export function shrink(cut: SourceCut, side: number): Float32Array {
  const scale = side / cut.width
  const rgb = new Float32Array(side * side * 3)
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      const x = Math.min(cut.width - 1, Math.floor((column + 0.5) / scale))
      const y = Math.min(cut.height - 1, Math.floor((row + 0.5) / scale))
      for (let c = 0; c < 3; c += 1) rgb[(row * side + column) * 3 + c] = cut.rgba[(y * cut.width + x) * 4 + c] ?? 0
    }
  }
  return rgb
}

/** Shrinks a mask of 0 and 1 by `radius` pixels. */
function erode(mask: Float32Array, side: number, radius: number): Float32Array {
  let from = mask
  for (const step of [1, side]) {
    const to = new Float32Array(from.length)
    for (let pixel = 0; pixel < from.length; pixel += 1) {
      let min = 1
      for (let offset = -radius; offset <= radius; offset += 1) min = Math.min(min, from[pixel + offset * step] ?? 1)
      to[pixel] = min
    }
    from = to
  }
  return from
}

/** Box blur of `radius` pixels. */
export function smooth(mask: Float32Array, side: number, radius: number): Float32Array {
  let from = mask
  for (const step of [1, side]) {
    const to = new Float32Array(from.length)
    for (let pixel = 0; pixel < from.length; pixel += 1) {
      let sum = 0
      for (let offset = -radius; offset <= radius; offset += 1) sum += from[pixel + offset * step] ?? from[pixel] ?? 0
      to[pixel] = sum / (2 * radius + 1)
    }
    from = to
  }
  return from
}
