/** @file Follows one face from frame to frame: where to look next, and whether it is still the same face. */
import type { Affine } from '../face/affine.ts'
import type { AnalysisMethods, PictureSize } from '../face/analysis-methods.ts'
import { regionOfDetection, type Detection } from '../face/detection.ts'
import { codedPoints } from '../face/coded-points.ts'
import { regionOfPoints, type Points } from '../face/landmarks.ts'
import { regionBounds, type Region } from '../face/region.ts'
import { changedSpots, skinPattern, towards } from '../face/skin-pattern.ts'
import { buffersOf, cutPatch, halve, type ColorModel, type Planes } from '../media/pixels/planes.ts'
import type { Caller } from '../common/rpc.ts'

/** Frames for which a face that was lost is waited for, and no other one taken. */
const memoryFrames = 50
/** Share of changed spots from which a face is another one. */
const another = 0.45
/** A face's pattern is known after so many looks; from then on it follows what is seen only so fast. */
const looksToKnow = 8
const learning = 0.15
/** Share of changed spots from which nothing is learned: something passes in front. */
const inFront = 0.2
/** Faces of a frame that are compared with a lost one. */
const maxTried = 4
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
  /** What the face looks like, and how often it was looked at. */
  known: { pattern: Float32Array; looks: number } | null
}

export class Tracker {
  readonly #setup: TrackerSetup
  #region: Region | null = null
  #seenAt = -Infinity
  #searches = 0
  #lost = 0
  #known: TrackerState['known'] = null
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
      known: this.#known,
    }
  }

  /** @param frame the one that was looked at ahead, if any was */
  restore(state: TrackerState, frame: Planes | null): void {
    this.#region = state.region
    this.#seenAt = state.seenAt ?? -Infinity
    this.#searches = state.searches
    this.#lost = state.lost
    this.#known = state.known
    if (state.ahead && frame) this.#lookAhead(frame, state.ahead.index, state.ahead.region)
  }

  /** Another shot begins: where the face was says nothing any more. */
  forget(): void {
    this.#region = null
    this.#seenAt = -Infinity
    this.#searches = 0
    this.#lost = 0
    this.#known = null
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
      const points = this.#keep(await ahead, frame, index)
      if (points) return points
    }
    const near = hint ?? (index - this.#seenAt <= memoryFrames && this.#lost === 0 ? this.#region : null)
    if (near) {
      const points = this.#keep(await this.#look(frame, near), frame, index)
      if (points || hint) return points
    }
    this.#lost += 1
    if (index - this.#seenAt > memoryFrames) this.#known = null
    // While a face is missed, searching every frame of a long empty stretch would cost more than it finds.
    for (const detection of this.#inOrder(await this.#search(frame), index)) {
      const points = this.#keep(await this.#look(frame, regionOfDetection(detection), true), frame, index)
      if (points) return points
    }
    return null
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

  /** Goes on from these points; null when they are another face's. */
  #keep(points: Points | null, frame: Planes, index: number): Points | null {
    if (!points) return null
    const pattern = skinPattern(frame, codedPoints(points, this.#setup.view))
    const looks = this.#known?.looks ?? 0
    if (this.#known && looks >= looksToKnow) {
      const { changed, compared } = changedSpots(this.#known.pattern, pattern, true)
      if (changed > compared * another) return null
      if (changed < compared * inFront)
        this.#known = { pattern: towards(this.#known.pattern, pattern, learning), looks }
    } else {
      this.#known = { pattern, looks: looks + 1 }
    }
    this.#region = regionOfPoints(points)
    this.#seenAt = index
    this.#lost = 0
    return points
  }

  async #look(frame: Planes, region: Region, detected = false): Promise<Points | null> {
    const { analyst, view, color } = this.#setup
    const patch = cutPatch(frame, color, regionBounds(region, view, 1.2))
    if (!patch) return null
    const found = await analyst.call('landmarks', [{ patch, view }, region, detected], buffersOf(patch))
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

  /** Nearest to the lost face first if it was seen lately, else the largest alone. */
  #inOrder(found: readonly Detection[], index: number): Detection[] {
    const known = index - this.#seenAt <= memoryFrames ? this.#region : null
    if (!known) return [...found].sort((a, b) => b.width - a.width).slice(0, 1)
    const away = (one: Detection): number => {
      const { x, y } = regionOfDetection(one)
      return Math.hypot(x - known.x, y - known.y)
    }
    return [...found].sort((a, b) => away(a) - away(b)).slice(0, maxTried)
  }
}
