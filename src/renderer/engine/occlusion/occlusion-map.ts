/** @file Occlusion maps: what covers a face on one frame, projected to other frames of the same face. */
import { compose, similarity, type Affine } from '../common/affine.ts'
import { segmentSide } from '../face/region.ts'
import { meshPoints, ringOf } from '../face/topology.ts'
import { kernels, Room } from '../kernels/kernels.ts'
import { skinFlag } from '../raster/mesh-weights.ts'
import type { Canvas } from '../common/canvas.ts'

/** The occlusion of a face on one frame. */
export interface OcclusionMap {
  index: number
  shot: number
  /** x, y of `anchors` in coded pixels. */
  anchors: Float32Array
  /** Maps coded pixels to map pixels. */
  toMap: Affine
  /** `segmentSide`² values, 0 for face … 255 for fully covered; null without occlusion. */
  share: Uint8Array | null
  /** How much of the middle of the face is covered, 0…1, apart from glasses. */
  covered: number
  /** Glasses are kept in front. */
  hasGlasses: boolean
}

/** An occlusion map placed on a frame to be rendered. */
export interface ProjectedOcclusion {
  share: Uint8Array
  /** Maps the frame's coded pixels to map pixels. */
  toMap: Affine
  /** See `OcclusionMap`. */
  covered: number
  hasGlasses: boolean
  /** 0…1; the weights of one frame's maps add up to at most 1. */
  weight: number
}

/** Landmarks that hardly move relative to the skull: corners of the eyes, bridge of the nose, temples, forehead. */
const anchors = [33, 133, 263, 362, 168, 6, 197, 127, 356, 10, 151]

/** @param points x, y of the mesh's points in coded pixels */
export const anchorsOf = (points: Float32Array): Float32Array =>
  Float32Array.from(anchors.flatMap((point) => [points[point * 2] ?? 0, points[point * 2 + 1] ?? 0]))

/**
 * The occlusion maps of a frame: the last one before it, cross-faded to the next one over the `reach` frames before
 * that. Maps of another shot are ignored.
 * @param reach length of the cross-fade in frames
 * @param points x, y of the mesh's points in coded pixels
 */
export function projectOcclusions(
  { before, after }: { before: OcclusionMap | null; after: OcclusionMap | null },
  { index, shot, reach }: { index: number; shot: number; reach: number },
  points: Float32Array,
): ProjectedOcclusion[] {
  const [first, second] = [before, after].map((map) => (map?.shot === shot ? map : null))
  const from = first && second ? Math.max(first.index, second.index - reach) : index
  const later = first && second ? Math.max(0, index - from) / (second.index - from) : first ? 0 : 1
  const here = anchorsOf(points)
  return [
    { map: first, weight: 1 - later },
    { map: second, weight: later },
  ].flatMap(({ map, weight }) =>
    map?.share && weight > 0
      ? [
          {
            ...{ share: map.share, covered: map.covered, hasGlasses: map.hasGlasses, weight },
            toMap: compose(map.toMap, similarity(here, map.anchors)),
          },
        ]
      : [],
  )
}

/** From this ring inwards, hair over the forehead and the soft edge of the mask don't count. */
export const centralRing = 3
const central = Array.from({ length: meshPoints }, (_, point) => point).filter(
  (point) => (ringOf[point] ?? 0) >= centralRing,
)

/**
 * Mean occlusion of the landmarks in the middle of the face, 0…1.
 * @param share of an `OcclusionMap`, as `toMap`
 * @param points x, y of the mesh's points in coded pixels
 */
export function coveredShare(share: Uint8Array, { a, b, c, d, e, f }: Affine, points: Float32Array): number {
  let sum = 0
  for (const point of central) {
    const [x, y] = [points[point * 2] ?? 0, points[point * 2 + 1] ?? 0]
    const [column, row] = [Math.floor(a * x + b * y + c), Math.floor(d * x + e * y + f)]
    if (column < 0 || row < 0 || column >= segmentSide || row >= segmentSide) continue
    sum += (share[row * segmentSide + column] ?? 0) / 255
  }
  return sum / central.length
}

/** How much of the middle of the face is covered on a frame, 0…1, apart from glasses. */
export const coveredBy = (occlusions: readonly ProjectedOcclusion[]): number =>
  occlusions.reduce((sum, { covered, weight }) => sum + covered * weight, 0)

/** Pixels covered by more than this, 0…255, are excluded from the statistics of light and skin tone. */
const silentFrom = 64

/** Radius, in pixels of the map, of the windows in which the cover follows the picture's edges. */
const guideRadius = 1.75
/** Variance of luma, in levels squared, that is noise. */
const guideNoise = 64

/**
 * Occlusion of each pixel, 0…255, where the mask isn't 0. The maps are coarse: with glasses, whose rims are thin, edges are brought
 * to those of the picture. Without, a mouth that is mistaken for something in front would take its lips along.
 * @param canvas at half the frame's size
 * @param mask drawn by a swap method (see `SwappedFace`), over the canvas
 * @param luma of the frame, over the canvas, at full size
 */
export function coverOver(
  occlusions: readonly ProjectedOcclusion[],
  { left, top, width, height }: Canvas,
  mask: Uint8Array,
  luma: Uint8Array,
): Uint8Array {
  const room = new Room()
  const hasGlasses = occlusions.some((each) => each.hasGlasses)
  const [under, cover] = [room.copy(mask), room.copy(new Uint8Array(mask.length))]
  // Windows of the filter reach beyond the mask.
  const within = hasGlasses ? room.copy(new Uint8Array(mask.length).fill(1)) : under
  let cell = 0
  for (const { share, toMap, weight } of occlusions) {
    const { a, b, c, d, e, f } = toMap
    const map = [room.copy(share), segmentSide, Math.round(weight * 256), a, b, c, d, e, f] as const
    kernels.add_cover(...map, left, top, width, height, within, cover)
    cell = Math.max(cell, 0.5 / Math.hypot(a, d))
  }
  if (hasGlasses) {
    const radius = Math.max(1, Math.round((cell / 2) * guideRadius))
    const light = room.copy(luma)
    const size = 16 * Math.ceil(width / 2) * Math.ceil(height / 2)
    const [values, rows] = [room.take(size), room.take(size)]
    kernels.guide_cover(cover, under, light, width, height, values, rows, radius, guideNoise)
  }
  return room.bytes(cover, mask.length).slice()
}

/** Removes the mask where the face is covered, in place. */
export function keepOcclusion(cover: Uint8Array, mask: Uint8Array): void {
  const room = new Room()
  const [over, at] = [room.copy(cover), room.copy(mask)]
  kernels.keep_cover(over, at, mask.length, silentFrom, skinFlag)
  mask.set(room.bytes(at, mask.length))
}
