/** @file Finds the glasses that a face wears. */
import type { Caller } from '../common/rpc.ts'
import { fillPolygon } from '../common/polygon.ts'
import type { AnalysisMethods, AnalysisInput } from './analyst.ts'
import { eyeArea, templeArea } from './flaws.ts'
import type { Points } from './landmarks.ts'
import { segmentSide, type Region } from './region.ts'

/** Width by which glasses may extend beyond the area around the eyes, as a share of the square's side. */
const margin = 0.03
/** Share of the area around the eyes that glasses cover at least. */
const minShare = 0.03

/** 1 for each pixel of the segmenter's square around the eyes, where glasses can be. */
export function aroundEyes(points: Points, region: Region): Float32Array {
  const around = new Float32Array(segmentSide * segmentSide)
  fillPolygon(around, segmentSide, eyeArea(points, region), segmentSide * margin, 1)
  return around
}

/**
 * The segmenter's confidence in glasses, `segmentSide`² values, 0…255; null if the face wears none.
 * @param face what `Analyst.segment` returned for the region
 */
export async function glassesOn(
  analyst: Caller<AnalysisMethods>,
  input: AnalysisInput,
  region: Region,
  points: Points,
  face: Uint8Array,
): Promise<Uint8Array | null> {
  const around = aroundEyes(points, region)
  fillPolygon(around, segmentSide, templeArea(points, region), 0, 1)
  const countOf = (isIn: (pixel: number) => boolean): number =>
    around.filter((value, at) => value > 0 && isIn(at)).length
  const least = minShare * countOf(() => true)
  // Most faces wear none, and a run of the segmenter takes long.
  if (countOf((pixel) => (face[pixel] ?? 0) < 128) < least) return null
  const withThings = await analyst.call('segment', [input, region, ['other']])
  const glasses = withThings.map((sure, pixel) => (around[pixel] ? Math.max(0, sure - (face[pixel] ?? 0)) : 0))
  return countOf((pixel) => (glasses[pixel] ?? 0) > 127) < least ? null : glasses
}
