/** @file Constants of the mesh: the weight of each point, and the flags of skin and hairline triangles. */
import type { SwapOptions } from '@shared/options/swap-options.ts'
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

/** Weights by ring, from the outline inwards; then those at temples and forehead, which say more about who it is. */
type Rings = Record<'lower' | 'upper', readonly number[]>
/** All of the face but a narrow edge. */
const whole: Rings = { lower: [0, 140, 230, 252], upper: [0, 150, 236, 252] }
/** The usual likeness, in percent. */
export const usualLikeness = 65
/**
 * At the usual likeness. Some of cheeks, jaw and forehead is the video's, so that the face belongs to its head. With less of the
 * source, marks are no better, and people name the person less often (RESULTS.md, version 37).
 */
const usual: Rings = { lower: [0, 105, 180, 220, 240, 252], upper: [0, 115, 195, 230, 246, 252] }

const brows = new Set<number>([...rightBrow, ...leftBrow])
const ringWeight = (point: number, weights: readonly number[]): number =>
  ablation.feather ? (weights[ringOf[point] ?? 0] ?? 252) : 252
/** Weight of a point of the skin. Brows are drawn whole: half of each of two is a smear. */
const skinWeight = (point: number, { lower, upper }: Rings): number =>
  brows.has(point) ? 252 : ringWeight(point, isUpper[point] === 1 ? upper : lower)

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
  point < meshPoints ? skinWeight(point, whole) : 0,
)

/** The same for a source: from the usual likeness on, more and more of its face is drawn. */
export function weightsFor({ keep, likeness }: SwapOptions): Float32Array {
  const more = Math.max(0, (likeness - usualLikeness) / (100 - usualLikeness))
  return pointWeights.map((most, point) => {
    if (mouth.has(point)) return keep.includes('mouth') ? 0 : innerRim.has(point) ? lipsInside : lipsOutside
    const least = point < meshPoints ? skinWeight(point, usual) : 0
    return least + (most - least) * more
  })
}

/** Weights of a face that is drawn with its eyes and mouth. @param keepMouth true if the video's mouth stays */
export const wholeWeightsFor = (keepMouth: boolean): Float32Array =>
  Float32Array.from({ length: meshPoints }, (_, point) =>
    keepMouth && mouth.has(point) ? 0 : ringWeight(point, whole.lower),
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
  ...[...rightEye, ...leftEye, ...brows],
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
