/** @file What the process's exit code says. Pure. */
import {
  addressErrors,
  fileErrors,
  isPermanentResultError,
  pictureErrors,
  serviceErrors,
  videoErrors,
  type ErrorBody,
  type ErrorCode,
} from '@shared/errors.ts'
import type { Task } from '@shared/task.ts'

/** `interrupted`: by SIGINT (Ctrl-C), SIGTERM or SIGHUP alike. */
export const exitCodes = { done: 0, usage: 2, input: 3, service: 4, engine: 5, task: 6, interrupted: 130 } as const

const input: readonly ErrorCode[] = [...pictureErrors, ...videoErrors, ...fileErrors, ...addressErrors]
const service: readonly ErrorCode[] = [...serviceErrors, 'task-failed', 'result-unreadable']

/** How a swap that was waited for ended; null: it has not. 6: the service had taken it and failed. */
export function exitCodeOfTask(task: Task): number | null {
  switch (task.state) {
    case 'kept':
      return exitCodes.done
    case 'failed':
      return task.objectId === null ? exitCodeFor(task.error ?? { code: 'internal', details: {} }) : exitCodes.task
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

/**
 * In how many attempts a result may fail to be fetched before nobody at a terminal waits for it any more. 1: its address
 * never leads to a video (`file:`, a redirect loop). Some: what is there is not a video, or nothing is there; a service
 * may still be putting it there. Infinity: trouble that passes, or that somebody can set right.
 */
export function maxAttempts({ code, details }: ErrorBody): number {
  if (isPermanentResultError(code)) return 1
  if (code === 'result-unavailable') return typeof details['status'] === 'number' ? 3 : 1
  const isWrong =
    code === 'result-unreadable' && details['expectedBytes'] === undefined && details['reason'] !== 'cut-off'
  return isWrong ? 3 : Infinity
}

/** 2 wrong usage, 3 input refused, 4 service or key, 5 engine (or anything else) failed, 130 interrupted. */
export function exitCodeFor({ code }: ErrorBody): number {
  if (code === 'usage' || code === 'bad-argument') return exitCodes.usage
  if (code === 'cancelled') return exitCodes.interrupted
  if (input.includes(code)) return exitCodes.input
  return service.includes(code) ? exitCodes.service : exitCodes.engine
}
