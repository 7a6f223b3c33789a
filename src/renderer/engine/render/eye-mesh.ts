/**
 * @file The mesh of one eye: the iris keeps its form and looks where the video's eye looks, the white around it fills the
 * opening between the lids. And the lids of a face whose eyes shut.
 */
import { eyes } from '../face/topology.ts'
import { irisOf, type Iris, type Point } from '../face/eye-tones.ts'
import { smoothstep } from '../common/smoothstep.ts'
import { opennessOf } from '../face/landmarks.ts'

/** Points on the lids, on a ring around the iris, and around the lids. */
const lids = 16
/** Radius of the ring, in radii of the iris. */
const ringRadius = 1.15
/** Maximum radius of the ring, as a share of the distance from the iris's centre to the lid. */
const maxReach = 0.92
/** Where the eye has faded out below the skin, in distances of the lids from the eye's middle. */
const outerReach = 1.25

const ring = (at: number): number => 1 + at
const lid = (at: number): number => 1 + lids + at
const outer = (at: number): number => 1 + lids * 2 + at

/** Triangles of an eye's points: the centre, the ring, the lids, the points around them. */
export const eyeTriangles = Uint16Array.from(
  Array.from({ length: lids }, (_, at) => {
    const next = (at + 1) % lids
    return [
      ...[0, ring(at), ring(next)],
      ...[ring(at), lid(at), lid(next), ring(at), lid(next), ring(next)],
      ...[lid(at), outer(at), outer(next), lid(at), outer(next), lid(next)],
    ]
  }).flat(),
)
/** By point: full up to the lids. */
export const eyeWeights = Float32Array.from({ length: 1 + lids * 3 }, (_, point) => (point < outer(0) ? 252 : 0))
export const eyeFlags = new Uint8Array(eyeTriangles.length / 3)

/** x, y of an eye's points where they are drawn, and where the video has them. */
export interface PlacedEye {
  to: Float32Array
  from: Float32Array
  /** As it is drawn. */
  iris: Iris
}

/**
 * Places one of the video's eyes between the lids that are drawn. The iris stays where it is between the corners of the eye.
 * @param index 0: right, 1: left
 * @param target x, y of the 478 landmarks in the frame
 * @param shaped the same, with lids of the form that is to be drawn
 */
export function placeEye(index: 0 | 1, target: Float32Array, shaped: Float32Array): PlacedEye {
  const { lids: rim, iris } = eyes[index]
  const [inVideo, drawn] = [axisOf(target, rim[0], rim[8]), axisOf(shaped, rim[0], rim[8])]
  const own = irisOf(iris.map((point) => pointAt(target, point)))
  const scale = drawn.length / inVideo.length
  const [x, y] = alongAxis(drawn, fromAxis(inVideo, [own.x, own.y]))
  const placed = {
    ...{ to: new Float32Array(eyeWeights.length * 2), from: new Float32Array(eyeWeights.length * 2) },
    iris: { x, y, radius: own.radius * scale },
  }
  const put = (point: number, to: Point, from: Point): void => {
    placed.to.set(to, point * 2)
    placed.from.set(from, point * 2)
  }
  put(0, [x, y], [own.x, own.y])
  const middle = [alongAxis(drawn, [0.5, 0]), alongAxis(inVideo, [0.5, 0])] as const
  for (const [at, point] of rim.entries()) {
    const [to, from] = [pointAt(shaped, point), pointAt(target, point)]
    put(lid(at), to, from)
    put(outer(at), beyond(middle[0], to), beyond(middle[1], from))
    const [dx, dy] = [to[0] - x, to[1] - y]
    const away = Math.max(1e-6, Math.hypot(dx, dy))
    const reach = Math.min(placed.iris.radius * ringRadius, away * maxReach) / away
    // The same step in the video, where the eye may be turned or of another size.
    const step = fromAxis({ ...drawn, start: [0, 0] }, [dx * reach, dy * reach])
    const [u, v] = alongAxis({ ...inVideo, start: [own.x, own.y] }, step)
    put(ring(at), [x + dx * reach, y + dy * reach], [u, v])
  }
  return placed
}

const pointAt = (points: Float32Array, point: number): Point => [points[point * 2] ?? 0, points[point * 2 + 1] ?? 0]

const beyond = (middle: Point, edge: Point): Point => [
  middle[0] + (edge[0] - middle[0]) * outerReach,
  middle[1] + (edge[1] - middle[1]) * outerReach,
]

/** From one corner of an eye to the other: start, direction and length. */
interface Axis {
  start: Point
  x: number
  y: number
  length: number
}

function axisOf(points: Float32Array, from: number, to: number): Axis {
  const start = pointAt(points, from)
  const end = pointAt(points, to)
  const [dx, dy] = [end[0] - start[0], end[1] - start[1]]
  const length = Math.max(1e-6, Math.hypot(dx, dy))
  return { start, x: dx / length, y: dy / length, length }
}

/** A point's place along and across an axis, in its lengths. */
const fromAxis = (axis: Axis, [x, y]: Point): Point => {
  const [dx, dy] = [x - axis.start[0], y - axis.start[1]]
  return [(dx * axis.x + dy * axis.y) / axis.length, (dy * axis.x - dx * axis.y) / axis.length]
}

const alongAxis = (axis: Axis, [along, across]: Point): Point => [
  axis.start[0] + (along * axis.x - across * axis.y) * axis.length,
  axis.start[1] + (along * axis.y + across * axis.x) * axis.length,
]

/** Openness, as a share of the person's usual one, at which lids are shut, and from which they are the source's. */
const shut = 0.3
const open = 0.95
/** How far the source's rims are left out when shut, as shares of its eye's height. */
const upperCut = 0.45
const lowerCut = 0.2

/** Points of the mesh around the lids, by eye. */
const around = [
  [247, 30, 29, 27, 28, 56, 190, 25, 110, 24, 23, 22, 26, 112],
  [467, 260, 259, 257, 258, 286, 414, 255, 339, 254, 253, 252, 256, 341],
] as const
/** Share of the video's own skin around a shut eye: a narrow strip of the source's, stretched over it, is a bright patch. */
const ownLids = 0.7

/** By eye: openness as a share of the usual one. */
export type EyesOpen = readonly [number, number]

/**
 * The lids of a face whose eyes shut. A lid that lowers stretches the source's skin: its lashes and the white of the eye would
 * smear over it. So the mesh takes less of the source's rims the more the eyes are shut, and the line where the lids meet is
 * the video's.
 */
export class Lids {
  readonly #points: Float32Array
  readonly #weights: Float32Array
  readonly #usual: readonly number[]

  /**
   * @param points x, y of the source's landmarks
   * @param weights of the mesh's points
   * @param person x, y, z of the usual landmarks of the person in the video
   */
  constructor(points: Float32Array, weights: Float32Array, person: Float32Array) {
    this.#points = points
    this.#weights = weights
    this.#usual = eyes.map(({ lids }) => Math.max(1e-6, opennessOf(lids, person, 3)))
  }

  /** @param landmarks x, y in the frame */
  openIn(landmarks: Float32Array): EyesOpen {
    const of = (index: 0 | 1): number => opennessOf(eyes[index].lids, landmarks, 2) / (this.#usual[index] ?? 1)
    return [of(0), of(1)]
  }

  /** The source's points and the mesh's weights, for eyes that are so far open. */
  at(eyesOpen: EyesOpen): { points: Float32Array; weights: Float32Array } {
    const [points, weights] = [this.#points.slice(), this.#weights.slice()]
    for (const [index, { lids }] of eyes.entries()) {
      const closed = 1 - smoothstep(shut, open, eyesOpen[index] ?? 1)
      for (let at = 1; at < lids.length / 2; at += 1) {
        const [upper, lower] = [lids[at] ?? 0, lids[lids.length - at] ?? 0]
        for (const axis of [0, 1]) {
          const [above, below] = [upper * 2 + axis, lower * 2 + axis]
          const height = (this.#points[above] ?? 0) - (this.#points[below] ?? 0)
          points[above] = (points[above] ?? 0) + height * upperCut * closed
          points[below] = (points[below] ?? 0) - height * lowerCut * closed
        }
        for (const rim of [upper, lower]) weights[rim] = (weights[rim] ?? 0) * (1 - closed)
      }
      for (const point of around[index] ?? []) weights[point] = (weights[point] ?? 0) * (1 - closed * ownLids)
    }
    return { points, weights }
  }
}
