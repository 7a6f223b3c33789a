/** @file What the process's exit code says. Pure. */
import { addressErrors, fileErrors, pictureErrors, serviceErrors, videoErrors, type ErrorCode } from '@shared/errors.ts'
import type { Task } from '@shared/task.ts'

export const exitCodes = { done: 0, usage: 2, input: 3, service: 4, engine: 5, task: 6, interrupted: 130 } as const

const input: readonly ErrorCode[] = [...pictureErrors, ...videoErrors, ...fileErrors, ...addressErrors]
const service: readonly ErrorCode[] = serviceErrors

/** How a swap that was waited for ended; null: it has not. 6: the service had taken it and failed. */
export function exitCodeOfTask(task: Task): number | null {
  switch (task.state) {
    case 'kept':
      return exitCodes.done
    case 'failed':
      return task.objectId === null ? exitCodeFor(task.error?.code ?? 'internal') : exitCodes.task
    case 'missing':
    case 'cancelled':
      return exitCodes.task
    case 'unconfirmed':
      return exitCodes.service
    default:
      // Nothing happens until somebody does something about it.
      return task.pause === 'key' || task.pause === 'user' || task.pause === 'service' ? exitCodes.service : null
  }
}

/** 2 wrong usage, 3 input refused, 4 service or key, 5 engine (or anything else) failed. */
export function exitCodeFor(code: ErrorCode): number {
  if (code === 'usage' || code === 'bad-argument') return exitCodes.usage
  if (input.includes(code)) return exitCodes.input
  return service.includes(code) ? exitCodes.service : exitCodes.engine
}
