/**
 * @file The frames between decoder and encoder, and the faces tracked in them. Cuts between shots are found by comparing
 * thumbnails of consecutive frames.
 */
import { type Planes, planesByteLength, planesOver } from '../media/pixels/planes.ts'
import { FaceTrack } from './track.ts'

/** Size of a thumbnail. */
const columns = 24
const rows = 14

/** A luma thumbnail of 24 × 14 values, 0…255. Each is the mean of 16 samples. */
export function thumbnailOf({ y, width, height }: Planes): Uint8Array {
  const thumbnail = new Uint8Array(columns * rows)
  const stepX = Math.max(1, width / columns / 4)
  const stepY = Math.max(1, height / rows / 4)
  for (let at = 0; at < thumbnail.length; at += 1) {
    const left = Math.floor(((at % columns) * width) / columns)
    const top = Math.floor((Math.floor(at / columns) * height) / rows)
    let sum = 0
    for (let spot = 0; spot < 16; spot += 1) {
      const column = Math.min(width - 1, Math.floor(left + ((spot % 4) + 0.5) * stepX))
      const row = Math.min(height - 1, Math.floor(top + (Math.floor(spot / 4) + 0.5) * stepY))
      sum += y[row * width + column] ?? 0
    }
    thumbnail[at] = sum >> 4
  }
  return thumbnail
}

/** Mean difference of two thumbnails, in luma levels. */
export const differenceOf = (before: Uint8Array, after: Uint8Array): number =>
  before.reduce((sum, value, at) => sum + Math.abs(value - (after[at] ?? 0)), 0) / before.length

/** Two frames are of different shots above this mean difference (luma levels) and below this correlation. */
const minDifference = 14
const maxAlike = 0.6

export function isCut(before: Uint8Array, after: Uint8Array): boolean {
  const count = before.length
  let [sumA, sumB, dot, squareA, squareB, difference] = [0, 0, 0, 0, 0, 0]
  for (let at = 0; at < count; at += 1) {
    const [a, b] = [before[at] ?? 0, after[at] ?? 0]
    sumA += a
    sumB += b
    dot += a * b
    squareA += a * a
    squareB += b * b
    difference += Math.abs(a - b)
  }
  if (difference / count < minDifference) return false
  const spread = Math.sqrt((squareA - (sumA * sumA) / count) * (squareB - (sumB * sumB) / count))
  return (dot - (sumA * sumB) / count) / Math.max(1, spread) < maxAlike
}

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
  /** Number of the part of the swap's plan; null for a frame that isn't swapped. */
  part: number | null
  /** True if a new shot or part starts here. */
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
  /** A frame is settled when it is settled in all of them. */
  readonly tracks: readonly FaceTrack[]
  readonly #spare: ArrayBuffer[] = []
  #thumbnail: Uint8Array | null = null
  /** Of the last frame pushed. */
  #part: number | null = null
  #count: number
  #complete = false
  #stopped = false

  /**
   * @param max maximum number of frames held at once
   * @param first index of the first frame that will be pushed
   * @param faces number of faces tracked
   */
  constructor(width: number, height: number, max: number, first: number, faces: number) {
    this.first = first
    this.#width = width
    this.#height = height
    this.#max = max
    this.#count = first
    const window = {
      first,
      isCut: (index: number) => this.#frames.get(index)?.cut ?? false,
      onSettle: () => {
        this.#bell.ring()
      },
    }
    this.tracks = Array.from({ length: faces }, () => new FaceTrack(window))
  }

  /** Index after the last frame pushed. */
  get count(): number {
    return this.#count
  }

  get complete(): boolean {
    return this.#complete
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
    const cut = this.#thumbnail !== null && (this.#part !== frame.part || isCut(this.#thumbnail, thumbnail))
    this.#thumbnail = thumbnail
    this.#part = frame.part
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

  get #settled(): number {
    return Math.min(...this.tracks.map(({ settled }) => settled))
  }

  /** Waits for a frame. @returns false if the video ended before it */
  async arrived(index: number): Promise<boolean> {
    await this.#until(() => this.#count > index || this.#complete)
    return this.#count > index
  }

  /**
   * The frame that is shown at a time in seconds, from before anything is freed. It waits for the frame after it.
   * @returns null if the two don't fit into the window, if the frame is damaged, or if the video begins later
   */
  async shownAt(time: number): Promise<WindowFrame | null> {
    for (let index = this.first; index + 1 < this.first + this.#max; index += 1) {
      const next = (await this.arrived(index + 1)) ? this.#frames.get(index + 1) : null
      if (next && next.timestamp <= time) continue
      const frame = this.#frames.get(index)
      return frame && !frame.damaged && frame.timestamp <= time ? frame : null
    }
    return null
  }

  /** Waits until a frame and the `ahead` frames after it are settled. @returns false if the video ended before it */
  async ready(index: number, ahead: number): Promise<boolean> {
    await this.#until(() =>
      this.#complete ? this.#settled >= Math.min(index + ahead, this.#count - 1) : this.#settled >= index + ahead,
    )
    return index < this.#count
  }

  /** Frees a frame's pixels, and the landmarks `keep` frames earlier. Smoothing needs those in between. */
  release(index: number, keep: number): void {
    const frame = this.#frames.get(index)
    this.#frames.delete(index)
    for (const track of this.tracks) track.release(index, keep)
    // Most are handed over to the encoder.
    if (frame && frame.buffer.byteLength > 0) this.#spare.push(frame.buffer)
    this.#bell.ring()
  }

  async #until(met: () => boolean): Promise<void> {
    while (!this.#stopped && !met()) await this.#bell.wait()
    if (this.#stopped) throw new DOMException('stopped', 'AbortError')
  }
}
