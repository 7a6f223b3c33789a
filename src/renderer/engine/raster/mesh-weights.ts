/** @file Constants of the mesh: the weight of each point, and the flags of skin and hairline triangles. */
import { ablation } from '../common/ablation.ts'
import { kernels, Room } from '../kernels/kernels.ts'
import {
  closedSurface,
  innerMouth,
  isUpper,
  leftBrow,
  leftEye,
  meshPoints,
  outerLips,
  rightBrow,
  rightEye,
  ringOf,
} from '../face/topology.ts'

/** Weights by ring, from the outline inwards. */
const byRing = ablation.feather ? [0, 140, 230, 252] : [252]
/** The same at temples and forehead, which say more about who it is. */
const byUpperRing = ablation.feather ? [0, 150, 236, 252] : [252]
/** Weight of a point of the skin. */
const skinWeight = (point: number): number => (isUpper[point] === 1 ? byUpperRing : byRing)[ringOf[point] ?? 0] ?? 252

/** Nostrils and the underside of the nose, darker than skin. */
const underNose = [2, 97, 326, 98, 327, 19, 94, 141, 370, 242, 462, 20, 250, 60, 290, 99, 328]

/** Points that a kept mouth leaves to the video. */
const mouth = new Set<number>([...outerLips, ...innerMouth])
const innerRim = new Set<number>(innerMouth)
/**
 * Weights where lips meet, and along their outline. A source that smiles has thin lips, dark at the teeth; drawn over lips
 * of another form they are a grey bar. So the video's lips show through, most where they open and close.
 */
const lipsInside = 100
const lipsOutside = 190

/**
 * Weights of the mesh's points, 0…252. All points are repeated at `openingPoint(n)` with weight 0. The mask can thus
 * drop within one pixel at the rim of the mouth and is softened afterwards.
 */
export const pointWeights = Float32Array.from({ length: meshPoints * 2 }, (_, point) =>
  point < meshPoints ? skinWeight(point) : 0,
)

/** The same for a source. @param keepMouth true if the video's lips stay */
export const weightsFor = (keepMouth: boolean): Float32Array =>
  pointWeights.map((weight, point) => {
    if (keepMouth && mouth.has(point)) return 0
    if (innerRim.has(point)) return lipsInside
    return mouth.has(point) ? lipsOutside : weight
  })

/** Weights of a face that is drawn with its eyes and mouth. @param keepMouth true if the video's mouth stays */
export const wholeWeightsFor = (keepMouth: boolean): Float32Array =>
  Float32Array.from({ length: meshPoints }, (_, point) =>
    keepMouth && mouth.has(point) ? 0 : (byRing[ringOf[point] ?? 0] ?? byRing.at(-1) ?? 0),
  )

/** Index of a point as used by the triangles of the openings (eyes and mouth). */
export const openingPoint = (point: number): number => point + meshPoints

/** The closed surface, as one. */
export const wholeMesh = closedSurface()

/**
 * x, y of the mesh's points and, again, of the points of the openings.
 * @param points x, y, z of each landmark
 * @param pick the landmark that a point takes its place from
 */
export function withOpenings(points: Float32Array, pick = (point: number): number => point): Float32Array {
  const places = new Float32Array(meshPoints * 4)
  for (let point = 0; point < meshPoints; point += 1) {
    const from = pick(point) * 3
    for (const to of [point, openingPoint(point)]) places.set(points.subarray(from, from + 2), to * 2)
  }
  return places
}

export const meshWithOpenings = closedSurface(openingPoint)

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

/** By triangle of `meshWithOpenings` and of `wholeMesh`. */
export const triangleFlags = Uint8Array.from({ length: meshWithOpenings.length / 3 }, (_, triangle) => {
  const corners = [...meshWithOpenings.subarray(triangle * 3, triangle * 3 + 3)]
  if (corners.some((point) => hairline.has(point))) return hairlineFlag
  const plain = corners.every((point) => point < meshPoints && !features.has(point) && ringOf[point] !== 0)
  return plain ? skinFlag : 0
})

/**
 * The mask of half the size: the mean weight of four pixels, with the flags of the first. Drawn at half size, it would
 * widen or narrow the eyes and the mouth of a small face by up to two pixels, by where they lie.
 */
export function halveWeights(weight: Uint8Array, width: number, mask: Uint8Array): void {
  const room = new Room()
  const to = room.take(mask.length)
  const half = width / 2
  kernels.halve_weights(room.copy(weight), to, half, mask.length / half)
  mask.set(room.bytes(to, mask.length))
}
