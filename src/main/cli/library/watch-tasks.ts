/** @file Watches swaps for the command line until they end. */
import type { ErrorBody } from '@shared/errors.ts'
import type { Task } from '@shared/tasks/task.ts'
import type { TaskDelta } from '../../swaps/store/task-board.ts'
import type { TaskStore } from '../../swaps/store/task-store.ts'
import { taskOf } from './lookup.ts'
import { maxAttempts } from '../output/exit-codes.ts'

/** Max time without a line while there is progress. */
const maxSilenceMs = 5000

/** How often the library is read that an open studio changes. */
const pollMs = 500

/** Swaps, and where changes of those with these ids are told. */
export interface Watched {
  get: (id: string) => Task
  named: (id: string) => Task[]
  onDelta: (listener: (delta: Pick<TaskDelta, 'changed' | 'removed'>) => void, taskIds: readonly string[]) => () => void
}

/** Swaps of a library that an open studio changes, until `isOver` is true; then nothing more is told. */
export function polled(store: Pick<TaskStore, 'find' | 'named'>, isOver: () => boolean): Watched {
  return {
    get: (id) => taskOf(store, id),
    named: (id) => store.named(id),
    onDelta: (listener, taskIds) => {
      const known = new Map<string, string>()
      const timer = setInterval(() => {
        if (isOver()) {
          clearInterval(timer)
          return
        }
        const found = taskIds.flatMap((id) => store.find(id) ?? [])
        const changed = found.filter((task) => known.get(task.id) !== JSON.stringify(task))
        for (const task of changed) known.set(task.id, JSON.stringify(task))
        listener({ changed, removed: taskIds.filter((id) => !found.some((task) => task.id === id)) })
      }, pollMs)
      return () => clearInterval(timer)
    },
  }
}

interface WatchOptions {
  /** Starts the services. */
  start: () => Promise<void>
  over: (task: Task) => boolean
  /** Called for each visible change. */
  onChange: (task: Task) => void
}

/** Only visible changes, with progress in steps of 10 % or at least every few seconds. */
const noticeable = (task: Task): string =>
  JSON.stringify([
    ...[task.state, task.pause, task.serviceStatus, task.error?.code],
    Math.floor((task.progress?.share ?? 0) * 10),
  ])

/** Resolves with the swaps whose results can't be downloaded; it stops waiting for them and leaves them unchanged. */
export function watchTasks(tasks: Watched, taskIds: readonly string[], options: WatchOptions): Promise<Task[]> {
  const waiting = new Set(taskIds)
  const shown = new Map<string, { text: string; share: number | null; atMs: number }>()
  const attempts = new Attempts()
  const givenUp: Task[] = []
  return new Promise((resolve, reject) => {
    const end = (): void => {
      off()
      resolve(givenUp)
    }
    const look = (task: Task): void => {
      if (!waiting.has(task.id)) return
      const now = { text: noticeable(task), share: task.progress?.share ?? null, atMs: performance.now() }
      const before = shown.get(task.id)
      const isSlow = before && before.share !== now.share && now.atMs - before.atMs > maxSilenceMs
      if (before?.text !== now.text || isSlow) {
        options.onChange(task)
        shown.set(task.id, now)
      }
      const isHopeless = attempts.isLast(task)
      if (isHopeless) givenUp.push(task)
      if (isHopeless || options.over(task)) waiting.delete(task.id)
    }
    const off = tasks.onDelta(({ changed, removed }) => {
      changed.forEach(look)
      for (const id of removed) waiting.delete(id)
      if (waiting.size === 0) end()
    }, taskIds)
    for (const id of taskIds) look(tasks.get(id))
    if (waiting.size === 0) end()
    else options.start().catch(reject)
  })
}

/** Counts failed downloads of results. */
class Attempts {
  private readonly counts = new Map<string, { count: number; error: ErrorBody | null }>()

  /** Whether another attempt would be useless. */
  isLast({ id, state, error }: Task): boolean {
    const before = this.counts.get(id) ?? { count: 0, error: null }
    const max = state === 'succeeded' && error !== null ? maxAttempts(error) : Infinity
    // Each attempt creates a new error object; it is null while an attempt is running.
    const count = error !== null && error !== before.error && max !== Infinity ? before.count + 1 : before.count
    this.counts.set(id, { count, error })
    return max !== Infinity && count >= max
  }
}
