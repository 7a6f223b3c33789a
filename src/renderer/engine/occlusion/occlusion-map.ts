/** @file Occlusion maps: what covers a face on one frame, projected to other frames of the same face. */
import { compose, similarity, type Affine } from '../common/affine.ts'
import { segmentSide } from '../face/region.ts'
import { skinFlag } from '../raster/mesh-weights.ts'
import type { Canvas } from '../media/pixels/planes.ts'

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
}

/** An occlusion map placed on a frame to be rendered. */
export interface ProjectedOcclusion {
  share: Uint8Array
  /** Maps the frame's coded pixels to map pixels. */
  toMap: Affine
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
      ? [{ share: map.share, toMap: compose(map.toMap, similarity(here, map.anchors)), weight }]
      : [],
  )
}

/** Pixels covered by more than this, 0…255, are excluded from the statistics of light and skin tone. */
const silentFrom = 64

/**
 * Occlusion of each pixel, 0…255, where the mask isn't 0.
 * @param mask drawn by a swap method (see `SwappedFace`), over `canvas`, at half the frame's size
 */
export function coverOver(occlusions: readonly ProjectedOcclusion[], canvas: Canvas, mask: Uint8Array): Uint8Array {
  const { left, top, width, height } = canvas
  const cover = new Uint8Array(width * height)
  for (let row = 0; row < height; row += 1) {
    for (const { share, toMap, weight } of occlusions) {
      // A mask pixel is two frame pixels wide. Pixel centres are at .5.
      const y = (top + row + 0.5) * 2
      const x = (left + 0.5) * 2
      const u = toMap.a * x + toMap.b * y + toMap.c - 0.5
      const v = toMap.d * x + toMap.e * y + toMap.f - 0.5
      addRow(share, Math.round(weight * 256), u, v, toMap.a * 2, toMap.d * 2, cover, mask, row * width, width)
    }
  }
  return cover
}

/** Removes the mask where the face is covered, in place. */
export function keepOcclusion(cover: Uint8Array, mask: Uint8Array): void {
  for (let pixel = 0; pixel < mask.length; pixel += 1) {
    const covered = cover[pixel] ?? 0
    if (covered === 0) continue
    const was = mask[pixel] ?? 0
    const kept = (((was & 252) * (255 - covered)) >> 8) & 252
    mask[pixel] = kept < 4 ? 0 : kept | (covered > silentFrom ? was & 3 & ~skinFlag : was & 3)
  }
}

/**
 * Adds a map's values along one row where the mask isn't 0. Bilinear, in 16.16 fixed point.
 * @param weight 0…256
 */
function addRow(
  share: Uint8Array,
  weight: number,
  u: number,
  v: number,
  stepU: number,
  stepV: number,
  cover: Uint8Array,
  mask: Uint8Array,
  start: number,
  width: number,
): void {
  const max = (segmentSide - 1) * 65536 - 1
  const [du, dv] = [Math.round(stepU * 65536), Math.round(stepV * 65536)]
  let fixedU = Math.round(u * 65536)
  let fixedV = Math.round(v * 65536)
  for (let pixel = start; pixel < start + width; pixel += 1, fixedU += du, fixedV += dv) {
    if (mask[pixel] === 0) continue
    const x = fixedU < 0 ? 0 : fixedU > max ? max : fixedU
    const y = fixedV < 0 ? 0 : fixedV > max ? max : fixedV
    const at = (y >> 16) * segmentSide + (x >> 16)
    const p = share[at] ?? 0
    const q = share[at + 1] ?? 0
    const r = share[at + segmentSide] ?? 0
    const s = share[at + segmentSide + 1] ?? 0
    if ((p | q | r | s) === 0) continue
    const fx = (x >> 8) & 255
    const fy = (y >> 8) & 255
    const upper = (p << 8) + (q - p) * fx
    const lower = (r << 8) + (s - r) * fx
    cover[pixel] = (cover[pixel] ?? 0) + (((((upper << 8) + (lower - upper) * fy) >> 16) * weight) >> 8)
  }
}
