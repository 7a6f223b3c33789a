/**
 * @file The live pair of stills during a swap. It changes at most twice a second (every two seconds with reduced
 * motion), and only when both pictures are loaded, to avoid flicker.
 */
import { mediaUrl } from '@shared/files/media-url.ts'
import type { Task } from '@shared/tasks/task.ts'

type Preview = NonNullable<Task['preview']>

const load = async (id: string): Promise<void> => {
  const image = new Image()
  image.src = mediaUrl(id)
  await image.decode()
}

export class LiveStills {
  #shown = $state.raw<Preview | null>(null)
  #next: Preview | null = null
  #loading = false
  #timer: ReturnType<typeof setInterval> | null = null

  get shown(): Preview | null {
    return this.#shown
  }

  /** Returns a function that stops it. */
  start(): () => void {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    this.#timer = setInterval(() => void this.#take(), still ? 2000 : 500)
    return () => {
      if (this.#timer !== null) clearInterval(this.#timer)
    }
  }

  offer(preview: Preview | null): void {
    this.#next = preview
    // Show the first pair at once: the user is waiting for it.
    if (this.#shown === null) void this.#take()
  }

  async #take(): Promise<void> {
    const next = this.#next
    if (next === null || this.#loading || next.afterId === this.#shown?.afterId) return
    this.#loading = true
    try {
      await Promise.all([load(next.beforeId), load(next.afterId)])
      this.#shown = next
    } catch {
      // The file was replaced during the read; the next pair follows soon.
    } finally {
      this.#loading = false
    }
  }
}
