/** @file Constants of the mesh: the weight of each point, and the flags of skin and hairline triangles. */
import { ablation } from '../common/ablation.ts'
import {
  innerMouth,
  leftBrow,
  leftEye,
  meshPoints,
  openingTriangles,
  outerLips,
  rightBrow,
  rightEye,
  ringOf,
  skinTriangles,
} from '../face/topology.ts'

/** Weights by ring, from the outline inwards. */
const byRing = ablation.feather ? [0, 80, 180, 252] : [252]
/** Weight at the rim of the eyes: eyelid edges and lashes stay mostly the target's, or the gaze would change. */
const lidEdge = 60
/** Weight next to that rim, because the area around an eye affects the gaze too. */
const besideLids = 150
/** Weight under the nose: its shadow depends on the target's light and marks where the mouth begins. */
const noseShade = 120

/** Nostrils and the underside of the nose, darker than skin. */
const underNose = [2, 97, 326, 98, 327, 19, 94, 141, 370, 242, 462, 20, 250, 60, 290, 99, 328]

/**
 * Weights of the mesh's points, 0…252. All points are repeated at `openingPoint(n)` with weight 0. The mask can thus
 * drop within one pixel at the rim of the mouth and is softened afterwards.
 */
export const pointWeights = ((): Float32Array => {
  const lids = new Set<number>([...rightEye, ...leftEye])
  const beside = neighboursOf(lids)
  const shaded = new Set(underNose)
  return Float32Array.from({ length: meshPoints * 2 }, (_, point) => {
    if (point >= meshPoints) return 0
    if (lids.has(point)) return lidEdge
    if (beside.has(point)) return besideLids
    return shaded.has(point) ? noseShade : (byRing[ringOf[point] ?? 0] ?? 252)
  })
})()

/** The given points and all that share a triangle with one of them. */
function neighboursOf(points: ReadonlySet<number>): Set<number> {
  const found = new Set<number>()
  for (let at = 0; at < skinTriangles.length; at += 3) {
    const corners = skinTriangles.subarray(at, at + 3)
    if (corners.some((corner) => points.has(corner))) for (const corner of corners) found.add(corner)
  }
  return found
}

/** Index of a point as used by the triangles of the openings (eyes and mouth). */
export const openingPoint = (point: number): number => point + meshPoints

export const meshWithOpenings = Uint16Array.from([...skinTriangles, ...openingTriangles.map(openingPoint)])

const features = new Set<number>([
  ...[...rightEye, ...leftEye, ...rightBrow, ...leftBrow],
  ...[...outerLips, ...innerMouth, ...underNose],
])

/** Upper rows of the forehead, where hair may cover the face. */
const hairline = new Set([
  10, 338, 297, 332, 284, 251, 109, 67, 103, 54, 21, 151, 337, 299, 333, 298, 301, 108, 69, 104, 68, 71,
])

/** Flag of plain skin triangles inside the outline; they are used to measure light and skin tone. */
export const skinFlag = 1
/** Flag of triangles that hair may cover. */
export const hairlineFlag = 2

/** By triangle of `meshWithOpenings`. */
export const triangleFlags = Uint8Array.from({ length: meshWithOpenings.length / 3 }, (_, triangle) => {
  const corners = [...meshWithOpenings.subarray(triangle * 3, triangle * 3 + 3)]
  if (corners.some((point) => hairline.has(point))) return hairlineFlag
  const plain = corners.every((point) => point < meshPoints && !features.has(point) && ringOf[point] !== 0)
  return plain ? skinFlag : 0
})
