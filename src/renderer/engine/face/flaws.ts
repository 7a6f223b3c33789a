/** @file Judges whether a picture's face can be used: how far it is turned and how much is covered. */
import type { FaceFlaw } from '@shared/engine/engine.ts'
import { MienError } from '@shared/mien-error.ts'
import { fillPolygon, type Polygon } from '../common/polygon.ts'
import { pointX, pointY, pointZ, yawOf, type Points } from './landmarks.ts'
import { segmentSide, type Region } from './region.ts'
import { faceOval, leftBrow, leftEye, outerLips, rightBrow, rightEye } from './topology.ts'

/** Angles to the camera in degrees: from the first on the face has a flaw, from the second on it is rejected. */
const turnedFrom = 30
const turnedTooFar = 50
/** Pitch in degrees of the line from forehead to chin when a face looks at the camera. */
const restingPitch = 8

const parts = {
  face: faceOval,
  /** From brows to cheekbones, both eyes. */
  eyes: [
    ...[...rightBrow.slice(5).toReversed(), ...leftBrow.slice(5), 353, 265, 347, 330, 277, 343, 412],
    ...[351, 6, 122, 188, 114, 47, 101, 118, 35, 124],
  ],
  rightEye,
  leftEye,
  mouth: outerLips,
} as const

/**
 * Flaws of a face that reduce the quality of a swap.
 * @param sure the segmenter's confidence for each pixel of the region, see `Analyst.segment`
 * @throws MienError `face-turned-away` (degrees), `face-covered` (part: eyes, mouth or most)
 */
export function flawsOf(points: Points, region: Region, sure: Uint8Array): FaceFlaw[] {
  const degrees = Math.round(Math.max(Math.abs(yawOf(points)), Math.abs(pitchOf(points))))
  if (degrees >= turnedTooFar) throw new MienError('face-turned-away', { degrees })
  const hidden = (part: keyof typeof parts): number => hiddenShare(outlineIn(points, region, parts[part]), sure)
  const flaws: FaceFlaw[] = degrees >= turnedFrom ? ['turned'] : []
  const face = hidden('face')
  // Nothing is skin: this is a drawing or a mask, which can be used.
  if (face > 0.9) return flaws
  if (face > 0.45) throw new MienError('face-covered', { part: 'most' })
  if (hidden('rightEye') > 0.6 && hidden('leftEye') > 0.6) throw new MienError('face-covered', { part: 'eyes' })
  const mouth = hidden('mouth')
  if (mouth > 0.8) throw new MienError('face-covered', { part: 'mouth' })
  if (face > 0.2 || mouth > 0.3 || hidden('eyes') > 0.3) flaws.push('covered')
  return flaws
}

/** Pitch of the head in degrees, from the line between forehead and chin; positive is forward. */
export function pitchOf(points: Points): number {
  const down = Math.hypot(pointX(points, 152) - pointX(points, 10), pointY(points, 152) - pointY(points, 10))
  return (Math.atan2(pointZ(points, 152) - pointZ(points, 10), down) * 180) / Math.PI - restingPitch
}

/** Maps landmarks to pixels of the segmenter's square. */
function outlineIn(points: Points, region: Region, outline: readonly number[]): Polygon {
  const cos = Math.cos(region.angle) / region.size
  const sin = Math.sin(region.angle) / region.size
  return outline.map((point) => {
    const [x, y] = [pointX(points, point) - region.x, pointY(points, point) - region.y]
    return [(x * cos + y * sin + 0.5) * segmentSide, (y * cos - x * sin + 0.5) * segmentSide]
  })
}

/** Outline of the area around both eyes, where glasses sit, in pixels of the segmenter's square. */
export const eyeArea = (points: Points, region: Region): Polygon => outlineIn(points, region, parts.eyes)

/** The same from below the lids to the cheekbones, of each eye: where the lower rims of glasses are. */
export const lensAreas = (points: Points, region: Region): Polygon[] =>
  [
    [226, 25, 110, 24, 23, 22, 26, 112, 128, 114, 142, 36, 50, 123, 116, 35],
    [446, 255, 339, 254, 253, 252, 256, 341, 357, 343, 371, 266, 280, 352, 345, 265],
  ].map((outline) => outlineIn(points, region, outline))

/** The same across the whole face: where the temples of glasses are. */
export const templeArea = (points: Points, region: Region): Polygon => outlineIn(points, region, [162, 389, 454, 234])

/** Share of the pixels inside an outline that are more likely not face. */
function hiddenShare(outline: Polygon, sure: Uint8Array): number {
  const inside = new Float32Array(sure.length)
  fillPolygon(inside, segmentSide, outline, 0, 1)
  return shareOf(inside, (pixel) => (sure[pixel] ?? 0) < 128)
}

/** Share of an area's pixels. @param area not 0 inside */
export function shareOf(area: Float32Array, isIn: (pixel: number) => boolean): number {
  let [all, count] = [0, 0]
  for (const [pixel, value] of area.entries()) {
    if (value === 0) continue
    all += 1
    if (isIn(pixel)) count += 1
  }
  return count / Math.max(1, all)
}
