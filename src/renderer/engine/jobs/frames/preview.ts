/** @file Writes `before.jpg` and `after.jpg` while a swap runs. */
import { writeFile } from '../../media/job-files.ts'
import { toJpeg } from '../../media/pixels/picture.ts'

/** Minimum interval between previews, and the maximum share of time spent on them. */
const every = { ms: 1000, share: 0.05 }
/** Pixels. */
export const previewWidth = 960

/** A frame before and after its swap. */
export interface Still {
  index: number
  before: OffscreenCanvas
  after: OffscreenCanvas
}

export class Preview {
  readonly #folder: string
  #nextAt = -Infinity
  #busy: Promise<void> | null = null
  #failed: Error | null = null
  /** Index of the frame now in both files; null before the first. */
  frame: number | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  /** True if a new preview may be made now. */
  get due(): boolean {
    return !this.#busy && performance.now() >= this.#nextAt
  }

  /**
   * Writes both files in the background. `due` is false until they are written.
   * @param costMs time to make the stills
   */
  show(still: Promise<Still | null>, costMs = 0): void {
    this.#busy = this.#write(still, costMs)
      .catch((error: unknown) => {
        this.#failed = error instanceof Error ? error : new Error(String(error))
      })
      .finally(() => {
        this.#busy = null
      })
  }

  async #write(still: Promise<Still | null>, costMs: number): Promise<void> {
    const shown = await still
    if (!shown) return
    this.#nextAt = performance.now() + Math.max(every.ms, costMs / every.share)
    const [before, after] = await Promise.all([toJpeg(shown.before, 0.8), toJpeg(shown.after, 0.8)])
    await Promise.all([writeFile(this.#folder, 'before.jpg', before), writeFile(this.#folder, 'after.jpg', after)])
    this.frame = shown.index
  }

  /** Waits for a write in progress. @throws the error of a failed write */
  async settle(): Promise<void> {
    await this.#busy
    if (this.#failed !== null) throw this.#failed
  }
}
