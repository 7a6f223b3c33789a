/** @file Encodes frames into segments; each is saved and joined in the background while the next one is encoded. */
import type { VideoSample } from 'mediabunny'
import type { VideoFacts } from '../media/media-input.ts'
import type { MediaOutput } from '../media/media-output.ts'
import { SegmentEncoder, type EncodedSegment } from '../media/segment-encoder.ts'
import type { Checkpoint, SegmentStore } from './segments.ts'

export class SegmentWriter {
  readonly #store: SegmentStore
  readonly #output: MediaOutput
  readonly #facts: VideoFacts
  readonly #onSaved: (savedMs: number) => void
  #encoder: SegmentEncoder | null = null
  #saving: Promise<void> = Promise.resolve()

  constructor(store: SegmentStore, output: MediaOutput, facts: VideoFacts, onSaved: (savedMs: number) => void) {
    this.#store = store
    this.#output = output
    this.#facts = facts
    this.#onSaved = onSaved
  }

  /** Joins a segment that is saved already; what then lies in the output need not lie beside it. */
  async join(segment: EncodedSegment): Promise<void> {
    for (const placed of await this.#output.add(segment)) await this.#store.giveUp(placed)
  }

  async add(sample: VideoSample): Promise<void> {
    this.#encoder ??= new SegmentEncoder(this.#facts)
    await this.#encoder.add(sample)
  }

  /** Ends the segment; resolves once the one before it is safe. @throws MienError what went wrong with that */
  async cut(checkpoint: Checkpoint): Promise<void> {
    const encoder = this.#encoder
    this.#encoder = null
    await this.#saving
    if (!encoder) return
    this.#saving = this.#save(encoder, checkpoint)
    // Whoever comes next awaits it.
    this.#saving.catch(() => undefined)
  }

  /** Waits until everything is safe. */
  async settle(): Promise<void> {
    await this.#saving
  }

  async cancel(): Promise<void> {
    await Promise.allSettled([this.#saving, this.#encoder?.cancel()])
  }

  async #save(encoder: SegmentEncoder, checkpoint: Checkpoint): Promise<void> {
    const segment = await encoder.finish()
    await this.#store.save(segment, checkpoint)
    this.#onSaved(checkpoint.savedMs)
    await this.join(segment)
  }
}
