/** @file The face to put on: cut out of its picture, cleaned, in sizes. */
import { rgbaToPlanes } from '../media/color.ts'
import { halve, type ColorModel, type Planes } from '../media/planes.ts'

/** One size of the source; `scale` takes `SourceFace.points` to its pixels. */
export interface SourceLevel {
  planes: Planes
  scale: number
}

/** A cleaned cut-out: RGBA pixels and the face's points in them. */
export interface SourceCut {
  rgba: Uint8ClampedArray
  width: number
  height: number
  /** x, y, z of the 478 landmarks in the cut's pixels. */
  points: Float32Array
}

export class SourceFace {
  /** x, y of the landmarks, in pixels of the largest level. */
  readonly points: Float32Array
  /** Width of the face in the largest level. */
  readonly width: number
  readonly #levels: SourceLevel[]

  /** @param color of the video it is to be put into */
  constructor(cut: SourceCut, color: ColorModel) {
    this.points = new Float32Array((cut.points.length / 3) * 2)
    for (let index = 0; index * 3 < cut.points.length; index += 1) {
      this.points[index * 2] = cut.points[index * 3] ?? 0
      this.points[index * 2 + 1] = cut.points[index * 3 + 1] ?? 0
    }
    this.width = Math.hypot(
      (this.points[454 * 2] ?? 0) - (this.points[234 * 2] ?? 0),
      (this.points[454 * 2 + 1] ?? 0) - (this.points[234 * 2 + 1] ?? 0),
    )
    this.#levels = [{ planes: rgbaToPlanes(cut.rgba, cut.width, cut.height, color), scale: 1 }]
    for (let last = this.#levels[0]; last && this.width * last.scale > 48; last = this.#levels.at(-1)) {
      this.#levels.push({ planes: halve(last.planes), scale: last.scale / 2 })
    }
  }

  /** The smallest size that still has about as many pixels as a face of this width. */
  levelFor(faceWidth: number): SourceLevel {
    const fit = this.#levels.findLast((level) => this.width * level.scale >= faceWidth * 0.85)
    const level = fit ?? this.#levels[0]
    if (!level) throw new Error('a source has at least one level')
    return level
  }
}
