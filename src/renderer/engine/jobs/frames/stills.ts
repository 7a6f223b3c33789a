/** @file Pictures of a swap: previews while it runs, and the result's cover with crops of the faces found on it. */
import { writeFile } from '../../media/job-files.ts'
import { toJpeg, stillOf, type Shown } from '../../media/pixels/picture.ts'
import type { AnalysisMethods } from '../../face/analyst.ts'
import { regionOfPoints } from '../../face/landmarks.ts'
import { cutSquare, analysisInput } from '../../face/analysis-input.ts'
import type { SwapPlan } from '../../media/range/swap-plan.ts'
import { planesByteLength, planesOver, type ColorModel, type Planes } from '../../media/pixels/planes.ts'
import type { Caller } from '../../common/rpc.ts'

/** Minimum interval between previews, and the maximum share of time spent on them. */
const every = { ms: 1000, share: 0.05 }
/** Pixels. */
export const previewWidth = 960

/** A frame before and after its swap. */
export interface Still {
  index: number
  before: OffscreenCanvas
  after: OffscreenCanvas
}

export class Preview {
  #nextAt = -Infinity
  #busy: Promise<void> | null = null
  #failed: Error | null = null
  /** Index of the frame now in both files; null before the first. */
  frame: number | null = null

  constructor(private readonly folder: string) {}

  /** True if a new preview may be made now. */
  get due(): boolean {
    return !this.#busy && performance.now() >= this.#nextAt
  }

  /**
   * Writes both files in the background. `due` is false until they are written.
   * @param costMs time to make the stills
   */
  show(still: Promise<Still | null>, costMs = 0): void {
    this.#busy = this.#write(still, costMs)
      .catch((error: unknown) => {
        this.#failed = error instanceof Error ? error : new Error(String(error))
      })
      .finally(() => {
        this.#busy = null
      })
  }

  async #write(still: Promise<Still | null>, costMs: number): Promise<void> {
    const shown = await still
    if (!shown) return
    this.#nextAt = performance.now() + Math.max(every.ms, costMs / every.share)
    const [before, after] = await Promise.all([toJpeg(shown.before, 0.8), toJpeg(shown.after, 0.8)])
    await Promise.all([writeFile(this.folder, 'before.jpg', before), writeFile(this.folder, 'after.jpg', after)])
    this.frame = shown.index
  }

  /** Waits for a write in progress. @throws the error of a failed write */
  async settle(): Promise<void> {
    await this.#busy
    if (this.#failed !== null) throw this.#failed
  }
}

/** Earliest position of a good cover, as a share of the swapped frames. Earlier frames are only a fallback. */
const goodFrom = 0.2
/** Degrees. */
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

/** Cover state saved in a checkpoint. */
export interface CoverState {
  there: boolean
  good: boolean
  faces: number
}

/** Keeps one frame before and after its swap and writes its images. */
export class CoverTaker {
  #kept: { before: Planes; after: Planes } | null = null
  #state: CoverState
  /** With what the last write found. */
  #written: Promise<CoverState>

  constructor(
    private readonly folder: string,
    private readonly plan: Pick<SwapPlan, 'indexAt'>,
    state: CoverState = { there: false, good: false, faces: 0 },
  ) {
    this.#state = state
    this.#written = Promise.resolve(state)
  }

  /** Resolves when all writes so far are done. */
  get written(): Promise<CoverState> {
    return this.#written
  }

  /** True if this frame is better than the one kept so far. */
  wants(index: number, yaw: number, opacity: number): boolean {
    if (this.#state.good || opacity < 0.5) return false
    return !this.#state.there || this.#isGood(index, yaw)
  }

  keep(index: number, yaw: number, before: Planes, after: Planes): void {
    this.#kept = { before, after }
    this.#state = { there: true, good: this.#isGood(index, yaw), faces: 0 }
  }

  #isGood(index: number, yaw: number): boolean {
    return Math.abs(yaw) < goodYaw && index >= this.plan.indexAt(goodFrom)
  }

  /**
   * Writes `cover.jpg` and `face-N.jpg` if a new frame was kept since the last call. Frames may be kept meanwhile.
   * @param analyst null: no `face-N.jpg`
   * @returns the state at the time of the call
   */
  write(analyst: Caller<AnalysisMethods> | null, color: ColorModel, shown: Shown): Promise<CoverState> {
    const [kept, state] = [this.#kept, this.#state]
    this.#kept = null
    if (kept)
      this.#written = this.#written.then(async () => ({
        ...state,
        faces: await this.#writeKept(kept, analyst, color, shown),
      }))
    return this.#written
  }

  /** @returns number of faces in the picture; 0 without `analyst` */
  async #writeKept(
    kept: { before: Planes; after: Planes },
    analyst: Caller<AnalysisMethods> | null,
    color: ColorModel,
    shown: Shown,
  ): Promise<number> {
    await writeFile(this.folder, 'cover.jpg', await toJpeg(stillOf(kept.after, color, shown, coverWidth), 0.9))
    if (!analyst) return 0
    const before = stillOf(kept.before, color, shown, coverWidth)
    const size = { width: before.width, height: before.height }
    const input = analysisInput(before, { x: 0, y: 0, ...size }, 1600)
    const faces = await analyst.call('faces', [input, size, 3, 10, true])
    for (const [number, { points }] of faces.entries()) {
      await writeFile(this.folder, `face-${number}.jpg`, await toJpeg(cutSquare(before, regionOfPoints(points), 256)))
    }
    return faces.length
  }
}
