/** @file `before.jpg` and `after.jpg` while a swap runs. */
import { writeFile } from '../media/job-files.ts'
import { draw, toJpeg } from '../media/picture.ts'
import type { VideoSample } from 'mediabunny'

const everyMs = 500
const maxWidth = 960

export class Preview {
  readonly #folder: string
  readonly #width: number
  readonly #height: number
  #takenAt = -Infinity
  #busy: Promise<void> | null = null
  #failed: unknown = null
  /** The frame now in both files. */
  frame: number | null = null

  /** @param width and `height` of the video as shown */
  constructor(folder: string, width: number, height: number) {
    const scale = Math.min(1, maxWidth / width)
    this.#folder = folder
    this.#width = Math.round(width * scale)
    this.#height = Math.round(height * scale)
  }

  /** Whether a frame taken now would be shown. */
  get due(): boolean {
    return !this.#busy && performance.now() - this.#takenAt >= everyMs
  }

  draw(sample: VideoSample): OffscreenCanvas {
    return draw(this.#width, this.#height, (context) => {
      sample.draw(context, 0, 0, this.#width, this.#height)
    })
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
        this.#failed = error
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
