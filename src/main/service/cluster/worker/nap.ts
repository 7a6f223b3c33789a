import { setTimeout as delay } from 'node:timers/promises'

/** Resolves after `ms`, or when `signal` aborts. */
export const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined)

/** A delay that can be ended early, even before it begins. */
export class Nap {
  #end = new AbortController()

  wake(): void {
    this.#end.abort()
  }

  /** Resolves after `ms`, when woken (including since the last call), or when `signal` aborts. */
  async take(ms: number, signal: AbortSignal): Promise<void> {
    await wait(ms, AbortSignal.any([this.#end.signal, signal]))
    if (this.#end.signal.aborted) this.#end = new AbortController()
  }
}
