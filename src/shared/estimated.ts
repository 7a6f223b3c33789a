/** @file How far a swap is by the clock alone, for a service that tells no progress. Pure. */
import type { Expected, TaskProgress } from './task.ts'

/**
 * Share done by the clock alone, for a service that tells no progress. Reaches 0.95 at the estimate's
 * end and stays below 1 however long it takes, so that it never says "done" by itself.
 */
export function estimatedShare(elapsedMs: number, estimateOfAllMs: number): number {
  if (estimateOfAllMs <= 0) return 0
  const share = (0.95 * elapsedMs) / estimateOfAllMs
  return share <= 0.95 ? Math.max(0, share) : 1 - 0.05 * Math.exp(-(share - 0.95) / 0.05)
}

/** Time left by the clock: the middle, and its spread; null once it takes longer than nearly all before it. */
export function expectedLeft(expected: Expected, now: number): { lowMs: number; ms: number; highMs: number } | null {
  const elapsed = now - expected.since
  if (elapsed >= expected.highMs) return null
  const left = (ms: number): number => Math.max(0, ms - elapsed)
  return { lowMs: left(expected.lowMs), ms: left(expected.ms), highMs: left(expected.highMs) }
}

/** Progress as it is shown: the service's own, else by the clock, and said to be so. */
export function shownProgress(
  task: { progress: TaskProgress | null; expected: Expected | null },
  now: number,
): TaskProgress | null {
  const { progress, expected } = task
  if (expected === null || progress?.share != null) return progress
  const none = { framesDone: null, framesTotal: null, framesSwapped: null, workFps: null, savedMs: null }
  return {
    ...(progress ?? { ...none, bytesDone: null, bytesTotal: null }),
    share: estimatedShare(now - expected.since, expected.ms),
    etaMs: progress?.etaMs ?? expectedLeft(expected, now)?.ms ?? null,
    estimated: true,
  }
}
