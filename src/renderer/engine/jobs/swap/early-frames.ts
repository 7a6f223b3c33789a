/** @file The first frames of a video, which a swap holds until it draws, for the steps that look at them before. */
import type { FrameWindow } from '../../track/frame-window.ts'
import { createPlanes, type ColorModel, type Planes } from '../../media/pixels/planes.ts'

/** A frame with its time in seconds. */
export interface DecodedFrame {
  timestamp: number
  planes: Planes
  color: ColorModel
}

interface Held {
  frames: FrameWindow
  color: ColorModel
  /** Seconds up to which frames fit into the window. */
  until: number
}

/** Saves decoding the start of a video twice. */
export class EarlyFrames {
  readonly #held = Promise.withResolvers<Held | null>()

  /** Only the first call counts. It must come, because `at` waits for it. @param held null: nothing is held */
  offer(held: Held | null): void {
    this.#held.resolve(held)
  }

  /**
   * A copy of the frame that is shown at a time.
   * @param time seconds, not the very beginning of a frame, where rounding decides
   * @returns null if the frame isn't held, so it has to be decoded
   */
  async at(time: number): Promise<DecodedFrame | null> {
    const held = await this.#held.promise
    if (!held || time >= held.until) return null
    // A swap that has failed holds no frames.
    const frame = await held.frames.shownAt(time).catch(() => null)
    if (!frame) return null
    const planes = createPlanes(frame.planes.width, frame.planes.height)
    for (const plane of ['y', 'u', 'v'] as const) planes[plane].set(frame.planes[plane])
    return { timestamp: frame.timestamp, planes, color: held.color }
  }
}
