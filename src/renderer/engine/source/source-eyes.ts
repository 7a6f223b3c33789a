/**
 * @file Pictures of the source's eyes. Each iris is completed where the lids hide it, so that it can look in any
 * direction.
 */
import { mirrorOf } from '../face/mirror.ts'
import { opennessOf } from '../face/landmarks.ts'
import { eyes, type Eye } from '../face/topology.ts'
import { fillPolygon } from '../common/polygon.ts'
import { erode, smooth } from './clean-source.ts'
import type { Iris, SourceCut, SourceEye } from './source-face.ts'

/** Openness below which an eye counts as shut: its height is about an eighth of its width. */
const minOpenness = 0.6
/** Side of an eye's picture, in widths of the eye. */
const sideInWidths = 1.7
/** Radius up to which the iris and the white around it are completed, in radii of the iris. */
const completedTo = 1.35
/** Strip along the lids, in radii of the iris, that lashes and shadow hide. */
const lashes = 0.1
/** Share of the light that the upper lid takes from what it hides, should the video's eye open further. */
const lidShadow = 0.45

/**
 * The pictures of both eyes; null if neither can be used. If one can, the other is its mirror image.
 * @param cut where the eyes are as in the picture, before the head is turned
 * @param isHidden whether the turn of the head hides an eye
 */
export function eyesOf(cut: SourceCut, isHidden: (eye: Eye) => boolean): readonly [SourceEye, SourceEye] | null {
  const usable = eyes.filter((eye) => !isHidden(eye) && opennessOf(eye.lids, cut.points, 3) >= minOpenness)
  if (usable.length === 0) return null
  const [right, left] = eyes
  const pictureOf = (eye: Eye, other: Eye): SourceEye => {
    const isMirrored = !usable.includes(eye)
    const seen = isMirrored ? other : eye
    const { x, y, width } = axisOf(cut, seen)
    const side = Math.ceil(width * sideInWidths)
    const from = { x: Math.round(x - side / 2), y: Math.round(y - side / 2) }
    const at = (point: number): Point => [
      (cut.points[point * 3] ?? 0) - from.x,
      (cut.points[point * 3 + 1] ?? 0) - from.y,
    ]
    const [[irisX, irisY], ...around] = seen.iris.map(at) as [Point, ...Point[]]
    const radius = around.reduce((sum, [px, py]) => sum + Math.hypot(px - irisX, py - irisY), 0) / around.length
    const iris = { x: irisX, y: irisY, radius }
    const rgba = squareOf(cut, from, side)
    completeIris(rgba, side, seen.lids.map(at), iris)
    const lids = Float32Array.from(eye.lids.flatMap((lid) => at(isMirrored ? (mirrorOf[lid] ?? lid) : lid)))
    return { rgba, side, lids, iris, isMirrored }
  }
  return [pictureOf(right, left), pictureOf(left, right)]
}

type Point = readonly [number, number]

/** Middle between the corners of an eye, and the distance between them. */
function axisOf({ points }: SourceCut, { lids }: Eye): { x: number; y: number; width: number } {
  const at = (point: number, axis: number): number => points[point * 3 + axis] ?? 0
  const [a, b] = [lids[0], lids[8]]
  const width = Math.hypot(at(a, 0) - at(b, 0), at(a, 1) - at(b, 1))
  return { x: (at(a, 0) + at(b, 0)) / 2, y: (at(a, 1) + at(b, 1)) / 2, width }
}

/** RGBA of a square of the cut; beyond its border the border's pixels repeat. */
function squareOf(cut: SourceCut, from: { x: number; y: number }, size: number): Uint8ClampedArray {
  const square = new Uint8ClampedArray(size * size * 4)
  for (let spot = 0; spot < size * size; spot += 1) {
    const x = Math.min(cut.width - 1, Math.max(0, from.x + (spot % size)))
    const y = Math.min(cut.height - 1, Math.max(0, from.y + Math.floor(spot / size)))
    for (let c = 0; c < 4; c += 1) square[spot * 4 + c] = cut.rgba[(y * cut.width + x) * 4 + c] ?? 0
  }
  return square
}

/**
 * Fills what the lids hide of the iris, in place: with the pixel on the other side of its horizontal axis where that one
 * is seen, else with the mean at the same distance from the centre. What the upper lid hides lies in its shadow.
 */
function completeIris(rgba: Uint8ClampedArray, size: number, lids: readonly Point[], iris: Iris): void {
  const inside = new Float32Array(size * size)
  fillPolygon(inside, size, lids, 0, 1)
  const strip = Math.max(1, Math.round(iris.radius * lashes))
  const seen = smooth(erode(inside, size, strip), size, strip)
  const before = rgba.slice()
  const spots: { spot: number; ring: number }[] = []
  /** By distance in pixels: the sums of red, green and blue, and of the weights. */
  const sums = new Float32Array((Math.ceil(iris.radius * completedTo) + 1) * 4)
  for (let spot = 0; spot < size * size; spot += 1) {
    const away = Math.hypot((spot % size) + 0.5 - iris.x, Math.floor(spot / size) + 0.5 - iris.y)
    if (away >= iris.radius * completedTo) continue
    const ring = Math.floor(away) * 4
    spots.push({ spot, ring })
    const weight = seen[spot] ?? 0
    for (let c = 0; c < 3; c += 1) sums[ring + c] = (sums[ring + c] ?? 0) + weight * (before[spot * 4 + c] ?? 0)
    sums[ring + 3] = (sums[ring + 3] ?? 0) + weight
  }
  // A distance at which nothing is seen takes the colour of the one before it.
  for (let ring = 4; ring < sums.length; ring += 4)
    if ((sums[ring + 3] ?? 0) < 0.5) sums.copyWithin(ring, ring - 4, ring)
  for (const { spot, ring } of spots) {
    const other = Math.floor(2 * iris.y - Math.floor(spot / size) - 0.5) * size + (spot % size)
    const otherSeen = seen[other] ?? 0
    const light = other > spot ? 1 - lidShadow : 1
    for (let c = 0; c < 3; c += 1) {
      const mean = (sums[ring + c] ?? 0) / Math.max(1e-3, sums[ring + 3] ?? 0)
      const filled = (mean + ((before[other * 4 + c] ?? mean) - mean) * otherSeen) * light
      const own = before[spot * 4 + c] ?? 0
      rgba[spot * 4 + c] = filled + (own - filled) * (seen[spot] ?? 0)
    }
  }
}
