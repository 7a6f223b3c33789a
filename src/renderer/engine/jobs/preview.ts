/** @file `before.jpg` and `after.jpg` while a swap runs. */
import { writeFile } from '../media/job-files.ts'
import { toJpeg } from '../media/picture.ts'

const everyMs = 500
/** Pixels. */
export const previewWidth = 960

export class Preview {
  readonly #folder: string
  #takenAt = -Infinity
  #busy: Promise<void> | null = null
  #failed: Error | null = null
  /** The frame now in both files. */
  frame: number | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Whether a frame taken now would be shown. */
  get due(): boolean {
    return !this.#busy && performance.now() - this.#takenAt >= everyMs
  }

  /** Writes both in the background. */
  show(index: number, before: OffscreenCanvas, after: OffscreenCanvas): void {
    this.#takenAt = performance.now()
    this.#busy = Promise.all([toJpeg(before, 0.8), toJpeg(after, 0.8)])
      .then(async ([first, second]) => {
        await writeFile(this.#folder, 'before.jpg', first)
        await writeFile(this.#folder, 'after.jpg', second)
        this.frame = index
      })
      .catch((error: unknown) => {
        this.#failed = error instanceof Error ? error : new Error(String(error))
      })
      .finally(() => {
        this.#busy = null
      })
  }

  /** Waits for what is being written. @throws what went wrong with it */
  async settle(): Promise<void> {
    await this.#busy
    if (this.#failed !== null) throw this.#failed
  }
}
