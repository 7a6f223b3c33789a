/** @file Finds the glasses that a face wears. */
import { fillPolygon } from '../common/polygon.ts'
import { smoothstep } from '../common/smoothstep.ts'
import { blurField } from '../raster/blur.ts'
import { eyeArea, lensAreas, templeArea } from './flaws.ts'
import type { Points } from './landmarks.ts'
import { segmentSide, type Region } from './region.ts'

/** Width by which glasses may extend beyond the area around the eyes, as a share of the square's side. */
const margin = 0.03
/** Share of the area around the eyes in which the segmenter suspects things at least, and its least confidence there, 0…255. */
const minShare = 0.03
const suspected = 32
/** Confidence up to which nothing, and from which all is covered: lower than for other things, as there are glasses. */
const thing = [0.08, 0.35] as const
/** Share of the area below an eye that a rim covers: up to the first it isn't seen, from the second on it is. */
const rimShare = [0.06, 0.15] as const
/** Standard deviation of the edges of what is kept for a rim that isn't seen, in pixels of the square. */
const softness = 1.5

/** 1 for each pixel of the segmenter's square around the eyes, where glasses can be. */
export function aroundEyes(points: Points, region: Region): Float32Array {
  const around = new Float32Array(segmentSide * segmentSide)
  fillPolygon(around, segmentSide, eyeArea(points, region), segmentSide * margin, 1)
  return around
}

/**
 * The segmenter's confidence in glasses, `segmentSide`² values, 0…255; null if the face wears none.
 * @param things the segmenter's confidence in other things than the person
 */
export function glassesOn(points: Points, region: Region, things: Uint8Array): Uint8Array | null {
  const around = aroundEyes(points, region)
  fillPolygon(around, segmentSide, templeArea(points, region), 0, 1)
  const glasses = things.map((sure, pixel) => (around[pixel] ? sure : 0))
  return shareOf(around, (pixel) => (glasses[pixel] ?? 0) > suspected) < minShare ? null : glasses
}

/**
 * What glasses cover: what the segmenter sees or suspects, and where their lower rims must be if it doesn't see them, because
 * they are thin or have the skin's colour. `segmentSide`² values, 0…255.
 * @param glasses as of `glassesOn`
 */
export function shareOfGlasses(points: Points, region: Region, glasses: Uint8Array): Uint8Array {
  const rims = new Float32Array(segmentSide * segmentSide)
  for (const lens of lensAreas(points, region)) {
    const area = new Float32Array(rims.length)
    fillPolygon(area, segmentSide, lens, 0, 1)
    const seen = shareOf(area, (pixel) => (glasses[pixel] ?? 0) > 127)
    fillPolygon(rims, segmentSide, lens, 0, 1 - smoothstep(...rimShare, seen))
  }
  blurField(rims, segmentSide, segmentSide, softness)
  return glasses.map((sure, pixel) => Math.round(255 * Math.max(smoothstep(...thing, sure / 255), rims[pixel] ?? 0)))
}

/** Share of an area's pixels. */
function shareOf(area: Float32Array, isIn: (pixel: number) => boolean): number {
  let [all, count] = [0, 0]
  for (const [pixel, value] of area.entries()) {
    if (value === 0) continue
    all += 1
    if (isIn(pixel)) count += 1
  }
  return count / Math.max(1, all)
}
