/** @file Finds the glasses that a face wears. */
import { fillPolygon } from '../common/polygon.ts'
import { eyeArea, shareOf, templeArea } from './flaws.ts'
import type { Points } from './landmarks.ts'
import { segmentSide, type Region } from './region.ts'

/** Width by which glasses may extend beyond the area around the eyes, as a share of the square's side. */
const margin = 0.03
/** Share of the area around the eyes in which the segmenter suspects things at least, and its least confidence there, 0…255. */
const minShare = 0.03
const suspected = 32

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
