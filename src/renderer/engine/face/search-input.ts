/** @file A whole frame as input of the face detector. */
import type { Affine } from '../common/affine.ts'
import { cutPatch, halve, type ColorModel, type Planes } from '../media/pixels/planes.ts'
import type { AnalysisInput } from './analyst.ts'

/** Longer side, in pixels, above which a frame is halved. */
const searchSide = 1300

/** @param view maps upright to coded pixels */
export function searchInput(frame: Planes, color: ColorModel, view: Affine): AnalysisInput | null {
  let [small, map] = [frame, view]
  while (Math.max(small.width, small.height) > searchSide) {
    small = halve(small)
    map = { a: map.a / 2, b: map.b / 2, c: map.c / 2, d: map.d / 2, e: map.e / 2, f: map.f / 2 }
  }
  const patch = cutPatch(small, color, { left: 0, top: 0, right: small.width, bottom: small.height })
  return patch && { patch, view: map }
}
