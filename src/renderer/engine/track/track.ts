/**
 * @file The track of one face: interpolation between analysed frames, and the opacity of the swap; its landmarks and
 * occlusion maps in the frames of a window.
 */
import { yawOf, type Points } from '../face/landmarks.ts'
import { smoothstep } from '../common/smoothstep.ts'
import type { OcclusionMap } from '../occlusion/occlusion-map.ts'

/** One frame of a track. `shot` changes when the face is lost or jumps; frames of different shots are never mixed. */
export interface TrackFrame {
  points: Points | null
  shot: number
  /** True if a cut in the video starts a new picture here. */
  cut: boolean
}

export type FrameAt = (index: number) => TrackFrame | null

/** Frames over which a swap fades in and out. */
export const fadeReach = 4

/** An analysed frame of a track with its index. */
export type Sample = TrackFrame & { index: number }

/**
 * Interpolates the landmarks at `index` from two analysed frames before it and two after. If all four are of one shot,
 * it uses the cubic Hermite curve whose slope at a frame is that of the parabola through it and its neighbours.
 * Otherwise it is linear; null if the two nearest have no face or are of different shots.
 */
export function between(
  [far, before, after, beyond]: readonly (Sample | null | undefined)[],
  index: number,
): Points | null {
  if (!before?.points || !after?.points || before.shot !== after.shot) return null
  const gap = after.index - before.index
  const t = (index - before.index) / gap
  const first = far?.shot === before.shot ? far.points : null
  const last = beyond?.shot === before.shot ? beyond.points : null
  const curved = first !== null && last !== null
  const lead = before.index - (far?.index ?? 0)
  const tail = (beyond?.index ?? 0) - after.index
  const points = new Float32Array(before.points.length)
  for (let i = 0; i < points.length; i += 1) {
    const a = before.points[i] ?? 0
    const b = after.points[i] ?? 0
    points[i] = a + (b - a) * t
    if (!curved) continue
    const slope = (b - a) / gap
    const into = (slope * lead + ((a - (first[i] ?? 0)) / lead) * gap) / (lead + gap)
    const out = (slope * tail + (((last[i] ?? 0) - b) / tail) * gap) / (tail + gap)
    points[i] = (points[i] ?? 0) + gap * t * (1 - t) * ((into - slope) * (1 - t) - (out - slope) * t)
  }
  return points
}

/**
 * Opacity of the swap on a frame, 0…1. It falls at large yaws and over the `fadeReach` frames next to a frame without a
 * face. There is no fade across a cut.
 * @param points smoothed landmarks
 */
export const opacityAt = (at: FrameAt, index: number, points: Points): number =>
  opacityAtYaw(yawOf(points)) * fadeAt(at, index)

/** Opacity without the yaw's. */
export function fadeAt(at: FrameAt, index: number): number {
  const missing = (step: 1 | -1): number => {
    for (let away = 1; away <= fadeReach; away += 1) {
      const frame = at(index + step * away)
      const later = step === 1 ? frame : at(index - away + 1)
      if (!frame || later?.cut) break
      if (!frame.points) return away
    }
    return fadeReach + 1
  }
  // Linear, because that keeps the largest step between frames smallest.
  return Math.min(missing(1), missing(-1)) / (fadeReach + 1)
}

/** Yaw in degrees at which a swap begins to fade. */
export const fadingYaw = 38

/** Opacity, 0…1, at a yaw in degrees. The swap is gone before the far side of the face is hidden. */
export function opacityAtYaw(yaw: number): number {
  return 1 - smoothstep(fadingYaw, 56, Math.abs(yaw))
}

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
