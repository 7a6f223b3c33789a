/** @file Order of swaps within a service. */
import { embeddedProfileId, isActive } from '@shared/task-states.ts'
import type { TaskSummary } from '@shared/task-row.ts'

/** Position of each unsent swap in its service's queue, from 0. Paused swaps have a position too. */
export function places(tasks: Iterable<TaskSummary>): ReadonlyMap<string, number> {
  const queued = [...tasks].filter(({ state, position }) => state === 'queued' && position !== null)
  return indexed(queued, (a, b) => (a.position ?? 0) - (b.position ?? 0))
}

/** Number of swaps ahead of each: to be sent before it at a remote service, to be processed before it locally. */
export function before(tasks: Iterable<TaskSummary>): ReadonlyMap<string, number> {
  const inLine = [...tasks].filter(
    ({ state, pause, profileId }) =>
      pause === null &&
      (state === 'queued' || (profileId === embeddedProfileId && isActive(state) && state !== 'succeeded')),
  )
  return indexed(
    inLine,
    (a, b) => stage(a) - stage(b) || (a.position ?? 0) - (b.position ?? 0) || a.createdAt - b.createdAt,
  )
}

const stage = ({ state }: TaskSummary): number => (state === 'processing' ? 0 : state === 'queued' ? 2 : 1)

/** Index of each swap in the order of its service. */
function indexed(
  tasks: readonly TaskSummary[],
  order: (a: TaskSummary, b: TaskSummary) => number,
): ReadonlyMap<string, number> {
  const index = new Map<string, number>()
  for (const queue of Map.groupBy(tasks, ({ profileId }) => profileId).values())
    for (const [at, { id }] of queue.toSorted(order).entries()) index.set(id, at)
  return index
}
