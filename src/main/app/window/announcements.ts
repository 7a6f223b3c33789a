/** @file Decides which notifications the end of swaps calls for: one for each batch, never one for each swap. Pure. */
import { isActive, type Task } from '@shared/tasks/task.ts'
import { needsUser } from '@shared/tasks/task-row.ts'

/** A swap that has stopped working. */
export interface Ended {
  id: string
  title: string
  createdAt: number
  how: 'finished' | 'needs-user'
}

export interface Announcement {
  /** `all-finished`: nothing is in progress any more. */
  kind: 'finished' | 'needs-user' | 'all-finished'
  swaps: Ended[]
}

/** Which announcements the user wants. */
export type Wanted = Record<Announcement['kind'], boolean>

/** Swaps added within this time of each other are one batch. */
const batchGapMs = 2000

type Standing = Pick<Task, 'state' | 'pause'>

/** In progress, or waiting for the network only. */
export const isInProgress = ({ state, pause }: Standing): boolean =>
  isActive(state) && (pause === null || pause === 'no-network')

/** How a swap that was in progress has ended; null: it is paused, or the user cancelled it. */
export function howEnded(task: Standing): Ended['how'] | null {
  if (task.state === 'kept') return 'finished'
  return needsUser(task) ? 'needs-user' : null
}

/** `later`: ended swaps whose batch is still in progress. */
export function announcementsFor(
  ended: readonly Ended[],
  inProgress: readonly Pick<Task, 'createdAt'>[],
  wanted: Wanted,
): { now: Announcement[]; later: Ended[] } {
  const batches: { last: number; swaps: Ended[]; isWorking: boolean }[] = []
  const all: (Ended | Pick<Task, 'createdAt'>)[] = [...ended, ...inProgress]
  for (const each of all.toSorted((a, b) => a.createdAt - b.createdAt)) {
    let batch = batches.at(-1)
    if (!batch || each.createdAt - batch.last > batchGapMs)
      batches.push((batch = { last: 0, swaps: [], isWorking: false }))
    batch.last = each.createdAt
    if ('how' in each) batch.swaps.push(each)
    else batch.isWorking = true
  }
  const later = batches.filter(({ isWorking }) => isWorking).flatMap(({ swaps }) => swaps)
  const over = ended.filter((each) => !later.includes(each))
  if (over.length === 0) return { now: [], later }
  if (inProgress.length === 0 && wanted['all-finished'] && over.some(({ how }) => how === 'finished'))
    return { now: [{ kind: 'all-finished', swaps: over }], later }
  const now = (['finished', 'needs-user'] as const)
    .filter((kind) => wanted[kind])
    .map((kind) => ({ kind, swaps: over.filter(({ how }) => how === kind) }))
    .filter(({ swaps }) => swaps.length > 0)
  return { now, later }
}
