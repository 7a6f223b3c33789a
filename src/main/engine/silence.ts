/** More of it for an engine whose models are still being loaded: on a busy computer that takes as long as the work. */
const coldMs = 30_000

/** How long an engine may say nothing about a request. */
export class Silence {
  readonly #limitMs: number
  readonly #isWarm: () => boolean
  readonly #onEnd: () => void
  #timer: NodeJS.Timeout | undefined

  /** @param onEnd it lasted for longer than `limitMs` */
  constructor(limitMs: number, isWarm: () => boolean, onEnd: () => void) {
    this.#limitMs = limitMs
    this.#isWarm = isWarm
    this.#onEnd = onEnd
  }

  /** Counts from now. */
  begin(): void {
    this.stop()
    this.#timer = setTimeout(this.#onEnd, this.#limitMs + (this.#isWarm() ? 0 : coldMs))
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
