/** @file One face in the frames of a window: its landmarks and occlusion maps. */
import type { Points } from '../face/landmarks.ts'
import type { OcclusionMap } from '../occlusion/occlusion-map.ts'
import type { FrameAt, TrackFrame } from './track.ts'

/** The part of the window that a track uses. */
interface TrackedWindow {
  /** Index of the first frame. */
  first: number
  isCut: (index: number) => boolean
  onSettle: () => void
}

export class FaceTrack {
  readonly #tracks = new Map<number, TrackFrame>()
  /** Ascending by index. */
  readonly #occlusions: OcclusionMap[] = []
  readonly #window: TrackedWindow
  #settled: number

  constructor(window: TrackedWindow) {
    this.#window = window
    this.#settled = window.first - 1
  }

  /** Index of the last frame whose landmarks are final. */
  get settled(): number {
    return this.#settled
  }

  /** Landmarks of settled frames, for smoothing. */
  readonly trackAt: FrameAt = (index) => (index <= this.#settled ? (this.#tracks.get(index) ?? null) : null)

  /** Landmarks of any frame, settled or not. */
  peek(index: number): TrackFrame | undefined {
    return this.#tracks.get(index)
  }

  note(index: number, points: Points | null, shot: number, cut = this.#window.isCut(index)): void {
    this.#tracks.set(index, { points, shot, cut })
  }

  /** Call in ascending order of `map.index`. */
  noteOcclusion(map: OcclusionMap): void {
    this.#occlusions.push(map)
  }

  /** The last occlusion map up to `index`, and the first after it within `ahead` frames. */
  occlusionsAround(index: number, ahead: number): { before: OcclusionMap | null; after: OcclusionMap | null } {
    const before = this.#occlusions.findLast((map) => map.index <= index) ?? null
    const after = this.#occlusions.find((map) => map.index > index && map.index <= index + ahead) ?? null
    return { before, after }
  }

  /** Declares the landmarks of all frames up to this one final. */
  settle(index: number): void {
    this.#settled = index
    this.#window.onSettle()
  }

  /** Frees what frames from `index` on don't need. @param keep frames before it that smoothing still needs */
  release(index: number, keep: number): void {
    this.#tracks.delete(index - keep)
    while ((this.#occlusions[1]?.index ?? Infinity) <= index) this.#occlusions.shift()
  }
}
