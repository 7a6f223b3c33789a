/** @file Frames that were decoded already: the first ones, which a swap holds until it draws, and what a proof found. */
import type { FrameWindow } from '../../track/frame-window.ts'
import { createPlanes, type ColorModel, type Planes } from '../../media/pixels/planes.ts'
import type { Range } from '@shared/people/people.ts'
import { contentOf } from '../../media/versioned-file.ts'
import type { SeenPerson } from './first-frames.ts'
import type { RequestOf } from '../job-context.ts'

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

let kept: { key: string; seen: SeenPerson[] } | null = null
/** Of pixels: five frames of 4K, and a little more. */
const maxBytes = 80e6

/**
 * Names the video's content, the people and the range: what is found depends on nothing else. Null for a swap that is no
 * proof while nothing is kept: the name isn't needed, so the file isn't read.
 */
export async function keyOfSeen(
  { cast, stay, video, proofOf }: RequestOf<'swap'>,
  reach: Range | null,
  signal: AbortSignal,
): Promise<string | null> {
  if (!proofOf && !kept) return null
  return JSON.stringify([await contentOf(video, signal), cast.map(({ clips }) => clips), stay, reach])
}

/** Null if something else is kept. A swap that is no proof is the last one that needs it. */
export function takeSeen(key: string, isProof: boolean): SeenPerson[] | null {
  const seen = kept?.key === key ? kept.seen : null
  if (!isProof) kept = null
  return seen
}

/** Keeps it in place of what was kept before, unless its frames need too much memory. */
export function keepSeen(key: string, seen: SeenPerson[]): void {
  const planes = new Set(seen.flatMap(({ frames }) => frames.map(({ planes: each }) => each.y.buffer)))
  const bytes = [...planes].reduce((sum, { byteLength }) => sum + byteLength, 0)
  kept = bytes <= maxBytes ? { key, seen } : null
}
