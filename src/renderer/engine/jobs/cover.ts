/** @file The result's cover, and the faces found on that frame. */
import type { AnalysisMethods } from '../face/analysis-methods.ts'
import { regionOfPoints } from '../face/landmarks.ts'
import { writeFile } from '../media/job-files.ts'
import { cutSquare, lookAt, toJpeg } from '../media/picture.ts'
import { planesByteLength, planesOver, type ColorModel, type Planes } from '../media/planes.ts'
import { stillOf, type Shown } from '../media/still.ts'
import type { Caller } from '../rpc.ts'

/** From this share of the video on, a face that looks ahead will do; before, one is only kept in case none comes. */
const goodFrom = 0.2
const goodYaw = 25
/** Pixels. */
const coverWidth = 1920

export function copyPlanes(planes: Planes): Planes {
  const copy = planesOver(new ArrayBuffer(planesByteLength(planes.width, planes.height)), planes.width, planes.height)
  copy.y.set(planes.y)
  copy.u.set(planes.u)
  copy.v.set(planes.v)
  return copy
}

/** Keeps one frame before and after its swap, and makes the pictures of it. */
export class CoverTaker {
  readonly #folder: string
  readonly #frames: number
  #kept: { before: Planes; after: Planes } | null = null
  #good = false

  /** @param frames of the whole video */
  constructor(folder: string, frames: number) {
    this.#folder = folder
    this.#frames = frames
  }

  /** Whether this frame would be kept. */
  wants(index: number, yaw: number, opacity: number): boolean {
    if (this.#good || opacity < 0.5) return false
    return this.#kept === null || this.#isGood(index, yaw)
  }

  keep(index: number, yaw: number, before: Planes, after: Planes): void {
    this.#kept = { before, after }
    this.#good = this.#isGood(index, yaw)
  }

  #isGood(index: number, yaw: number): boolean {
    return Math.abs(yaw) < goodYaw && index >= this.#frames * goodFrom
  }

  /** Writes `cover.jpg` and `face-N.jpg`. @returns how many faces there are */
  async write(analyst: Caller<AnalysisMethods>, color: ColorModel, shown: Shown): Promise<number> {
    if (!this.#kept) return 0
    await writeFile(this.#folder, 'cover.jpg', await toJpeg(stillOf(this.#kept.after, color, shown, coverWidth), 0.9))
    const before = stillOf(this.#kept.before, color, shown, coverWidth)
    const size = { width: before.width, height: before.height }
    const faces = await analyst.call('faces', [lookAt(before, { x: 0, y: 0, ...size }, 1600), size, 3, 10])
    for (const [number, { points }] of faces.entries()) {
      await writeFile(this.#folder, `face-${number}.jpg`, await toJpeg(cutSquare(before, regionOfPoints(points), 256)))
    }
    return faces.length
  }
}
