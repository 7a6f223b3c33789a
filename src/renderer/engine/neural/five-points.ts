/**
 * @file The five points by which swap models and recognisers align a face: eyes, nose and corners of the mouth, left
 * before right as a viewer sees them.
 *
 * The eye centres are means of the six points that correspond to those of the 68-point scheme, from which FaceFusion
 * derives its five. They don't move with the gaze, as the irises do. The nose lies between the tip and the point below
 * it: in the templates it is at 49 % of the way from the eyes to the mouth, and the tip alone would be at 44 %.
 */
import { faceTemplates, type TemplateName } from '@shared/engine/models.ts'
import { compose, identity, inverse, similarity, type Affine } from '../common/affine.ts'

/** Landmarks whose means are the five points. */
const landmarksOf = [[33, 160, 158, 133, 153, 144], [362, 385, 387, 263, 373, 380], [1, 4], [61], [291]] as const

/**
 * @param points x, y (and z) of the landmarks
 * @param size coordinates per point
 * @returns x, y of the five points
 */
export function fivePoints(points: Float32Array, size: 2 | 3): Float32Array {
  return Float32Array.from({ length: 10 }, (_, at) => {
    const landmarks = landmarksOf[at >> 1] ?? []
    return landmarks.reduce((sum, point) => sum + (points[point * size + (at & 1)] ?? 0), 0) / landmarks.length
  })
}

/**
 * Maps a square crop's pixels to the picture's pixels, by a similarity transform that lays the template over the five
 * points. If the picture is mirrored, so is the map, and the crop shows the face as it is.
 * @param five x, y of the five points in the picture
 * @param size of the crop in pixels
 */
export function cropMap(five: Float32Array, template: TemplateName, size: number): Affine {
  const [leftX = 0, leftY = 0, rightX = 0, rightY = 0, , , mouthX = 0, mouthY = 0] = five
  const isMirrored = (rightX - leftX) * (mouthY - leftY) - (rightY - leftY) * (mouthX - leftX) < 0
  const mirror: Affine = isMirrored ? { ...identity, a: -1, c: size } : identity
  const onto = Float32Array.from(
    faceTemplates[template].flatMap(([x, y]) => [(isMirrored ? 1 - x : x) * size, y * size]),
  )
  // Fitted in the crop's pixels, as FaceFusion does.
  return compose(inverse(similarity(five, onto)), mirror)
}
