/**
 * @file Pictures of the source's eyes, stored below the prepared face. Each iris is completed where the lids hide it, so
 * that it can look in any direction.
 */
import { mirrorOf } from '../face/mirror.ts'
import { eyes, type Eye } from '../face/topology.ts'
import { erode, fillPolygon, smooth } from './clean-source.ts'
import type { SourceCut } from './source-face.ts'

/** One eye in the pixels of a cut. */
export interface SourceEye {
  /** x, y of the 16 points of `Eye.lids`, in that order. */
  lids: Float32Array
  iris: Iris
  /** The picture is the mirror image of the other eye. */
  isMirrored: boolean
}

interface Iris {
  /** Centre. */
  x: number
  y: number
  radius: number
}

/** Height to width of an opening below which an eye counts as shut. */
const minOpenness = 0.12
/** Side of an eye's picture, in widths of the eye. */
const sideInWidths = 1.7
/** Radius up to which the iris and the white around it are completed, in radii of the iris. */
const completedTo = 1.35
/** Strip along the lids, in radii of the iris, that lashes and shadow hide. */
const lashes = 0.1

/**
 * Adds the pictures of both eyes below the prepared face.
 * @param cut where the eyes are as in the picture, before the head is turned
 * @param front the prepared face
 * @param isHidden whether the turn of the head hides an eye
 * @returns `front` unchanged if no eye can be used. If one can, its mirror image is the other.
 */
export function withEyes(cut: SourceCut, front: SourceCut, isHidden: (eye: Eye) => boolean): SourceCut {
  const [right, left] = eyes
  const usable = eyes.filter((eye) => !isHidden(eye) && opennessOf(cut, eye) >= minOpenness)
  if (usable.length === 0) return front
  const size = Math.ceil(Math.max(...usable.map((eye) => axisOf(cut, eye).width)) * sideInWidths)
  const rgba = new Uint8ClampedArray(front.width * (front.height + size) * 4)
  rgba.set(front.rgba)
  const pictureOf = (eye: Eye, other: Eye, left: number): SourceEye => {
    const isMirrored = !usable.includes(eye)
    const seen = isMirrored ? other : eye
    const { x, y } = axisOf(cut, seen)
    const from = { x: Math.round(x - size / 2), y: Math.round(y - size / 2) }
    const at = (point: number): Point => [
      (cut.points[point * 3] ?? 0) - from.x,
      (cut.points[point * 3 + 1] ?? 0) - from.y,
    ]
    const [[irisX, irisY], ...around] = seen.iris.map(at) as [Point, ...Point[]]
    const radius = around.reduce((sum, [px, py]) => sum + Math.hypot(px - irisX, py - irisY), 0) / around.length
    const picture = squareOf(cut, from, size)
    completeIris(picture, size, seen.lids.map(at), { x: irisX, y: irisY, radius })
    for (let row = 0; row < size; row += 1)
      rgba.set(picture.subarray(row * size * 4, (row + 1) * size * 4), ((front.height + row) * front.width + left) * 4)
    const lids = eye.lids.flatMap((point) => {
      const [px, py] = at(isMirrored ? (mirrorOf[point] ?? point) : point)
      return [px + left, py + front.height]
    })
    const iris = { x: irisX + left, y: irisY + front.height, radius }
    return { lids: Float32Array.from(lids), iris, isMirrored }
  }
  const both = [pictureOf(right, left, 0), pictureOf(left, right, size)] as const
  return { ...front, rgba, height: front.height + size, eyes: both }
}

type Point = readonly [number, number]

/** Middle between the corners of an eye, and the distance between them. */
function axisOf({ points }: SourceCut, { lids }: Eye): { x: number; y: number; width: number } {
  const at = (point: number, axis: number): number => points[point * 3 + axis] ?? 0
  const [a, b] = [lids[0], lids[8]]
  const width = Math.hypot(at(a, 0) - at(b, 0), at(a, 1) - at(b, 1))
  return { x: (at(a, 0) + at(b, 0)) / 2, y: (at(a, 1) + at(b, 1)) / 2, width }
}

function opennessOf(cut: SourceCut, eye: Eye): number {
  const at = (point: number, axis: number): number => cut.points[point * 3 + axis] ?? 0
  const [a, b] = [eye.lids[4], eye.lids[12]]
  return Math.hypot(at(a, 0) - at(b, 0), at(a, 1) - at(b, 1)) / Math.max(1e-6, axisOf(cut, eye).width)
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
 * is seen, else with the mean at the same distance from the centre.
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
    for (let c = 0; c < 3; c += 1) {
      const mean = (sums[ring + c] ?? 0) / Math.max(1e-3, sums[ring + 3] ?? 0)
      const filled = mean + ((before[other * 4 + c] ?? mean) - mean) * otherSeen
      const own = before[spot * 4 + c] ?? 0
      rgba[spot * 4 + c] = filled + (own - filled) * (seen[spot] ?? 0)
    }
  }
}
