/** @file A timeout that ignores the computer's sleep, which timers count on macOS and Windows. */

const tickMs = 1000
/** After a longer gap between two ticks, the computer slept or this process was suspended. */
const maxTickMs = 10_000

export class AwakeTimeout {
  readonly #onEnd: () => void
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  /** Starts a timeout of `ms` milliseconds, with a resolution of a second. It starts over after a sleep. */
  start(ms: number): void {
    this.stop()
    let left = ms
    let last = Date.now()
    const step = Math.min(tickMs, ms)
    this.#timer = setInterval(() => {
      const now = Date.now()
      left = now - last > maxTickMs ? ms : left - step
      last = now
      if (left > 0) return
      this.stop()
      this.#onEnd()
    }, step)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
