/** @file A brake for progress: bytes are counted far more often than anyone can look. */

/** `work`, at most once in `ms` of `now`, which is not set back; what comes in between is dropped, the first is not. */
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
