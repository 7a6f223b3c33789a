/** @file Follows swaps from the command line until they are over. */
import type { ErrorBody } from '@shared/errors.ts'
import type { Task } from '@shared/task.ts'
import type { AppContext } from '../app/app-context.ts'
import { maxAttempts } from './exit-codes.ts'

interface WatchOptions {
  /** Begins the work. */
  start: () => Promise<void>
  over: (task: Task) => boolean
  /** With each change that a person would notice. */
  onChange: (task: Task) => void
}

/** Progress counts in tenths, so that a watched swap does not fill a screen. */
const noticeable = (task: Task): string =>
  JSON.stringify([
    ...[task.state, task.pause, task.serviceStatus, task.error?.code],
    Math.floor((task.progress?.share ?? 0) * 10),
  ])

/** Resolves with the swaps whose results cannot be had: they are not waited for any more, and stay as they are. */
export function watchTasks(context: AppContext, taskIds: readonly string[], options: WatchOptions): Promise<Task[]> {
  const waiting = new Set(taskIds)
  const shown = new Map<string, string>()
  const attempts = new Attempts()
  const givenUp: Task[] = []
  return new Promise((resolve, reject) => {
    const end = (): void => {
      off()
      resolve(givenUp)
    }
    const look = (task: Task): void => {
      if (!waiting.has(task.id)) return
      const now = noticeable(task)
      if (shown.get(task.id) !== now) options.onChange(task)
      shown.set(task.id, now)
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

/** Counts in how many attempts results could not be fetched. */
class Attempts {
  private readonly counts = new Map<string, { count: number; error: ErrorBody | null }>()

  /** Whether another attempt would not help, by all that is known. */
  isLast({ id, state, error }: Task): boolean {
    const before = this.counts.get(id) ?? { count: 0, error: null }
    const max = state === 'succeeded' && error !== null ? maxAttempts(error) : Infinity
    // Each attempt has an error of its own, which is null while one is under way.
    const count = error !== null && error !== before.error && max !== Infinity ? before.count + 1 : before.count
    this.counts.set(id, { count, error })
    return max !== Infinity && count >= max
  }
}
