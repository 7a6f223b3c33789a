/** @file Follows one face from frame to frame: where to look next, and whether it is still the same face. */
import type { Affine } from '../face/affine.ts'
import type { AnalysisMethods, PictureSize } from '../face/analysis-methods.ts'
import { regionOfDetection, type Detection } from '../face/detection.ts'
import { regionOfPoints, type Points } from '../face/landmarks.ts'
import { regionBounds, type Region } from '../face/region.ts'
import { cutPatch, halve, type ColorModel, type Patch, type Planes } from '../media/planes.ts'
import type { Caller } from '../rpc.ts'

/** Frames for which only a face near the lost one counts as the same. */
const memoryFrames = 25
/** Searched pictures are made smaller than this, in pixels of the longer side. */
const searchSide = 1300

export interface TrackerSetup {
  analyst: Caller<AnalysisMethods>
  view: Affine
  /** Of the upright picture. */
  size: PictureSize
  color: ColorModel
}

/** What a tracker knows between two frames; plain data, so that a swap can go on from it another day. */
export interface TrackerState {
  region: Region | null
  /** Null before the first face. */
  seenAt: number | null
  searches: number
  lost: number
  /** A frame that was looked at ahead, and where. */
  ahead: { index: number; region: Region } | null
}

export class Tracker {
  readonly #setup: TrackerSetup
  #region: Region | null = null
  #seenAt = -Infinity
  #searches = 0
  #lost = 0
  #ahead: { index: number; region: Region; points: Promise<Points | null> } | null = null

  constructor(setup: TrackerSetup) {
    this.#setup = setup
  }

  get state(): TrackerState {
    return {
      region: this.#region,
      seenAt: Number.isFinite(this.#seenAt) ? this.#seenAt : null,
      searches: this.#searches,
      lost: this.#lost,
      ahead: this.#ahead && { index: this.#ahead.index, region: this.#ahead.region },
    }
  }

  /** @param frame the one that was looked at ahead, if any was */
  restore(state: TrackerState, frame: Planes | null): void {
    this.#region = state.region
    this.#seenAt = state.seenAt ?? -Infinity
    this.#searches = state.searches
    this.#lost = state.lost
    if (state.ahead && frame) this.#lookAhead(frame, state.ahead.index, state.ahead.region)
  }

  /** Another shot begins: where the face was says nothing any more. */
  forget(): void {
    this.#region = null
    this.#seenAt = -Infinity
    this.#searches = 0
    this.#lost = 0
    this.#ahead = null
  }

  /**
   * The face's points on a frame, in upright pixels; null when it is not there.
   * @param hint where to look, when another frame than the last analysed one knows better
   */
  async find(frame: Planes, index: number, hint: Region | null = null): Promise<Points | null> {
    const ahead = this.#ahead?.index === index ? this.#ahead.points : null
    if (ahead) {
      this.#ahead = null
      const points = await ahead
      if (points) return this.#keep(points, index)
    }
    const near = hint ?? (index - this.#seenAt <= memoryFrames && this.#lost === 0 ? this.#region : null)
    if (near) {
      const points = await this.#look(frame, near)
      if (points) return this.#keep(points, index)
      if (hint) return null
    }
    this.#lost += 1
    // While a face is missed, searching every frame of a long empty stretch would cost more than it finds.
    const detection = this.#choose(await this.#search(frame), index)
    if (!detection) return null
    const points = await this.#look(frame, regionOfDetection(detection))
    return points ? this.#keep(points, index) : null
  }

  /**
   * Starts looking at a frame that `find` will be asked about next, where the face was last seen, so that the analysis
   * worker need not wait for the answer before it to come round. If the face moved on, the worker notices by itself.
   */
  prefetch(frame: Planes, index: number): void {
    if (!this.#region || this.#lost > 0 || this.#ahead) return
    this.#lookAhead(frame, index, this.#region)
  }

  #lookAhead(frame: Planes, index: number, region: Region): void {
    const points = this.#look(frame, region)
    // `find` awaits it; a job that ends before must not leave an unhandled rejection.
    points.catch(() => undefined)
    this.#ahead = { index, region, points }
  }

  #keep(points: Points, index: number): Points {
    this.#region = regionOfPoints(points)
    this.#seenAt = index
    this.#lost = 0
    return points
  }

  async #look(frame: Planes, region: Region): Promise<Points | null> {
    const { analyst, view, color } = this.#setup
    const patch = cutPatch(frame, color, regionBounds(region, view, 1.2))
    if (!patch) return null
    const found = await analyst.call('landmarks', [{ patch, view }, region], buffersOf(patch))
    return found?.points ?? null
  }

  async #search(frame: Planes): Promise<Detection[]> {
    const { analyst, size, color } = this.#setup
    let { view } = this.#setup
    let small = frame
    while (Math.max(small.width, small.height) > searchSide) {
      small = halve(small)
      view = { a: view.a / 2, b: view.b / 2, c: view.c / 2, d: view.d / 2, e: view.e / 2, f: view.f / 2 }
    }
    const patch = cutPatch(small, color, { left: 0, top: 0, right: small.width, bottom: small.height })
    if (!patch) return []
    const levels = this.#searches % 4 === 0 ? 3 : 1
    this.#searches += 1
    return analyst.call('detect', [{ patch, view }, size, levels], buffersOf(patch))
  }

  /** The lost face if it was seen lately, else the largest. */
  #choose(found: readonly Detection[], index: number): Detection | null {
    const known = index - this.#seenAt <= memoryFrames ? this.#region : null
    const bySize = [...found].sort((a, b) => b.width - a.width)
    if (!known) return bySize[0] ?? null
    const near = bySize.find((one) => {
      const region = regionOfDetection(one)
      return (
        Math.hypot(region.x - known.x, region.y - known.y) < known.size &&
        Math.abs(Math.log(region.size / known.size)) < 0.5
      )
    })
    return near ?? null
  }
}

const buffersOf = (patch: Patch): ArrayBuffer[] =>
  // All three planes are views of one buffer of our own making.
  patch.y.buffer instanceof ArrayBuffer ? [patch.y.buffer] : []
