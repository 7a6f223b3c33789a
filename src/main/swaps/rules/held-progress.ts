/** @file A swap's progress never falls: what was shown stays until the service is further. Pure. */
import { noProgress, shownProgress } from '@shared/tasks/estimated.ts'
import type { Task, TaskProgress } from '@shared/tasks/task.ts'

/** The larger of two shares or counts; null: unknown. */
const further = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b)

/** Progress without what is true only at one moment: time left and speed. Null without any. */
export function keptProgress(task: Task, now: number): TaskProgress | null {
  const shown = shownProgress(task, now)
  return shown && { ...shown, etaMs: null, workFps: null, isChecking: false }
}

/**
 * Progress after a service's answer. After a kill, at another worker or from a damaged checkpoint a service starts behind
 * what it reported before.
 */
export function heldProgress(task: Task, seen: TaskProgress | null, now: number): TaskProgress | null {
  const isEstimated = task.progress?.share == null && seen?.share == null
  const before = isEstimated ? task.progress : keptProgress(task, now)
  if (before === null) return seen
  if (seen === null) return { ...before, isChecking: false }
  const isBehind = before.share !== null && (seen.share ?? 0) < before.share
  return {
    ...seen,
    share: further(before.share, seen.share),
    estimated: isBehind ? before.estimated : seen.estimated,
    framesDone: further(before.framesDone, seen.framesDone),
    framesTotal: seen.framesTotal ?? before.framesTotal,
    framesSwapped: further(before.framesSwapped, seen.framesSwapped),
    savedMs: further(before.savedMs, seen.savedMs),
    isChecking: seen.isChecking,
  }
}

/** Progress of an upload or a download. One of the same size that starts again stays where it was. */
export function transferred(before: TaskProgress | null, done: number, total: number | null): TaskProgress {
  const share = total === null || total === 0 ? null : Math.min(1, done / total)
  const isOther = before?.bytesTotal != null && before.bytesTotal !== total
  return {
    ...(before ?? noProgress),
    share: isOther ? share : further(before?.share ?? null, share),
    bytesDone: done,
    bytesTotal: total,
  }
}

/** Whole percent, as shown and stored. */
export const percentOf = ({ progress }: Task): number => Math.floor((progress?.share ?? 0) * 100)
