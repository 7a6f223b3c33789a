/** @file The frames between decoder and encoder: their pixels, tracks and occlusion maps. */
import type { Points } from '../face/landmarks.ts'
import { planesByteLength, planesOver, type Planes } from '../media/pixels/planes.ts'
import type { OcclusionMap } from '../occlusion/occlusion-map.ts'
import { isCut, thumbnailOf } from './cut.ts'
import type { FrameAt, TrackFrame } from './track.ts'

export interface WindowFrame {
  index: number
  /** Seconds, as in the file. */
  timestamp: number
  /** Seconds. */
  duration: number
  /** The frame could not be decoded; `planes` holds another frame's pixels. */
  damaged: boolean
  planes: Planes
  buffer: ArrayBuffer
  /** True if a new shot starts here. */
  cut: boolean
}

/** Condition variable: `ring` resolves all pending `wait` calls. */
class Bell {
  #waiting: (() => void)[] = []

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  ring(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}

export class FrameWindow {
  /** Index of the first frame pushed. */
  readonly first: number
  readonly #width: number
  readonly #height: number
  readonly #max: number
  readonly #bell = new Bell()
  readonly #frames = new Map<number, WindowFrame>()
  readonly #tracks = new Map<number, TrackFrame>()
  readonly #spare: ArrayBuffer[] = []
  /** Ascending by index. */
  readonly #occlusions: OcclusionMap[] = []
  #thumbnail: Uint8Array | null = null
  #count: number
  #complete = false
  #settled: number
  #stopped = false

  /**
   * @param max maximum number of frames held at once
   * @param first index of the first frame that will be pushed
   */
  constructor(width: number, height: number, max: number, first = 0) {
    this.first = first
    this.#width = width
    this.#height = height
    this.#max = max
    this.#count = first
    this.#settled = first - 1
  }

  /** Index after the last frame pushed. */
  get count(): number {
    return this.#count
  }

  get complete(): boolean {
    return this.#complete
  }

  /** Tracks of settled frames, for smoothing. */
  readonly trackAt: FrameAt = (index) => (index <= this.#settled ? (this.#tracks.get(index) ?? null) : null)

  /** Track of any frame, settled or not. */
  peek(index: number): TrackFrame | undefined {
    return this.#tracks.get(index)
  }

  frame(index: number): WindowFrame | undefined {
    return this.#frames.get(index)
  }

  /** Waits for a free slot. @returns a buffer for the next frame's pixels */
  async room(): Promise<{ buffer: ArrayBuffer; planes: Planes }> {
    await this.#until(() => this.#frames.size < this.#max)
    const buffer = this.#spare.pop() ?? new ArrayBuffer(planesByteLength(this.#width, this.#height))
    return { buffer, planes: planesOver(buffer, this.#width, this.#height) }
  }

  push(frame: Omit<WindowFrame, 'index' | 'cut'>): void {
    const thumbnail = thumbnailOf(frame.planes)
    const cut = this.#thumbnail !== null && isCut(this.#thumbnail, thumbnail)
    this.#thumbnail = thumbnail
    this.#frames.set(this.#count, { ...frame, index: this.#count, cut })
    this.#count += 1
    this.#bell.ring()
  }

  /** Marks the end of the video. */
  finish(): void {
    this.#complete = true
    this.#bell.ring()
  }

  /** Makes all pending and future waits fail with an `AbortError`. */
  stop(): void {
    this.#stopped = true
    this.#bell.ring()
  }

  note(index: number, points: Points | null, shot: number, cut = this.#frames.get(index)?.cut ?? false): void {
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

  /** Declares the tracks of all frames up to this one final. */
  settle(index: number): void {
    this.#settled = index
    this.#bell.ring()
  }

  /** Waits for a frame. @returns false if the video ended before it */
  async arrived(index: number): Promise<boolean> {
    await this.#until(() => this.#count > index || this.#complete)
    return this.#count > index
  }

  /** Waits until a frame and the `ahead` frames after it are settled. @returns false if the video ended before it */
  async ready(index: number, ahead: number): Promise<boolean> {
    await this.#until(() =>
      this.#complete ? this.#settled >= Math.min(index + ahead, this.#count - 1) : this.#settled >= index + ahead,
    )
    return index < this.#count
  }

  /** Frees a frame's pixels, and the track `keep` frames earlier. Smoothing needs the tracks in between. */
  release(index: number, keep: number): void {
    const frame = this.#frames.get(index)
    this.#frames.delete(index)
    this.#tracks.delete(index - keep)
    while ((this.#occlusions[1]?.index ?? Infinity) <= index) this.#occlusions.shift()
    if (frame) this.#spare.push(frame.buffer)
    this.#bell.ring()
  }

  async #until(met: () => boolean): Promise<void> {
    while (!this.#stopped && !met()) await this.#bell.wait()
    if (this.#stopped) throw new DOMException('stopped', 'AbortError')
  }
}
