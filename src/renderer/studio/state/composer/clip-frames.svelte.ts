/** @file Where the frames of the composer's video are, in milliseconds from its first frame. */
import type { End } from '../../logic/compose/parts.ts'

/** Times of a video's frames, in seconds in the file. */
export interface FrameTimes {
  /** Of the frame shown at a time. */
  frameTime: (time: number) => Promise<number>
  /** Of the frame before or after the one that starts at `time`; `time` if there is none. */
  neighbour: (time: number, direction: 1 | -1) => Promise<number>
  close: () => void
}

export async function openTimes(url: string): Promise<FrameTimes> {
  // Load mediabunny with the first part, not at startup.
  const { openFrames } = await import('../../media/frame-reader.ts')
  return openFrames(url, { onframes: () => undefined, onerror: () => undefined })
}

export class ClipFrames {
  #times: Promise<FrameTimes> | null = null
  /** Time of the first frame, in seconds in the file. */
  #first = $state(0)

  constructor(
    private readonly open: () => Promise<FrameTimes>,
    private readonly durationMs: number,
    readonly fps: number,
  ) {}

  /** @param seconds in the file */
  msAt(seconds: number): number {
    return Math.max(0, Math.round((seconds - this.#first) * 1000))
  }
  /** Seconds in the file. */
  secondsAt(ms: number): number {
    return this.#first + ms / 1000
  }

  /** The frame shown at a time. @param seconds in the file */
  async at(seconds: number): Promise<number> {
    return this.msAt(await (await this.ready()).frameTime(seconds))
  }

  /** Exact time in the file of a frame, whose milliseconds are rounded. */
  async timeOf(ms: number): Promise<number> {
    return (await this.ready()).frameTime(this.secondsAt(ms))
  }

  /** The next frame or the one before; after the last one, the end of the video. */
  async neighbour(ms: number, direction: 1 | -1): Promise<number> {
    const times = await this.ready()
    const time = this.secondsAt(ms)
    const next = await times.neighbour(time, direction)
    return direction === 1 && next <= time ? this.durationMs : this.msAt(next)
  }

  /** The frame that starts nearest to a time; for the end of a part, the video's end is one too. */
  async nearest(end: End, ms: number): Promise<number> {
    await this.ready()
    const before = await this.at(this.secondsAt(Math.max(0, Math.min(ms, this.durationMs))))
    const after = await this.neighbour(before, 1)
    const isLast = end === 'from' && after === this.durationMs
    return isLast || ms - before <= after - ms ? before : after
  }

  /** Opens the file's index. */
  ready(): Promise<FrameTimes> {
    this.#times ??= this.open()
      // Without the index, frames are counted by their average rate.
      .catch(() => evenTimes(this.fps))
      .then(async (times) => {
        this.#first = await times.frameTime(-1e9)
        return times
      })
    return this.#times
  }

  close(): void {
    void this.#times?.then((times) => times.close())
  }
}

/** Frames of one length from zero on. */
function evenTimes(fps: number): FrameTimes {
  const at = (frame: number): Promise<number> => Promise.resolve(Math.max(0, frame) / fps)
  return {
    frameTime: (time) => at(Math.floor(time * fps + 0.01)),
    neighbour: (time, direction) =>
      at(direction > 0 ? Math.floor(time * fps + 0.01) + 1 : Math.ceil(time * fps - 0.01) - 1),
    close: () => undefined,
  }
}
