import { AwakeTimeout } from '@shared/awake-timeout.ts'

/** Extra timeout while models load: on a busy computer that takes as long as the work. */
const coldMs = 30_000

/** Timeout for an engine that sends nothing about a request. Time asleep doesn't count. */
export class InactivityTimeout {
  readonly #timeout: AwakeTimeout
  #isCounting = false

  /** @param onEnd called after `limitMs` without activity */
  constructor(
    private readonly limitMs: number,
    private readonly isWarm: () => boolean,
    onEnd: () => void,
  ) {
    this.#timeout = new AwakeTimeout(onEnd)
  }

  /** Starts or restarts the timeout. */
  begin(): void {
    this.#isCounting = true
    this.#timeout.start(this.limitMs + (this.isWarm() ? 0 : coldMs))
  }

  /** Restarts the timeout if it is running. */
  restart(): void {
    if (this.#isCounting) this.begin()
  }

  stop(): void {
    this.#isCounting = false
    this.#timeout.stop()
  }
}
