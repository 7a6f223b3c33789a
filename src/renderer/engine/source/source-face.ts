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
  change: Int8Array
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

/** A picture of the face in all sizes, made when it is first drawn. */
interface Texture {
  rgba: () => Uint8ClampedArray
  levels: readonly SourceLevel[] | null
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
  readonly #cut: SourceCut
  readonly #color: ColorModel
  /** Number of sizes; each is half as large as the one before. */
  readonly #sizes: number
  /** Each view, or the cut, calm and with the folds of a smile, one after the other. */
  readonly #textures: readonly Texture[]
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
    this.#sizes = Math.max(1, Math.ceil(Math.log2(this.width / smallest)) + 1)
    this.#cut = cut
    this.#color = color
    this.#textures = (cut.views.length > 0 ? cut.views : [cut]).flatMap(({ rgba }) => [
      { rgba: () => rgba, levels: null },
      { rgba: () => withFolds(rgba, cut.folds), levels: null },
    ])
    this.tones = meanTones(cut.eyes.flatMap((eye) => tonesOfEye(eye, color) ?? []))
  }

  /** Index of the smallest level with about as many pixels as a face of this width, in pixels. */
  levelFor(faceWidth: number): number {
    let index = this.#sizes - 1
    while (index > 0 && this.width / 2 ** index < faceWidth * 0.85) index -= 1
    return index
  }

  /** Whether what is drawn depends on the pose of the head. */
  get hasViews(): boolean {
    return this.#cut.views.length > 0
  }

  /**
   * Valid until the next call.
   * @param pose of the head on which it is drawn; null: the first view
   * @param smile of the person in the video, 0…1
   */
  level(index: number, pose: Pose | null = null, smile = 0): SourceLevel {
    const shares = this.#sharesAt(pose, smile)
    const parts = shares.flatMap((share, at) => (share > 0 ? [{ share, ...this.#levelOf(at, index) }] : []))
    const [part, ...others] = parts
    if (!part) throw new Error('a source has at least one level')
    for (const { planes } of parts) for (const plane of [planes.y, planes.u, planes.v]) keep(plane)
    if (others.length === 0) return part
    const name = [index, ...shares].join(' ')
    if (name !== this.#mixed?.name) this.#mixed = { name, planes: mixed(parts) }
    return { ...part, planes: this.#mixed.planes }
  }

  #levelOf(at: number, index: number): SourceLevel {
    const texture = this.#textures[at]
    if (!texture) throw new Error('no such texture')
    const { width, height } = this.#cut
    texture.levels ??= levelsOf(rgbaToPlanes(texture.rgba(), width, height, this.#color), this.#sizes)
    const level = texture.levels[index]
    if (!level) throw new Error('no such level')
    return level
  }

  /** The share of each texture, in parts of the square of `wholeShare`. */
  #sharesAt(pose: Pose | null, smile: number): number[] {
    const { folds, views } = this.#cut
    const folded = folds ? Math.round(wholeShare * Math.min(1, smile / folds.smile)) : 0
    const shares = pose && views.length > 0 ? sharesAt(pose, views) : [wholeShare]
    return shares.flatMap((share) => [share * (wholeShare - folded), share * folded])
  }
}

function withFolds(rgba: Uint8ClampedArray, folds: SmileFolds | null): Uint8ClampedArray {
  const folded = rgba.slice()
  for (let at = 0; at < folded.length; at += 1) folded[at] = (folded[at] ?? 0) + (folds?.change[at] ?? 0)
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

/** The weighted mean of levels of one size. */
function mixed(parts: readonly { share: number; planes: Planes }[]): Planes {
  const planes = createPlanes(parts[0]?.planes.width ?? 0, parts[0]?.planes.height ?? 0)
  for (const plane of ['y', 'u', 'v'] as const) {
    const to = planes[plane]
    const room = new Room()
    const mixture = room.take(to.length)
    let whole = 0
    for (const part of parts) {
      whole += part.share
      const share = Math.round((part.share / whole) * 4096)
      kernels.mix_bytes(room.copy(part.planes[plane]), mixture, to.length, share)
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
