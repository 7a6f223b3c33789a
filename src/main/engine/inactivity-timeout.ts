import { AwakeTimeout } from '@shared/awake-timeout.ts'

/** More of it for an engine whose models are still being loaded: on a busy computer that takes as long as the work. */
const coldMs = 30_000

/** How long an engine may say nothing about a request. Time in which the computer sleeps does not count. */
export class InactivityTimeout {
  readonly #limitMs: number
  readonly #isWarm: () => boolean
  readonly #timeout: AwakeTimeout
  #isCounting = false

  /** @param onEnd it lasted for longer than `limitMs` */
  constructor(limitMs: number, isWarm: () => boolean, onEnd: () => void) {
    this.#limitMs = limitMs
    this.#isWarm = isWarm
    this.#timeout = new AwakeTimeout(onEnd)
  }

  /** Counts from now. */
  begin(): void {
    this.#isCounting = true
    this.#timeout.start(this.#limitMs + (this.#isWarm() ? 0 : coldMs))
  }

  /** Counts from now, if it counts at all. */
  restart(): void {
    if (this.#isCounting) this.begin()
  }

  stop(): void {
    this.#isCounting = false
    this.#timeout.stop()
  }
}
