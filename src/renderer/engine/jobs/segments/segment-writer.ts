/** @file Encodes frames into segments. Each is saved and muxed in the background while the next one is encoded. */
import type { VideoSample } from 'mediabunny'
import type { Encoder } from '@shared/engine/engine.ts'
import type { Encoding } from '../../media/encode/even-frame.ts'
import type { MediaOutput } from '../../media/encode/media-output.ts'
import { encoderFor, type AnyEncoder } from '../../media/encode/exact-encoder.ts'
import type { EncodedSegment } from '../../media/encode/segment-encoder.ts'
import type { Checkpoint, SegmentStore } from './segments.ts'

interface SegmentWriterParts {
  store: SegmentStore
  output: MediaOutput
  encoding: Encoding
  encoder: Encoder
  onSaved: (savedMs: number) => void
}

export class SegmentWriter {
  readonly #parts: SegmentWriterParts
  #encoder: AnyEncoder | null = null
  #saving: Promise<void> = Promise.resolve()

  constructor(parts: SegmentWriterParts) {
    this.#parts = parts
  }

  /** Muxes a saved segment. Packets that are then in the output are dropped from the segment files. */
  async join(segment: EncodedSegment): Promise<void> {
    const { output, store } = this.#parts
    for (const placed of await output.add(segment)) await store.giveUp(placed)
  }

  /**
   * Muxes all segments of an earlier run.
   * @param onJoined called after each segment, so that a long video isn't mistaken for a hung engine
   * @returns the last checkpoint; null when there is none
   */
  async takeUp(signal: AbortSignal, onJoined: (checkpoint: Checkpoint) => void): Promise<Checkpoint | null> {
    const { store } = this.#parts
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
    this.#encoder ??= encoderFor(this.#parts.encoding, this.#parts.encoder)
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
    await this.#parts.store.save(segment, checkpoint)
    this.#parts.onSaved(checkpoint.savedMs)
    await this.join(segment)
  }
}
