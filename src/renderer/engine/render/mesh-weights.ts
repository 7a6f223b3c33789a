/** @file What never changes about the mesh: how much each point shows, and which triangles speak for the skin. */
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

/** Skin first, then the openings, whose weight is zero. */
export const faceTriangles = Uint16Array.from([...skinTriangles, ...openingTriangles])

/** Weight by rings from the outline inwards. */
const byRing = [0, 150, 254]

/**
 * Weights of the mesh's points, 0…254. The points of the openings come a second time, at `openingPoint(n)`, with weight
 * zero, so that the mask may drop at the rim of an eye within one pixel and be softened afterwards.
 */
export const pointWeights = Float32Array.from({ length: meshPoints * 2 }, (_, point) =>
  point < meshPoints ? (byRing[ringOf[point] ?? 0] ?? 254) : 0,
)

/** The number under which a point appears in the triangles of an opening. */
export const openingPoint = (point: number): number => point + meshPoints

export const meshWithOpenings = Uint16Array.from([...skinTriangles, ...openingTriangles.map(openingPoint)])

const features = new Set<number>([...rightEye, ...leftEye, ...rightBrow, ...leftBrow, ...outerLips, ...innerMouth])
/** Nostrils and the underside of the nose, darker than skin. */
for (const point of [2, 97, 326, 98, 327, 19, 94, 141, 370, 242, 462, 20, 250, 60, 290, 99, 328]) features.add(point)

/** By triangle of `meshWithOpenings`: 1 where it is plain skin, well inside the outline. */
export const skinFlags = Uint8Array.from({ length: meshWithOpenings.length / 3 }, (_, triangle) => {
  for (let corner = 0; corner < 3; corner += 1) {
    const point = meshWithOpenings[triangle * 3 + corner] ?? 0
    if (point >= meshPoints || features.has(point) || (ringOf[point] ?? 0) === 0) return 0
  }
  return 1
})
