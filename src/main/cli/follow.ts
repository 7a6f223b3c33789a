/** @file Follows swaps from the command line until they are over. */
import type { Task } from '@shared/task.ts'
import type { House } from '../house.ts'

interface Following {
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

/** Ctrl-C ends the following, not the swaps: they go on at the service, and here with the next Mien. */
export function follow(
  house: House,
  taskIds: readonly string[],
  following: Following,
): Promise<'over' | 'interrupted'> {
  const waiting = new Set(taskIds)
  const shown = new Map<string, string>()
  return new Promise((resolve, reject) => {
    const end = (how: 'over' | 'interrupted'): void => {
      off()
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
      resolve(how)
    }
    const interrupt = (): void => {
      end('interrupted')
    }
    const look = (task: Task): void => {
      if (!waiting.has(task.id)) return
      const now = noticeable(task)
      if (shown.get(task.id) !== now) following.onChange(task)
      shown.set(task.id, now)
      if (following.over(task)) waiting.delete(task.id)
    }
    const off = house.tasks.onDelta(({ changed, removed }) => {
      changed.forEach(look)
      for (const id of removed) waiting.delete(id)
      if (waiting.size === 0) end('over')
    })
    process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
    for (const id of taskIds) look(house.tasks.get(id))
    if (waiting.size === 0) end('over')
    else following.start().catch(reject)
  })
}
