/**
 * @file The lids of a face whose eyes shut. A lid that lowers stretches the source's skin: its lashes and the white of the
 * eye would smear over it. So the mesh takes less of the source's rims the more the eyes are shut, and the line where the
 * lids meet is the video's.
 */
import { smoothstep } from '../common/smoothstep.ts'
import { opennessOf } from '../face/landmarks.ts'
import { eyes } from '../face/topology.ts'

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
