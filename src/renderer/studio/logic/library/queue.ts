/** @file Order of swaps within a service. */
import { embeddedProfileId, isActive, type TaskState } from '@shared/tasks/task-states.ts'
import type { TaskSummary } from '@shared/tasks/task-row.ts'

/** Position of each movable swap in its service's queue, from 0. Paused swaps have a position too. */
export function places(tasks: Iterable<TaskSummary>): ReadonlyMap<string, number> {
  return indexed([...tasks].filter(isMovable), byPosition)
}

const beforeWork: readonly TaskState[] = ['queued', 'uploading', 'submitting', 'waiting']

/** On this computer, all swaps that are not worked on can be moved; elsewhere those that are not sent. */
export const isMovable = ({ state, position, profileId }: TaskSummary): boolean =>
  position !== null && (state === 'queued' || (profileId === embeddedProfileId && beforeWork.includes(state)))

const byPosition = (a: TaskSummary, b: TaskSummary): number => (a.position ?? 0) - (b.position ?? 0)

export interface ServiceQueue<T> {
  profileId: string
  /** In progress, or sent to a service that decides their order. */
  now: T[]
  /** In the order in which they run. */
  next: T[]
}

/** The queue of each service, of this computer first. */
export function queues<T extends TaskSummary>(tasks: Iterable<T>): ServiceQueue<T>[] {
  const byProfile = [...Map.groupBy(tasks, ({ profileId }) => profileId)]
  return byProfile
    .toSorted(([a], [b]) => Number(b === embeddedProfileId) - Number(a === embeddedProfileId))
    .map(([profileId, all]) => ({
      profileId,
      now: all.filter((task) => !isMovable(task)).toSorted((a, b) => stage(a) - stage(b) || a.createdAt - b.createdAt),
      next: all.filter(isMovable).toSorted(byPosition),
    }))
}

/** Number of swaps ahead of each: to be sent before it at a remote service, to be processed before it locally. */
export function before(tasks: Iterable<TaskSummary>): ReadonlyMap<string, number> {
  const inLine = [...tasks].filter(
    ({ state, pause, profileId }) =>
      pause === null &&
      (state === 'queued' || (profileId === embeddedProfileId && isActive(state) && state !== 'succeeded')),
  )
  return indexed(inLine, (a, b) => stage(a) - stage(b) || byPosition(a, b) || a.createdAt - b.createdAt)
}

const stage = ({ state }: TaskSummary): number => (state === 'processing' ? 0 : 1)

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
