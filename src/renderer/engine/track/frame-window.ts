/** @file The few frames between decoder and encoder: their pixels, and what is known of the face on them. */
import type { Points } from '../face/landmarks.ts'
import { planesByteLength, planesOver, type Planes } from '../media/pixels/planes.ts'
import type { OcclusionMap } from '../occlusion/occlusion-map.ts'
import { isCut, thumbnailOf } from './cut.ts'
import type { FrameAt, TrackFrame } from './track.ts'

export interface WindowFrame {
  index: number
  /** Seconds, as the file says. */
  timestamp: number
  duration: number
  /** Its own pixels could not be read; these are another frame's. */
  damaged: boolean
  planes: Planes
  buffer: ArrayBuffer
  /** The picture is another one than that of the frame before. */
  cut: boolean
}

/** Wakes everyone who waits for something to have changed. */
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
  /** Index of the first frame that comes. */
  readonly first: number
  readonly #width: number
  readonly #height: number
  readonly #max: number
  readonly #bell = new Bell()
  readonly #frames = new Map<number, WindowFrame>()
  readonly #tracks = new Map<number, TrackFrame>()
  readonly #spare: ArrayBuffer[] = []
  /** By index. */
  readonly #occlusions: OcclusionMap[] = []
  #thumbnail: Uint8Array | null = null
  #count: number
  #complete = false
  #settled: number
  #stopped = false

  /**
   * @param most frames held at once
   * @param first index of the first frame that will come
   */
  constructor(width: number, height: number, max: number, first = 0) {
    this.first = first
    this.#width = width
    this.#height = height
    this.#max = max
    this.#count = first
    this.#settled = first - 1
  }

  /** Frames of the video up to the last that has come in. */
  get count(): number {
    return this.#count
  }

  get complete(): boolean {
    return this.#complete
  }

  /** Points of frames that are settled, for smoothing. */
  readonly trackAt: FrameAt = (index) => (index <= this.#settled ? (this.#tracks.get(index) ?? null) : null)

  /** Points of any frame that was looked at. */
  peek(index: number): TrackFrame | undefined {
    return this.#tracks.get(index)
  }

  frame(index: number): WindowFrame | undefined {
    return this.#frames.get(index)
  }

  /** Room for another frame's pixels, as soon as there is. */
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

  /** No more frames will come. */
  finish(): void {
    this.#complete = true
    this.#bell.ring()
  }

  /** Everyone who waits fails. */
  stop(): void {
    this.#stopped = true
    this.#bell.ring()
  }

  note(index: number, points: Points | null, shot: number, cut = this.#frames.get(index)?.cut ?? false): void {
    this.#tracks.set(index, { points, shot, cut })
  }

  /** Later ones come later. */
  noteOcclusion(map: OcclusionMap): void {
    this.#occlusions.push(map)
  }

  /** What was last known to be in front of the face, and what comes next within `ahead` frames; settled ones only. */
  occlusionsAround(index: number, ahead: number): { before: OcclusionMap | null; after: OcclusionMap | null } {
    const before = this.#occlusions.findLast((map) => map.index <= index) ?? null
    const after = this.#occlusions.find((map) => map.index > index && map.index <= index + ahead) ?? null
    return { before, after }
  }

  /** Nothing about frames up to this one will change any more. */
  settle(index: number): void {
    this.#settled = index
    this.#bell.ring()
  }

  /** True when the frame is here, false when the video ended before it. */
  async arrived(index: number): Promise<boolean> {
    await this.#until(() => this.#count > index || this.#complete)
    return this.#count > index
  }

  /** Waits until a frame and those that smoothing looks at are settled; false when the video ended before it. */
  async ready(index: number, ahead: number): Promise<boolean> {
    await this.#until(() =>
      this.#complete ? this.#settled >= Math.min(index + ahead, this.#count - 1) : this.#settled >= index + ahead,
    )
    return index < this.#count
  }

  /** The pixels of a frame are done with; its track is kept as long as smoothing may look back. */
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
