import { setTimeout as wait } from 'node:timers/promises'

/** A delay that can be ended early, even before it begins. */
export class Nap {
  #end = new AbortController()

  wake(): void {
    this.#end.abort()
  }

  /** Resolves after `ms`, when woken (including since the last call), or when `signal` aborts. */
  async take(ms: number, signal: AbortSignal): Promise<void> {
    await wait(ms, undefined, { signal: AbortSignal.any([this.#end.signal, signal]) }).catch(() => undefined)
    if (this.#end.signal.aborted) this.#end = new AbortController()
  }
}
