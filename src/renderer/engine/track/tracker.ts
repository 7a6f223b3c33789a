/** @file Tracks one face from frame to frame: predicts its region and checks that it is still the same face. */
import type { Affine } from '../common/affine.ts'
import type { AnalysisMethods, PictureSize } from '../face/analyst.ts'
import { regionOfDetection, type Detection } from '../face/detection.ts'
import { codedPoints, regionOfPoints, type Points } from '../face/landmarks.ts'
import { regionBounds, type Region } from '../face/region.ts'
import { searchInput } from '../face/analysis-input.ts'
import { changedSpots, skinPattern, towards } from '../face/skin-pattern.ts'
import { buffersOf, cutPatch, type ColorModel, type Planes } from '../media/pixels/planes.ts'
import type { Caller } from '../common/rpc.ts'
import type { WindowFrame } from './frame-window.ts'
import type { PersonPath } from './person-path.ts'

/** Frames for which a lost face is remembered and no other face is accepted. */
const memoryFrames = 50
/** Share of changed spots above which a face is considered a different one. */
const another = 0.45
/** Analysed frames until a face's pattern is established, and the rate at which it adapts afterwards. */
const samplesToKnow = 8
const learning = 0.15
/** Share of changed spots above which the pattern doesn't adapt, because the face is probably occluded. */
const inFront = 0.2
/** Maximum number of detected faces compared with a lost one. */
const maxTried = 4

export interface TrackerSetup {
  analyst: Caller<AnalysisMethods>
  /** Maps upright to coded pixels. */
  view: Affine
  /** Size of the upright picture. */
  size: PictureSize
  color: ColorModel
  /** Where the person is; null: the largest face is followed. */
  path: PersonPath | null
  /** Landmarks that are known already, by the frame's time in seconds. They save a run of the model. */
  seen?: ReadonlyMap<number, Points>
}

/** A frame to find a face on. */
export type SearchedFrame = Pick<WindowFrame, 'index' | 'timestamp' | 'planes'>

/** State between two frames. Plain data, so that a checkpoint can store it. */
export interface TrackerState {
  region: Region | null
  /** Index of the last frame with the face; null before the first one. */
  seenAt: number | null
  searches: number
  lost: number
  /** The prefetched frame, and the region analysed in it. */
  ahead: { index: number; region: Region } | null
  /** The face's pattern, and the number of samples it was learned from. Checkpoints store these names. */
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

  /** @param frame the prefetched frame of `state.ahead`, or null */
  restore(state: TrackerState, frame: SearchedFrame | null): void {
    this.#region = state.region
    this.#seenAt = state.seenAt ?? -Infinity
    this.#searches = state.searches
    this.#lost = state.lost
    this.#known = state.known
    if (state.ahead && frame) this.#findAhead(frame, state.ahead.region)
  }

  /** Resets at a cut: the face's last position is meaningless in a new shot. */
  forget(): void {
    this.#region = null
    this.#seenAt = -Infinity
    this.#searches = 0
    this.#lost = 0
    this.#known = null
    this.#ahead = null
  }

  /**
   * Finds the face's landmarks on a frame, in upright pixels; null if it isn't there.
   * @param hint region to analyse instead of the last known one, for example from a later frame
   */
  async find(frame: SearchedFrame, hint: Region | null = null): Promise<Points | null> {
    const { index, planes } = frame
    const { path } = this.#setup
    const expected = path?.at(frame.timestamp) ?? null
    if (path && !expected) {
      if (this.#ahead?.index === index) this.#ahead = null
      return null
    }
    const ahead = this.#ahead?.index === index ? this.#ahead.points : null
    if (ahead) {
      this.#ahead = null
      const points = this.#keep(await ahead, frame)
      if (points) return points
    }
    const near = hint ?? (index - this.#seenAt <= memoryFrames && this.#lost === 0 ? this.#region : null)
    const seen = this.#keep(this.#seenOn(frame, near), frame)
    if (seen) return seen
    if (near) {
      const points = this.#keep(await this.#landmarksAt(planes, near), frame)
      if (points || hint) return points
    }
    this.#lost += 1
    if (index - this.#seenAt > memoryFrames) this.#known = null
    if (expected) return this.#keep(await this.#landmarksAt(planes, expected, true), frame)
    // Most searches detect only on the coarsest level: searching every empty frame in full costs more than it finds.
    const last = index - this.#seenAt <= memoryFrames ? this.#region : null
    for (const detection of inOrder(await this.#search(planes, last === null), last)) {
      const points = this.#keep(await this.#landmarksAt(planes, regionOfDetection(detection), true), frame)
      if (points) return points
    }
    return null
  }

  /**
   * Starts analysing the frame of the next `find` call at the last known region, so that the analysis worker doesn't
   * idle between calls. If the face has moved, the worker corrects the region itself.
   */
  prefetch(frame: SearchedFrame): void {
    if (!this.#region || this.#lost > 0 || this.#ahead || this.#seenOn(frame, this.#region)) return
    this.#findAhead(frame, this.#region)
  }

  /** Known landmarks at a region or, at the start of a shot, anywhere. */
  #seenOn({ timestamp }: SearchedFrame, near: Region | null): Points | null {
    const points = this.#setup.seen?.get(timestamp) ?? null
    if (!points) return null
    if (!near) return this.#region ? null : points
    const { x, y, size } = regionOfPoints(points)
    return Math.hypot(x - near.x, y - near.y) < size / 4 ? points : null
  }

  #findAhead({ index, planes }: SearchedFrame, region: Region): void {
    const points = this.#landmarksAt(planes, region)
    // Awaited in `find`. A job may end before; avoid an unhandled rejection.
    points.catch(() => undefined)
    this.#ahead = { index, region, points }
  }

  /** Accepts landmarks as the new position. @returns null if they belong to another face */
  #keep(points: Points | null, { planes, index, timestamp }: SearchedFrame): Points | null {
    if (!points) return null
    const { path } = this.#setup
    const region = regionOfPoints(points)
    if (path && !path.isOwn(region, timestamp)) return null
    const pattern = skinPattern(planes, codedPoints(points, this.#setup.view))
    const samples = this.#known?.looks ?? 0
    if (this.#known && !path?.isSeen(timestamp) && samples >= samplesToKnow) {
      const { changed, compared } = changedSpots(this.#known.pattern, pattern, true)
      if (changed > compared * another) return null
      if (changed < compared * inFront)
        this.#known = { pattern: towards(this.#known.pattern, pattern, learning), looks: samples }
    } else {
      this.#known = { pattern, looks: samples + 1 }
    }
    this.#region = region
    this.#seenAt = index
    this.#lost = 0
    return points
  }

  async #landmarksAt(frame: Planes, region: Region, detected = false): Promise<Points | null> {
    const { analyst, view, color } = this.#setup
    const patch = cutPatch(frame, color, regionBounds(region, view, 1.2))
    if (!patch) return null
    const found = await analyst.call('landmarks', [{ patch, view }, region, detected], buffersOf(patch))
    return found?.points ?? null
  }

  async #search(frame: Planes, onlyLarge: boolean): Promise<Detection[]> {
    const { analyst, size, color, view } = this.#setup
    const input = searchInput(frame, color, view)
    if (!input) return []
    const levels = this.#searches % 4 === 0 ? 3 : 1
    this.#searches += 1
    return analyst.call('detect', [input, size, levels, onlyLarge], buffersOf(input.patch))
  }
}

/** Sorts detections by distance to the region of a lost face. Without one, only the largest is returned. */
function inOrder(found: readonly Detection[], last: Region | null): Detection[] {
  if (!last) return [...found].sort((a, b) => b.width - a.width).slice(0, 1)
  const away = (one: Detection): number => {
    const { x, y } = regionOfDetection(one)
    return Math.hypot(x - last.x, y - last.y)
  }
  return [...found].sort((a, b) => away(a) - away(b)).slice(0, maxTried)
}
