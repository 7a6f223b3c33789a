/** @file A timeout that leaves out the time in which the computer sleeps, which timers of macOS and Windows count. */

const tickMs = 1000
/** A tick that comes later than this was held up: the computer slept, or this process did not run. */
const maxTickMs = 10_000

export class AwakeTimeout {
  readonly #onEnd: () => void
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd
  }

  /** Counts `ms` from now, in steps of a second, and again from the start after a sleep. */
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
