/** @file What the library shows of what it has: search, filter, order, days; and the overall progress. */
import type { Settings } from '@shared/ipc.ts'
import { formatDay } from '@shared/i18n/format.ts'
import { shownProgress } from '@shared/estimated.ts'
import { isActive } from '@shared/task-states.ts'
import type { Task } from '@shared/task.ts'
import { isWorking, needsUser } from './task-view.ts'

export const filters = ['all', 'working', 'needs-you', 'finished'] as const
export type Filter = (typeof filters)[number]
export type Sort = Settings['librarySort']

const passes: Record<Filter, (task: Task) => boolean> = {
  all: () => true,
  working: isWorking,
  'needs-you': needsUser,
  finished: (task) => task.state === 'kept',
}

const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Every word of the search is found in the title, the face's or the video's name, or the service. */
export function matches(task: Task, search: string, service: string): boolean {
  if (search === '') return true
  const words = fold(search).split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const text = fold(`${task.title} ${task.face.name} ${task.video.name} ${service}`)
  return words.every((word) => text.includes(word))
}

const byTitle = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

const orders: Record<Sort, (a: Task, b: Task) => number> = {
  newest: (a, b) => b.createdAt - a.createdAt,
  oldest: (a, b) => a.createdAt - b.createdAt,
  title: (a, b) => byTitle.compare(a.title, b.title) || b.createdAt - a.createdAt,
}

export function select(
  tasks: readonly Task[],
  wanted: { search: string; filter: Filter; sort: Sort },
  service: (profileId: string) => string,
): Task[] {
  const all = wanted.filter === 'all' && wanted.search === ''
  const chosen = all
    ? [...tasks]
    : tasks.filter((task) => passes[wanted.filter](task) && matches(task, wanted.search, service(task.profileId)))
  return chosen.sort(orders[wanted.sort])
}

export function countByFilter(tasks: readonly Task[]): Record<Filter, number> {
  const counts = { all: tasks.length, working: 0, 'needs-you': 0, finished: 0 }
  for (const task of tasks) {
    if (passes.working(task)) counts.working += 1
    if (passes['needs-you'](task)) counts['needs-you'] += 1
    if (passes.finished(task)) counts.finished += 1
  }
  return counts
}

export interface Day {
  /** Empty when the order is not by time. */
  readonly heading: string
  readonly tasks: readonly Task[]
}

/** Runs of one day, in the order given; by title it is one run without a heading. */
export function groupByDay(tasks: readonly Task[], sort: Sort, nowMs: number): Day[] {
  if (tasks.length === 0) return []
  if (sort === 'title') return [{ heading: '', tasks }]
  const days: { heading: string; tasks: Task[] }[] = []
  // Of the day that was looked at last: to write out a date costs more than to compare two numbers.
  let [from, until, heading] = [0, 0, '']
  for (const task of tasks) {
    const at = task.createdAt
    if (at < from || at >= until) {
      from = new Date(at).setHours(0, 0, 0, 0)
      until = new Date(at).setHours(24, 0, 0, 0)
      heading = formatDay(at, nowMs)
    }
    const last = days.at(-1)
    if (last?.heading === heading) last.tasks.push(task)
    else days.push({ heading, tasks: [task] })
  }
  return days
}

export interface Overall {
  readonly done: number
  readonly total: number
  /** 0–1 */
  readonly share: number
  /** Null while any part of it is not known. */
  readonly etaMs: number | null
}

/**
 * What is under way together: the swaps that work, and those that were finished since the oldest of them was added.
 * Null when nothing works. Swaps of one service follow each other, services work side by side.
 */
export function overall(tasks: readonly Task[], nowMs: number): Overall | null {
  const working = tasks.filter((task) => isActive(task.state) && task.pause === null)
  if (working.length === 0) return null
  const since = Math.min(...working.map((task) => task.createdAt))
  const done = tasks.filter((task) => task.state === 'kept' && (task.endedAt ?? 0) >= since).length
  const total = working.length + done
  const share = (done + working.reduce((sum, task) => sum + (shownProgress(task, nowMs)?.share ?? 0), 0)) / total
  const queues = [...Map.groupBy(working, (task) => task.profileId).values()]
  const etas = queues.map((queue) =>
    queue.reduce<number | null>((sum, task) => addKnown(sum, shownProgress(task, nowMs)?.etaMs ?? null), 0),
  )
  const etaMs = etas.reduce<number | null>(
    (most, eta) => (most === null || eta === null ? null : Math.max(most, eta)),
    0,
  )
  return { done, total, share, etaMs }
}

const addKnown = (sum: number | null, eta: number | null): number | null =>
  sum === null || eta === null ? null : sum + eta
