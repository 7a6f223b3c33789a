/**
 * @file Plans where segments end, with the state to resume from there, and encodes frames into segments. Each is saved and
 * muxed in the background while the next one is encoded.
 */
import { pixelsBefore, type FollowState } from '../../track/follow.ts'
import type { FrameWindow } from '../../track/frame-window.ts'
import type { Checkpoint, SegmentStore } from './segments.ts'
import type { VideoSample } from 'mediabunny'
import type { Encoder } from '@shared/engine/encoder.ts'
import type { Encoding } from '../../media/encode/even-frame.ts'
import type { MediaOutput } from '../../media/encode/media-output.ts'
import { encoderFor, type AnyEncoder, type EncodedSegment } from '../../media/encode/segment-encoder.ts'

/** Length of a segment: roughly the footage that a crash loses. */
const segmentSeconds = 4

type Next = NonNullable<Checkpoint['next']>

/** Faces are followed side by side; each reaches the same frames at another time. */
export class SegmentPlan {
  /** Segment ends by the index of the first frame after the segment; null: no segment ends there. */
  readonly #ends = new Map<number, { decodeFrom: number; states: Map<number, FollowState> } | null>()
  /** Timestamp of the last end, in seconds. */
  #endAt = -Infinity

  constructor(private readonly faces: number) {}

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
    const faces = Array.from({ length: this.faces }, (_, face) => {
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

interface SegmentWriterParts {
  store: SegmentStore
  output: MediaOutput
  encoding: Encoding
  encoder: Encoder
  onSaved: (savedMs: number) => void
}

export class SegmentWriter {
  #encoder: AnyEncoder | null = null
  #saving: Promise<void> = Promise.resolve()

  constructor(private readonly parts: SegmentWriterParts) {}

  /** Muxes a saved segment. Packets that are then in the output are dropped from the segment files. */
  async join(segment: EncodedSegment): Promise<void> {
    const { output, store } = this.parts
    for (const placed of await output.add(segment)) await store.giveUp(placed)
  }

  /**
   * Muxes all segments of an earlier run.
   * @param onJoined called after each segment, so that a long video isn't mistaken for a hung engine
   * @returns the last checkpoint; null when there is none
   */
  async takeUp(signal: AbortSignal, onJoined: (checkpoint: Checkpoint) => void): Promise<Checkpoint | null> {
    const { store } = this.parts
    let last: Checkpoint | null = null
    for (let one = await store.next(); one; one = await store.next()) {
      signal.throwIfAborted()
      await this.join(one.segment)
      last = one.checkpoint
      onJoined(last)
    }
    return last
  }

  async add(sample: VideoSample): Promise<void> {
    this.#encoder ??= encoderFor(this.parts.encoding, this.parts.encoder)
    await this.#encoder.add(sample)
  }

  /** Ends the segment. Resolves once the previous one is saved. @throws MienError the error of saving that one */
  async cut(checkpoint: Promise<Checkpoint>): Promise<void> {
    // Awaited when the segment is saved. Until then, avoid an unhandled rejection.
    checkpoint.catch(() => undefined)
    const encoder = this.#encoder
    this.#encoder = null
    await this.#saving
    if (!encoder) return
    this.#saving = this.#save(encoder, checkpoint)
    // The next `cut` or `settle` awaits it.
    this.#saving.catch(() => undefined)
  }

  /** Waits until all segments are saved. */
  async settle(): Promise<void> {
    await this.#saving
  }

  async cancel(): Promise<void> {
    await Promise.allSettled([this.#saving, this.#encoder?.cancel()])
  }

  async #save(encoder: AnyEncoder, told: Promise<Checkpoint>): Promise<void> {
    const segment = await encoder.finish()
    const checkpoint = await told
    await this.parts.store.save(segment, checkpoint)
    this.parts.onSaved(checkpoint.savedMs)
    await this.join(segment)
  }
}
