/** @file The frames of some parts of a video, at their times in a result that has only these parts. Times in seconds. */
import type { Range } from '@shared/people/people.ts'
import { sameTime } from '../logic/pictures/frame-pair.ts'
import type { FrameReader } from './frame-reader.ts'

export type VideoFrames = Pick<
  FrameReader,
  'times' | 'ended' | 'duration' | 'hasSound' | 'frame' | 'dropBefore' | 'frameTime' | 'neighbour' | 'seek' | 'close'
>

/** A part in the file, and its start in the result. */
interface Placed {
  from: number
  to: number
  at: number
}

export class PartFrames implements VideoFrames {
  readonly #frames: VideoFrames
  readonly #parts: readonly Placed[]
  /** The part that is being decoded. */
  #part: Placed

  private constructor(frames: VideoFrames, parts: readonly Placed[]) {
    this.#frames = frames
    this.#parts = parts
    this.#part = parts[0] ?? { from: 0, to: frames.duration, at: 0 }
  }

  /** @param parts as the engine cut them (see `rangeSchema`) */
  static async open(frames: VideoFrames, parts: Range['parts']): Promise<PartFrames> {
    const first = await frames.frameTime(-1e9)
    const ms = (time: number): number => Math.round((time - first) * 1000)
    /** The first frame at or after a time; the end of the video behind the last one. */
    const frameFrom = async (wanted: number): Promise<number> => {
      const time = await frames.frameTime(first + wanted / 1000)
      if (ms(time) >= wanted) return time
      const next = await frames.neighbour(time, 1)
      return next > time ? next : frames.duration
    }
    const placed: Placed[] = []
    let at = 0
    for (const { fromMs, toMs } of parts) {
      const [from, to] = [await frameFrom(fromMs), await frameFrom(toMs)]
      placed.push({ from, to, at })
      at += to - from
    }
    return new PartFrames(frames, placed)
  }

  get times(): readonly number[] {
    const { from, to, at } = this.#part
    return this.#frames.times.filter((time) => time < to - sameTime).map((time) => time - from + at)
  }
  get ended(): boolean {
    return this.#frames.ended || (this.#frames.times.at(-1) ?? 0) >= this.#part.to - sameTime
  }
  get duration(): number {
    const last = this.#parts.at(-1)
    return last ? last.at + last.to - last.from : 0
  }
  get hasSound(): boolean {
    return this.#frames.hasSound
  }

  frame(index: number): ReturnType<VideoFrames['frame']> {
    return this.#frames.frame(index)
  }
  dropBefore(index: number): void {
    this.#frames.dropBefore(index)
  }
  close(): void {
    this.#frames.close()
  }

  seek(time: number): void {
    this.#part = this.#partAt(time)
    this.#frames.seek(this.#inFile(time))
  }

  /** Continues with the next part when playback gets there. */
  follow(time: number): void {
    if (this.#partAt(time) !== this.#part) this.seek(time)
  }

  async frameTime(time: number): Promise<number> {
    const { from, to, at } = this.#partAt(time)
    const found = await this.#frames.frameTime(Math.min(this.#inFile(time), to - sameTime))
    return Math.max(found, from) - from + at
  }

  async neighbour(time: number, direction: 1 | -1): Promise<number> {
    const part = this.#partAt(time)
    const found = await this.#frames.neighbour(this.#inFile(time), direction)
    if (found >= part.from - sameTime && found < part.to - sameTime) return found - part.from + part.at
    const next = this.#parts[this.#parts.indexOf(part) + direction]
    if (!next) return time
    return direction > 0 ? next.at : this.frameTime(part.at - sameTime * 2)
  }

  #partAt(time: number): Placed {
    return this.#parts.findLast(({ at }) => at <= time + sameTime) ?? this.#part
  }

  #inFile(time: number): number {
    const { from, at } = this.#partAt(time)
    return from + time - at
  }
}
