import type { TaskEvent } from './task.ts'

/**
 * Milliseconds between two moments in which a swap was held, or had failed and was asked to go on: time in which this computer
 * did not work on it.
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
