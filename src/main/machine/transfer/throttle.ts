/** @file Throttle for progress, which is reported far more often than it can be displayed. */

/**
 * Throttles `work` to once per `ms` of the monotonic clock `now`. The first call runs at once; calls in between are
 * dropped.
 */
export function atMostEvery<A extends unknown[]>(
  ms: number,
  now: () => number,
  work: (...args: A) => void,
): (...args: A) => void {
  let last = -Infinity
  return (...args) => {
    const at = now()
    if (at - last < ms) return
    last = at
    work(...args)
  }
}
