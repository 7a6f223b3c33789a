/** @file What is cut out of a picture of the source, the face and its eyes; and the face as a pyramid of sizes. */
import { type Pose, turnBetween } from '../face/pose.ts'
import { isUpper, meshPoints, ringOf } from '../face/topology.ts'
import { rgbaToPlanes } from '../media/pixels/color.ts'
import { keep } from '../kernels/kernels.ts'
import { fillPolygon } from '../common/polygon.ts'
import { meanTones, tonesOf, type EyeTones, type Iris, type Point } from '../face/eye-tones.ts'
import { createPlanes, halve, type ColorModel, type Planes } from '../media/pixels/planes.ts'

/** A face crop: RGBA pixels and the face's landmarks in them. Alpha says how sure a pixel is the face's own. */
export interface SourceCut {
  rgba: Uint8ClampedArray
  width: number
  height: number
  /** x, y, z of the 478 landmarks in the cut's pixels. */
  points: Float32Array
  /** The person's landmarks by all pictures, laid over `points`; their proportions count. */
  shape: Float32Array
  /** Those that are open and seen. */
  eyes: readonly SourceEye[]
  /** The face from several sides, all with `points` and in one light. The first is the cut itself. Empty: from one side. */
  views: readonly SourceView[]
}

export interface SourceView {
  /** Of the cut's size. What the view doesn't show is as in the first one. */
  rgba: Uint8ClampedArray
  /** How the head was held, relative to `SourceCut.shape`. */
  pose: Pose
}

/** The picture of one eye. Points are in its pixels. */
export interface SourceEye {
  rgba: Uint8ClampedArray
  /** Width and height; even. */
  side: number
  /** The 16 points of `Eye.lids`. */
  lids: readonly Point[]
  iris: Iris
}

/** One size of the source. `scale` maps `SourceFace.points` to its pixels. */
export interface SourceLevel {
  planes: Planes
  scale: number
}

export class SourceFace {
  /** x, y of the landmarks in pixels of the largest level; the outline is inset. */
  readonly points: Float32Array
  /** x, y, z of the landmarks. */
  readonly shape: Float32Array
  /** Face width in pixels of the largest level. */
  readonly width: number
  /** The colours of the eyes. Null: none is seen. */
  readonly tones: EyeTones | null
  readonly #levels: SourceLevel[]
  readonly #views: readonly { pose: Pose; levels: readonly SourceLevel[] }[]
  /** The last mixture of views, by size and shares. */
  #mixed: { name: string; planes: Planes } | null = null

  /** @param color colour model of the target video */
  constructor(cut: SourceCut, color: ColorModel) {
    this.shape = cut.shape
    this.points = new Float32Array((cut.points.length / 3) * 2)
    for (let index = 0; index * 3 < cut.points.length; index += 1) {
      this.points[index * 2] = cut.points[index * 3] ?? 0
      this.points[index * 2 + 1] = cut.points[index * 3 + 1] ?? 0
    }
    insetOutline(this.points)
    this.width = Math.hypot(
      (this.points[454 * 2] ?? 0) - (this.points[234 * 2] ?? 0),
      (this.points[454 * 2 + 1] ?? 0) - (this.points[234 * 2 + 1] ?? 0),
    )
    const count = Math.max(1, Math.ceil(Math.log2(this.width / smallest)) + 1)
    const levels = (rgba: Uint8ClampedArray): SourceLevel[] =>
      levelsOf(rgbaToPlanes(rgba, cut.width, cut.height, color), count)
    this.#levels = levels(cut.rgba)
    this.#views = cut.views.map(({ rgba, pose }, at) => ({ pose, levels: at === 0 ? this.#levels : levels(rgba) }))
    this.tones = meanTones(cut.eyes.flatMap((eye) => tonesOfEye(eye, color) ?? []))
  }

  /** Index of the smallest level with about as many pixels as a face of this width, in pixels. */
  levelFor(faceWidth: number): number {
    return Math.max(
      0,
      this.#levels.findLastIndex((level) => this.width * level.scale >= faceWidth * 0.85),
    )
  }

  /** Whether what is drawn depends on the pose of the head. */
  get hasViews(): boolean {
    return this.#views.length > 0
  }

  /** Valid until the next call. @param pose of the head on which it is drawn; without, the first view */
  level(index: number, pose?: Pose): SourceLevel {
    const shares = pose ? sharesAt(pose, this.#views) : []
    const only = shares.indexOf(wholeShare)
    const level = (this.#views[only]?.levels ?? this.#levels)[index]
    if (!level) throw new Error('a source has at least one level')
    if (shares.length === 0 || only >= 0) {
      for (const plane of [level.planes.y, level.planes.u, level.planes.v]) keep(plane)
      return level
    }
    const name = [index, ...shares].join(' ')
    if (name !== this.#mixed?.name) {
      const views = this.#views.flatMap(({ levels }) => levels[index]?.planes ?? [])
      this.#mixed = { name, planes: mixed(views, shares) }
    }
    return { ...level, planes: this.#mixed.planes }
  }
}

function tonesOfEye({ rgba, side, lids, iris }: SourceEye, color: ColorModel): EyeTones | null {
  const inside = new Float32Array((side / 2) ** 2)
  const half = lids.map(([x, y]): Point => [x / 2, y / 2])
  fillPolygon(inside, side / 2, half, 0, 1)
  return tonesOf({ ...rgbaToPlanes(rgba, side, side, color), width: side / 2 }, iris, (pixel) => inside[pixel] === 1)
}

/** Degrees over which a view gives way to another: the standard deviation of its weight. */
const viewSigma = 6
/** Shares are whole numbers of which this is all, so that a head that hardly moves needs no new mixture. */
const wholeShare = 32

/** The share of each view in a face of this pose, by how near its own is, in parts of `wholeShare`. */
export function sharesAt(pose: Pose, views: readonly { pose: Pose }[]): number[] {
  const turns = views.map((view) => turnBetween(view.pose, pose) ** 2)
  const weights = turns.map((turn) => Math.exp((Math.min(...turns) - turn) / (2 * viewSigma ** 2)))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  const shares = weights.map((weight) => Math.round((weight / sum) * wholeShare))
  const nearest = weights.indexOf(1)
  const rest = wholeShare - shares.reduce((total, share) => total + share, 0)
  return shares.map((share, at) => (at === nearest ? share + rest : share))
}

/** The weighted mean of planes of one size. */
function mixed(views: readonly Planes[], shares: readonly number[]): Planes {
  const planes = createPlanes(views[0]?.width ?? 0, views[0]?.height ?? 0)
  let whole = 0
  for (const [at, view] of views.entries()) {
    const share = shares[at] ?? 0
    if (share === 0) continue
    whole += share
    for (const plane of ['y', 'u', 'v'] as const) mixIn(view[plane], planes[plane], share / whole)
  }
  return planes
}

/** Mixes a share of `from` into `to`, in place. */
function mixIn(from: Uint8Array, to: Uint8Array, share: number): void {
  if (share === 1) to.set(from)
  else
    for (let pixel = 0; pixel < to.length; pixel += 1) {
      const was = to[pixel] ?? 0
      to[pixel] = was + ((from[pixel] ?? 0) - was) * share + 0.5
    }
}

/** Face width of the smallest size, in pixels. */
const smallest = 48

function levelsOf(planes: Planes, count: number): SourceLevel[] {
  const levels = [{ planes, scale: 1 }]
  for (let last = levels[0]; last && levels.length < count; last = levels.at(-1))
    levels.push({ planes: halve(last.planes), scale: last.scale / 2 })
  return levels
}

/** Inset of each ring from the outline inwards, as a share of a point's distance to the face's centre. */
const insets = [0.07, 0.035, 0.014]
/** The same at temples and forehead. */
const upperInsets = [0.05, 0.025, 0.01]

/** Moves the outer rings inwards, so that they sample skin and not the shadow below the chin. In place. */
function insetOutline(points: Float32Array): void {
  const middle = [0, 1].map((axis) => {
    let sum = 0
    for (let point = 0; point < meshPoints; point += 1) sum += points[point * 2 + axis] ?? 0
    return sum / meshPoints
  })
  for (let at = 0; at < meshPoints * 2; at += 1) {
    const point = at >> 1
    const inset = (isUpper[point] === 1 ? upperInsets : insets)[ringOf[point] ?? insets.length] ?? 0
    points[at] = (points[at] ?? 0) + ((middle[at & 1] ?? 0) - (points[at] ?? 0)) * inset
  }
}
