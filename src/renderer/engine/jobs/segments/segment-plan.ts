/** @file Plans where segments end, and collects the state to resume from there. */
import { pixelsBefore, type FollowState } from '../../track/follow.ts'
import type { FrameWindow } from '../../track/frame-window.ts'
import type { Checkpoint } from './segments.ts'

/** Length of a segment: roughly the footage that a crash loses. */
const segmentSeconds = 4

type Next = NonNullable<Checkpoint['next']>

/** Faces are followed side by side; each reaches the same frames at another time. */
export class SegmentPlan {
  readonly #faces: number
  /** Segment ends by the index of the first frame after the segment; null: no segment ends there. */
  readonly #ends = new Map<number, { decodeFrom: number; states: Map<number, FollowState> } | null>()
  /** Timestamp of the last end, in seconds. */
  #endAt = -Infinity

  constructor(faces: number) {
    this.#faces = faces
  }

  /** Call for each face on the same frames, ascending. @param state copies the state of following this face */
  offer(frames: FrameWindow, index: number, face: number, state: () => FollowState): void {
    if (!this.#ends.has(index)) this.#ends.set(index, this.#endBefore(frames, index))
    this.#ends.get(index)?.states.set(face, state())
  }

  /** What a checkpoint before this frame needs; null if no segment ends here. Call in order, once all are followed. */
  take(index: number): Next | null {
    const end = this.#ends.get(index)
    this.#ends.delete(index)
    if (!end) return null
    const faces = Array.from({ length: this.#faces }, (_, face) => {
      const state = end.states.get(face)
      if (!state) throw new Error('a face was not followed up to this frame')
      return state
    })
    return { index, faces, decodeFrom: end.decodeFrom }
  }

  /** An end before this frame, if the segment is long enough and the frames needed to resume are undamaged. */
  #endBefore(frames: FrameWindow, index: number): { decodeFrom: number; states: Map<number, FollowState> } | null {
    const frame = frames.frame(index)
    if (!frame) return null
    if (this.#endAt === -Infinity) this.#endAt = frame.timestamp
    if (frame.timestamp - this.#endAt < segmentSeconds) return null
    const needed = Array.from({ length: pixelsBefore + 1 }, (_, back) => frames.frame(index - back))
    const first = needed.at(-1)
    if (!first || needed.some((one) => one?.damaged !== false)) return null
    this.#endAt = frame.timestamp
    return { decodeFrom: first.timestamp, states: new Map() }
  }
}
