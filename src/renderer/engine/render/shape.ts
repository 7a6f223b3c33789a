/**
 * @file Gives the target the source's proportions: brows, eyes, nose and mouth move to where the source has them.
 * Pose, expression and outline stay the video's.
 */
import type { SwapOptions } from '@shared/options/swap-options.ts'
import { affineFit, fitTo, type AffineFit } from '../face/align.ts'
import { innerMouth, leftEye, meshPoints, outerLips, rightEye, ringOf } from '../face/topology.ts'
import { spread } from '../face/mesh-fields.ts'
import { opennessOf } from '../face/landmarks.ts'

/** Share of the difference that is applied to the lips, whose shape is mostly expression. */
const lipsShare = 0.35 / 0.65
/** Root mean square of the difference, in face widths, below which a larger share of it is applied; at most 1.3 times. */
const usualDifference = 0.033
/** Maximum shift of a point, in face widths. */
const maxShift = 0.08

/**
 * For each mesh point, the share of the difference that is applied. It falls to 0 at the outline.
 * @param difference as of `differenceOf`
 */
function sharesOf({ likeness, keep }: SwapOptions, difference: number): Float32Array {
  const lips = new Set<number>([...outerLips, ...innerMouth])
  const all = Math.min(1, (likeness / 100) * Math.min(1.3, Math.max(1, usualDifference / difference)))
  const ofLips = keep.includes('mouth') ? 0 : (likeness / 100) * lipsShare
  const wanted = (point: number): number =>
    ringOf[point] === 0 ? 0 : lips.has(point) ? ofLips : ringOf[point] === 1 ? all / 2 : all
  let share = Float32Array.from({ length: meshPoints }, (_, point) => wanted(point))
  for (let pass = 0; pass < 2; pass += 1)
    share = spread(share).map((value, point) => (ringOf[point] === 0 || lips.has(point) ? wanted(point) : value))
  return share
}

/** Applies the source's proportions to the landmarks of one person. */
export class SourceShape {
  /** x, y, z by point: what to add to the person's shape. Both rims of an opening have the same value. */
  readonly #difference: Float32Array
  /** What to add to the rims of open eyes besides. It shrinks when they close, so that a blink stays a blink. */
  readonly #opening: Float32Array
  readonly #eyes: readonly { loop: readonly number[]; usual: number }[]
  readonly #fit: AffineFit | null

  /**
   * @param source x, y, z of the source's landmarks
   * @param person the same of the person in the video, without expression, laid over the source
   */
  constructor(source: Float32Array, person: Float32Array, options: SwapOptions) {
    const shares = sharesOf(options, differenceOf(source, person))
    this.#difference = Float32Array.from(
      { length: meshPoints * 3 },
      (_, at) => ((source[at] ?? 0) - (person[at] ?? 0)) * (shares[Math.floor(at / 3)] ?? 0),
    )
    this.#opening = new Float32Array(meshPoints * 3)
    for (const loop of [rightEye, leftEye, innerMouth]) this.#shareBetweenRims(loop, loop !== innerMouth)
    this.#eyes = [rightEye, leftEye].map((loop) => ({ loop, usual: opennessOf(loop, person, 3) }))
    this.#fit = affineFit(person)
  }

  /** Loops go from corner to corner and back, with as many points above as below. */
  #shareBetweenRims(loop: readonly number[], mayOpen: boolean): void {
    for (let at = 1; at < loop.length / 2; at += 1) {
      const rims = [loop[at] ?? 0, loop[loop.length - at] ?? 0]
      for (let axis = 0; axis < 3; axis += 1) {
        const both = rims.reduce((sum, point) => sum + (this.#difference[point * 3 + axis] ?? 0), 0) / 2
        for (const point of rims) {
          const value = point * 3 + axis
          if (mayOpen) this.#opening[value] = (this.#difference[value] ?? 0) - both
          this.#difference[value] = both
        }
      }
    }
  }

  /**
   * The target's landmarks with the source's proportions. A least-squares affine fit maps the person's shape to the
   * frame, and the difference with it, so that both follow the pose.
   * @param target x, y of the mesh's points in the frame
   * @returns a new array of the same layout
   */
  on(target: Float32Array): Float32Array {
    const shaped = Float32Array.from(target)
    const fit = this.#fit
    if (!fit) return shaped
    const at = (index: number): number => target[index] ?? 0
    const max = Math.hypot(at(454 * 2) - at(234 * 2), at(454 * 2 + 1) - at(234 * 2 + 1)) * maxShift
    const difference = this.#difference.slice()
    for (const { loop, usual } of this.#eyes) {
      const open = Math.min(1, opennessOf(loop, target, 2) / Math.max(1e-6, usual))
      for (const point of loop) {
        for (let value = point * 3; value < point * 3 + 3; value += 1)
          difference[value] = (difference[value] ?? 0) + open * (this.#opening[value] ?? 0)
      }
    }
    const [mapX, mapY] = [fitTo(fit, target, 0, 2), fitTo(fit, target, 1, 2)]
    for (let point = 0; point < meshPoints; point += 1) {
      const [x, y] = [shiftOf(mapX, difference, point), shiftOf(mapY, difference, point)]
      const bounded = Math.min(1, max / Math.max(Math.hypot(x, y), 1e-6))
      shaped[point * 2] = at(point * 2) + x * bounded
      shaped[point * 2 + 1] = at(point * 2 + 1) + y * bounded
    }
    return shaped
  }
}

/** Root mean square of the distance between the inner points of two faces, in face widths of the first one. */
function differenceOf(source: Float32Array, person: Float32Array): number {
  const distance = (a: number, from: Float32Array, b: number): number =>
    Math.hypot((source[a * 3] ?? 0) - (from[b * 3] ?? 0), (source[a * 3 + 1] ?? 0) - (from[b * 3 + 1] ?? 0))
  const inner = Array.from({ length: meshPoints }, (_, point) => point).filter((point) => (ringOf[point] ?? 0) > 1)
  const squares = inner.reduce((sum, point) => sum + distance(point, person, point) ** 2, 0)
  return Math.sqrt(squares / inner.length) / distance(234, source, 454)
}

/** How far a map without its offset moves a point. */
function shiftOf(map: Float64Array, difference: Float32Array, point: number): number {
  let shift = 0
  for (let part = 0; part < 3; part += 1) shift += (map[part] ?? 0) * (difference[point * 3 + part] ?? 0)
  return shift
}
