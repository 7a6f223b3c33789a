/** @file What never changes about the mesh: how much each point shows, and which triangles speak for the skin. */
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

/** Weight by rings from the outline inwards. */
const byRing = ablation.feather ? [0, 80, 180, 252] : [252]
/** Weight at the rim of the eyes: the lids' edges, lashes and all, are mostly the target's, or its gaze would change. */
const lidEdge = 60
/** And next to the rim: what lies around an eye says where it looks, too. */
const besideLids = 150
/** Weight under the nose: its shadow falls as the target's light has it, and says where the mouth begins. */
const noseShade = 120

/** Nostrils and the underside of the nose, darker than skin. */
const underNose = [2, 97, 326, 98, 327, 19, 94, 141, 370, 242, 462, 20, 250, 60, 290, 99, 328]

/**
 * Weights of the mesh's points, 0…252. The points of the openings come a second time, at `openingPoint(n)`, with weight
 * zero, so that the mask may drop at the rim of the mouth within one pixel and be softened afterwards.
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

/** These points, and those that share a triangle with one of them. */
function neighboursOf(points: ReadonlySet<number>): Set<number> {
  const found = new Set<number>()
  for (let at = 0; at < skinTriangles.length; at += 3) {
    const corners = skinTriangles.subarray(at, at + 3)
    if (corners.some((corner) => points.has(corner))) for (const corner of corners) found.add(corner)
  }
  return found
}

/** The number under which a point appears in the triangles of an opening. */
export const openingPoint = (point: number): number => point + meshPoints

export const meshWithOpenings = Uint16Array.from([...skinTriangles, ...openingTriangles.map(openingPoint)])

const features = new Set<number>([
  ...[...rightEye, ...leftEye, ...rightBrow, ...leftBrow],
  ...[...outerLips, ...innerMouth, ...underNose],
])

/** The forehead's upper rows, where hair may hang into the face. */
const hairline = new Set([
  10, 338, 297, 332, 284, 251, 109, 67, 103, 54, 21, 151, 337, 299, 333, 298, 301, 108, 69, 104, 68, 71,
])

/** Flag of triangles of plain skin, well inside the outline: they speak for light and skin tone. */
export const skinFlag = 1
/** Flag of triangles over which hair may hang. */
export const hairlineFlag = 2

/** By triangle of `meshWithOpenings`. */
export const triangleFlags = Uint8Array.from({ length: meshWithOpenings.length / 3 }, (_, triangle) => {
  const corners = [...meshWithOpenings.subarray(triangle * 3, triangle * 3 + 3)]
  if (corners.some((point) => hairline.has(point))) return hairlineFlag
  const plain = corners.every((point) => point < meshPoints && !features.has(point) && ringOf[point] !== 0)
  return plain ? skinFlag : 0
})
