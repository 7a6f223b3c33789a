/** @file Tables of the face mesh: triangles, openings, outline, rings. Numbers are MediaPipe's landmark numbers. */
import { meshTriangles, noseTriangles } from './mesh-data.ts'

/** Landmarks of the mesh; the ten that follow (468–477) are the irises. */
export const meshPoints = 468
export const allPoints = 478

const numbersIn = (triangles: string): number[] => triangles.trim().split(/\s+/).map(Number)

/** Three landmark numbers for each of 852 triangles: skin, brows and lips, then the nose. */
export const skinTriangles = Uint16Array.from([...numbersIn(meshTriangles), ...numbersIn(noseTriangles)])
/** Where the nose begins in `skinTriangles`. */
const noseStart = numbersIn(meshTriangles).length

/** The face's outline as a closed loop, starting at the top of the forehead. */
export const faceOval = [
  10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136,
  172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
] as const

/** Lids from corner to corner and back; right and left are the person's. */
export const rightEye = [133, 173, 157, 158, 159, 160, 161, 246, 33, 7, 163, 144, 145, 153, 154, 155] as const
export const leftEye = [263, 466, 388, 387, 386, 385, 384, 398, 362, 382, 381, 380, 374, 373, 390, 249] as const
export const innerMouth = [
  308, 415, 310, 311, 312, 13, 82, 81, 80, 191, 78, 95, 88, 178, 87, 14, 317, 402, 318, 324,
] as const

export const outerLips = [
  61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 375, 321, 405, 314, 17, 84, 181, 91, 146,
] as const

export const rightBrow = [46, 53, 52, 65, 55, 107, 66, 105, 63, 70] as const
export const leftBrow = [276, 283, 282, 295, 285, 336, 296, 334, 293, 300] as const

/** Iris centre, then its four edge points. */
export const rightIris = [468, 469, 470, 471, 472] as const
export const leftIris = [473, 474, 475, 476, 477] as const

/** An eye's lids, from corner to corner and back, and its iris: the centre, then four points around it. */
export interface Eye {
  lids: typeof rightEye | typeof leftEye
  iris: typeof rightIris | typeof leftIris
}
/** The right one, then the left one. */
export const eyes: readonly [Eye, Eye] = [
  { lids: rightEye, iris: rightIris },
  { lids: leftEye, iris: leftIris },
]

/** Landmarks to sketch a face with few dots. */
export const sketchPoints = [
  ...rightBrow.slice(5),
  ...leftBrow.slice(5),
  ...rightEye.filter((_, index) => index % 2 === 0),
  ...leftEye.filter((_, index) => index % 2 === 0),
  168,
  6,
  195,
  4,
  98,
  2,
  327,
  ...outerLips.filter((_, index) => index % 2 === 0),
] as const

/** Triangulates a loop with two arcs of equal length as a strip from corner to corner. */
export function closeLoop(loop: readonly number[]): number[] {
  const triangles: number[] = []
  for (let low = 0, high = loop.length; high - low >= 2;) {
    const a = loop[low] ?? 0
    const b = loop[low + 1] ?? 0
    const c = loop[high % loop.length] ?? 0
    const d = loop[high - 1] ?? 0
    if (low > 0) triangles.push(a, b, c)
    if (high - low > 2) triangles.push(b, d, c)
    low += 1
    high -= 1
  }
  return triangles
}

/** The 46 triangles of the openings. With the skin's they are the 898 of the canonical model's closed surface. */
export const openingTriangles = Uint16Array.from([
  ...closeLoop(rightEye),
  ...closeLoop(leftEye),
  ...closeLoop(innerMouth),
])

/**
 * The closed surface: skin, openings, nose. What is drawn last is seen, and the nose of a turned head is in front of cheek
 * and eye.
 * @param pick the point of a corner of an opening
 */
export const closedSurface = (pick = (point: number): number => point): Uint16Array =>
  Uint16Array.from([
    ...skinTriangles.subarray(0, noseStart),
    ...openingTriangles.map(pick),
    ...skinTriangles.subarray(noseStart),
  ])

/** For each of the 468 mesh points its distance in edges to the nearest outline point: 0 on the outline. */
export const ringOf = edgesFrom(faceOval)

/** The outline from ear to ear, over temples and forehead. */
const upperOval = [...faceOval.slice(0, 9), ...faceOval.slice(-8)]

/** For each of the 468 mesh points 1 if the outline nearest to it is that of temples and forehead, not of cheeks and chin. */
export const isUpper = ((): Uint8Array => {
  const upper = edgesFrom(upperOval)
  return Uint8Array.from(ringOf, (ring, point) => (upper[point] === ring ? 1 : 0))
})()

/** For each mesh point its distance in edges to the nearest of these points. */
function edgesFrom(points: readonly number[]): Uint8Array {
  const rings = new Uint8Array(meshPoints).fill(255)
  for (const point of points) rings[point] = 0
  for (let ring = 0, changed = true; changed; ring += 1) {
    changed = false
    for (let at = 0; at < skinTriangles.length; at += 3) {
      const corners = [skinTriangles[at] ?? 0, skinTriangles[at + 1] ?? 0, skinTriangles[at + 2] ?? 0]
      if (!corners.some((corner) => rings[corner] === ring)) continue
      for (const corner of corners) {
        if (rings[corner] !== 255) continue
        rings[corner] = ring + 1
        changed = true
      }
    }
  }
  return rings
}
