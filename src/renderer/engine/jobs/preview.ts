/** @file `before.jpg` and `after.jpg` while a swap runs. */
import { writeFile } from '../media/job-files.ts'
import { toJpeg } from '../media/pixels/picture.ts'

/** A still at most so often, and for at most such a share of the time. */
const every = { ms: 500, share: 0.1 }
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
  /** The frame now in both files. */
  frame: number | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Whether a frame taken now would be shown. */
  get due(): boolean {
    return !this.#busy && performance.now() >= this.#nextAt
  }

  /**
   * Writes both in the background; none is due before they are there.
   * @param costMs what making them takes
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

  /** Waits for what is being written. @throws what went wrong with it */
  async settle(): Promise<void> {
    await this.#busy
    if (this.#failed !== null) throw this.#failed
  }
}
