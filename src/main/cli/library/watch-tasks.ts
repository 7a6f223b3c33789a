/** @file Watches swaps for the command line until they end. */
import type { ErrorBody } from '@shared/errors.ts'
import type { Task } from '@shared/tasks/task.ts'
import type { AppContext } from '../../app/app-context.ts'
import { maxAttempts } from '../output/exit-codes.ts'

/** Max time without a line while there is progress. */
const maxSilenceMs = 5000

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
export function watchTasks(context: AppContext, taskIds: readonly string[], options: WatchOptions): Promise<Task[]> {
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
    const off = context.tasks.onDelta(({ changed, removed }) => {
      changed.forEach(look)
      for (const id of removed) waiting.delete(id)
      if (waiting.size === 0) end()
    })
    for (const id of taskIds) look(context.tasks.get(id))
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
