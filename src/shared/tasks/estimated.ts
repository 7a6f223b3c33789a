/** @file Estimates a swap's progress from elapsed time, for services that report none. Pure. */
import type { ModelTimes } from '../engine/engine.ts'
import { isCopied, type TaskState } from './task-states.ts'
import type { Expected, TaskProgress } from './task.ts'

/** How long a swap will take. */
export interface Estimate {
  ms: number
  /** With a model; `ms` is the shorter one. */
  model?: ModelTimes
}

/**
 * Estimated share done, 0…1. It reaches 0.95 at the end of the estimate and always stays below 1, so that it never
 * claims to be done.
 */
export function estimatedShare(elapsedMs: number, estimateOfAllMs: number): number {
  if (estimateOfAllMs <= 0) return 0
  const share = (0.95 * elapsedMs) / estimateOfAllMs
  return share <= 0.95 ? Math.max(0, share) : 1 - 0.05 * Math.exp(-(share - 0.95) / 0.05)
}

/** Estimated time left in ms, with its range; null once a swap takes longer than nearly all earlier ones. */
export function expectedLeft(expected: Expected, now: number): { lowMs: number; ms: number; highMs: number } | null {
  const elapsed = now - expected.since
  if (elapsed >= expected.highMs) return null
  const left = (ms: number): number => Math.max(0, ms - elapsed)
  return { lowMs: left(expected.lowMs), ms: left(expected.ms), highMs: left(expected.highMs) }
}

export const noProgress: TaskProgress = {
  share: null,
  etaMs: null,
  estimated: false,
  framesDone: null,
  framesTotal: null,
  framesSwapped: null,
  workFps: null,
  savedMs: null,
  isChecking: false,
  bytesDone: null,
  bytesTotal: null,
}

/** Progress to show: the service's, or an estimate marked as such. */
export function shownProgress(
  task: { state: TaskState; profileId: string; progress: TaskProgress | null; expected: Expected | null },
  now: number,
): TaskProgress | null {
  if (isCopied(task)) return null
  const { progress, expected } = task
  if (expected === null || progress?.share != null) return progress
  return {
    ...(progress ?? noProgress),
    share: estimatedShare(now - expected.since, expected.ms),
    etaMs: progress?.etaMs ?? expectedLeft(expected, now)?.ms ?? null,
    estimated: true,
  }
}
