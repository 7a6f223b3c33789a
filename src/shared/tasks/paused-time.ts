import type { TaskEvent } from './task.ts'

/**
 * Time in milliseconds between two times (epoch ms) during which this computer didn't work on a swap: it was paused, or
 * it had failed and was resumed later.
 */
export function pausedTimeMs(events: readonly TaskEvent[], from: number, until: number): number {
  const within = (at: number): number => Math.min(until, Math.max(from, at))
  let held = 0
  let since: number | null = null
  for (const { at, what } of events) {
    if (what === 'paused' || what === 'failed') since ??= at
    if (what !== 'resumed' || since === null) continue
    held += within(at) - within(since)
    since = null
  }
  return held
}
