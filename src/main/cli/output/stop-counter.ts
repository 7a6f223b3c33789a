/** @file Tells one stop that several processes pass on from a second one. Pure. */

/** Max time between signals of the same stop. npm and scripts take some of it to pass a signal on. */
const sameStopMs = 1000

/**
 * One Ctrl-C reaches each process of a terminal's group, and npm and scripts pass it on again.
 */
export class StopCounter {
  #lastMs: number | null = null

  /** `same`: part of the stop before. `again`: somebody asked a second time. @param atMs on a clock that never jumps */
  next(atMs: number): 'first' | 'same' | 'again' {
    const lastMs = this.#lastMs
    if (lastMs !== null && atMs - lastMs < sameStopMs) return 'same'
    this.#lastMs = atMs
    return lastMs === null ? 'first' : 'again'
  }
}
