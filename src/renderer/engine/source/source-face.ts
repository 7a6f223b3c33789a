/** @file What is cut out of a picture of the source, the face and its eyes; and the face as a pyramid of sizes. */
import { type Pose, turnBetween } from '../face/pose.ts'
import { isUpper, meshPoints, ringOf } from '../face/topology.ts'
import { rgbaToPlanes } from '../media/pixels/color.ts'
import { keep, kernels, Room } from '../kernels/kernels.ts'
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
  /** The folds of the source's smile, without which `rgba` is. Null: it doesn't smile. */
  folds: SmileFolds | null
}

export interface SmileFolds {
  /** What is added to RGBA, for each pixel of the cut, on a face that smiles as much as the source. */
  change: Int16Array
  /** How much the source smiles, 0…1. */
  smile: number
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

/** A face as a view shows it, in all sizes. */
interface Texture {
  /** Null: there are no views to choose from. */
  pose: Pose | null
  calm: readonly SourceLevel[]
  /** With the folds of a smile. */
  smiling: readonly SourceLevel[] | null
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
  /** The smile with which the source's folds are drawn as they are, 0…1; 0: it has none. */
  readonly #smile: number
  readonly #textures: readonly [Texture, ...Texture[]]
  /** The last mixture of textures, by size and shares. */
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
    const { folds, views } = cut
    const levels = (rgba: Uint8ClampedArray): SourceLevel[] =>
      levelsOf(rgbaToPlanes(rgba, cut.width, cut.height, color), count)
    const textureOf = (rgba: Uint8ClampedArray, pose: Pose | null): Texture => ({
      pose,
      calm: levels(rgba),
      smiling: folds && levels(withFolds(rgba, folds)),
    })
    const [first, ...others] = views
    this.#smile = folds?.smile ?? 0
    this.#textures = [
      textureOf(cut.rgba, first?.pose ?? null),
      ...others.map(({ rgba, pose }) => textureOf(rgba, pose)),
    ]
    this.tones = meanTones(cut.eyes.flatMap((eye) => tonesOfEye(eye, color) ?? []))
  }

  /** Index of the smallest level with about as many pixels as a face of this width, in pixels. */
  levelFor(faceWidth: number): number {
    return Math.max(
      0,
      this.#textures[0].calm.findLastIndex((level) => this.width * level.scale >= faceWidth * 0.85),
    )
  }

  /** Whether what is drawn depends on the pose of the head. */
  get hasViews(): boolean {
    return this.#textures.length > 1
  }

  /**
   * Valid until the next call.
   * @param pose of the head on which it is drawn; null: the first view
   * @param smile of the person in the video, 0…1
   */
  level(index: number, pose: Pose | null = null, smile = 0): SourceLevel {
    const shares = this.#sharesAt(pose, smile)
    const levels = this.#textures.flatMap(({ calm, smiling }) => [calm[index], (smiling ?? calm)[index]])
    const level = levels[shares.indexOf(allShares)] ?? levels[0]
    if (!level) throw new Error('a source has at least one level')
    for (const [at, one] of levels.entries())
      if (one && shares[at]) for (const plane of [one.planes.y, one.planes.u, one.planes.v]) keep(plane)
    if (shares.includes(allShares)) return level
    const name = [index, ...shares].join(' ')
    if (name !== this.#mixed?.name) {
      const planes = levels.map((one) => (one ?? level).planes)
      this.#mixed = { name, planes: mixed(planes, shares) }
    }
    return { ...level, planes: this.#mixed.planes }
  }

  /** For each texture the share of it calm, then smiling, in parts of `allShares`. */
  #sharesAt(pose: Pose | null, smile: number): number[] {
    const smiles = this.#smile > 0 ? Math.min(1, smile / this.#smile) : 0
    const folded = Math.round(wholeShare * smiles)
    const views = this.#textures.flatMap((texture) => (texture.pose ? { pose: texture.pose } : []))
    const shares = pose && views.length > 0 ? sharesAt(pose, views) : [wholeShare]
    return this.#textures.flatMap((_, at) => [wholeShare - folded, folded].map((part) => part * (shares[at] ?? 0)))
  }
}

function withFolds(rgba: Uint8ClampedArray, { change }: SmileFolds): Uint8ClampedArray {
  const folded = rgba.slice()
  for (let at = 0; at < folded.length; at += 1) folded[at] = (folded[at] ?? 0) + (change[at] ?? 0)
  return folded
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
/** What the shares of all textures add up to. */
const allShares = wholeShare ** 2

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
function mixed(all: readonly Planes[], shares: readonly number[]): Planes {
  const planes = createPlanes(all[0]?.width ?? 0, all[0]?.height ?? 0)
  for (const plane of ['y', 'u', 'v'] as const) {
    const to = planes[plane]
    const room = new Room()
    const mixture = room.take(to.length)
    let whole = 0
    for (const [at, texture] of all.entries()) {
      const share = shares[at] ?? 0
      if (share === 0) continue
      whole += share
      kernels.mix_bytes(room.copy(texture[plane]), mixture, to.length, Math.round((share / whole) * 4096))
    }
    to.set(room.bytes(mixture, to.length))
  }
  return planes
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
