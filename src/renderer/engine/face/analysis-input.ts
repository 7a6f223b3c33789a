/** @file Inputs of face analysis: a picture, a part of it, or a whole frame. Crops that show a face. */
import { identity, type Affine } from '../common/affine.ts'
import { rgbaToPlanes } from '../media/pixels/color.ts'
import { draw, pixelsOf, type Drawable } from '../media/pixels/picture.ts'
import { type ColorModel, cutPatch, halve, type Planes } from '../media/pixels/planes.ts'
import type { AnalysisInput } from './analyst.ts'
import { regionBounds, type Region } from './region.ts'

const still: ColorModel = { matrix: 'bt601', full: true }

/**
 * Converts a rectangle of a picture to an input for face analysis.
 * @param rect in picture pixels
 * @param max maximum side of the result in pixels
 */
export function analysisInput(
  picture: Drawable,
  rect: { x: number; y: number; width: number; height: number },
  max: number,
): AnalysisInput {
  const scale = Math.min(1, max / Math.max(rect.width, rect.height))
  const width = Math.max(2, Math.round(rect.width * scale))
  const height = Math.max(2, Math.round(rect.height * scale))
  const canvas = draw(width, height, (context) => {
    context.fillStyle = '#fff'
    context.fillRect(0, 0, width, height)
    context.drawImage(picture, rect.x, rect.y, rect.width, rect.height, 0, 0, width, height)
  })
  const planes = rgbaToPlanes(pixelsOf(canvas), width, height, still)
  const scaleX = width / rect.width
  const scaleY = height / rect.height
  return {
    patch: { ...planes, left: 0, top: 0, color: still },
    view: { ...identity, a: scaleX, c: -rect.x * scaleX, e: scaleY, f: -rect.y * scaleY },
  }
}

/** Crops the upright square around a region. @param side of the result in pixels */
export function cutSquare(picture: Drawable, region: Region, side: number): OffscreenCanvas {
  const bounds = regionBounds({ ...region, angle: 0 }, identity)
  const size = bounds.right - bounds.left
  return draw(side, side, (context) => {
    context.fillStyle = '#000'
    context.fillRect(0, 0, side, side)
    context.drawImage(picture, bounds.left, bounds.top, size, size, 0, 0, side, side)
  })
}

/** Longer side, in pixels, above which a frame is halved. */
export const searchSide = 1300

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
