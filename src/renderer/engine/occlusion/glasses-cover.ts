/** @file What glasses cover, also where the segmenter doesn't see them. */
import { fillPolygon } from '../common/polygon.ts'
import { smoothstep } from '../common/smoothstep.ts'
import { lensAreas, shareOf } from '../face/flaws.ts'
import type { Points } from '../face/landmarks.ts'
import { segmentSide, type Region } from '../face/region.ts'
import { blurField } from '../raster/blur.ts'

/** Confidence up to which nothing, and from which all is covered: lower than for other things, as there are glasses. */
const thing = [0.08, 0.35] as const
/** Share of the area below an eye that a rim covers: up to the first it isn't seen, from the second on it is. */
const rimShare = [0.06, 0.15] as const
/** Standard deviation of the edges of what is kept for a rim that isn't seen, in pixels of the square. */
const softness = 1.5

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
