/** @file Time that passes only when a test says so, and waiting until everything that was set off is over. */
import { vi } from 'vitest'

const realNow = Date.now.bind(Date)
const realTimeout = globalThis.setTimeout
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export class Clock {
  /** Requests, swaps and answers that are under way; what waits for the test to let it go is not counted. */
  pending = 0
  readonly names: string[] = []

  start(now = 1_000_000): void {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now })
  }

  stop(): void {
    vi.useRealTimers()
  }

  /** Forgets all timers, as a killed process does. */
  forgetTimers(): void {
    // A new clock. `vi.clearAllTimers` would set the time back to the start.
    this.start(Date.now())
  }

  /** Counts `work` as pending until it is over. */
  async track<T>(work: Promise<T>, name = ''): Promise<T> {
    this.pending += 1
    this.names.push(name)
    try {
      return await work
    } finally {
      this.pending -= 1
      this.names.splice(this.names.indexOf(name), 1)
    }
  }

  /** Lets time pass in small steps; after each one everything that it set off ends. */
  async pass(ms: number, stepMs: number): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      vi.advanceTimersByTime(Math.min(stepMs, left))
      await this.settle()
    }
  }

  /** Lets time pass until `work` is over. */
  async until<T>(work: Promise<T>): Promise<T> {
    const state = { isOver: false }
    const ended = work.finally(() => {
      state.isOver = true
    })
    ended.catch(() => undefined)
    // Sockets close in real time, which a busy computer takes long for.
    const deadline = realNow() + 20_000
    for (let seconds = 0; seconds < 100 || realNow() < deadline; seconds += 1) {
      await this.settle()
      if (state.isOver) return ended
      if (seconds < 100) vi.advanceTimersByTime(1000)
      else await new Promise((resolve) => realTimeout(resolve, 5))
    }
    throw new Error('it does not end')
  }

  /** Until no request and no file operation is under way, for several turns of the event loop. Throws after 5 s. */
  async settle(): Promise<void> {
    const deadline = realNow() + 5000
    for (let quiet = 0; quiet < 4;) {
      await turn()
      const busy =
        this.pending > 0 ||
        process.getActiveResourcesInfo().some((name) => /^(FSReq|FileHandleCloseReq|CloseReq)/.test(name))
      quiet = busy ? 0 : quiet + 1
      if (realNow() > deadline)
        throw new Error(`${String(this.pending)} requests did not end: ${this.names.join(', ')}`)
      // Sockets are read between turns of the loop only when it may wait.
      if (busy) await new Promise((resolve) => realTimeout(resolve, 0))
    }
  }
}
