/** @file Overall progress of the active swaps. */
import { shownProgress } from './estimated.ts'
import type { TaskSummary } from './task-row.ts'

export interface Overall {
  readonly done: number
  readonly total: number
  /** 0–1 */
  readonly share: number
  /** Null if the time left of any swap is unknown. */
  readonly etaMs: number | null
}

/**
 * Combines the active swaps that are not paused with the `done` ones finished since the oldest of them was added.
 * Null if none is working. Swaps of one service run in sequence; services run in parallel.
 */
export function overall(active: readonly TaskSummary[], done: number, nowMs: number): Overall | null {
  const working = active.filter((task) => task.pause === null)
  if (working.length === 0) return null
  const total = working.length + done
  const share = (done + working.reduce((sum, task) => sum + (shownProgress(task, nowMs)?.share ?? 0), 0)) / total
  const queues = [...Map.groupBy(working, (task) => task.profileId).values()]
  const etas = queues.map((queue) =>
    queue.reduce<number | null>((sum, task) => addKnown(sum, shownProgress(task, nowMs)?.etaMs ?? null), 0),
  )
  const etaMs = etas.reduce<number | null>((max, eta) => (max === null || eta === null ? null : Math.max(max, eta)), 0)
  return { done, total, share, etaMs }
}

const addKnown = (sum: number | null, eta: number | null): number | null =>
  sum === null || eta === null ? null : sum + eta
