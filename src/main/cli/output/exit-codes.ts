/** @file Exit codes. Pure. */
import {
  addressErrors,
  choiceErrors,
  consentErrors,
  fileErrors,
  isPermanentResultError,
  modelErrors,
  pictureErrors,
  serviceErrors,
  videoErrors,
  type ErrorBody,
  type ErrorCode,
} from '@shared/errors.ts'
import type { Task } from '@shared/tasks/task.ts'
import type { Verdict } from '@shared/files/verification.ts'

/** `interrupted`: by SIGINT (Ctrl-C), SIGTERM, SIGHUP or SIGQUIT. */
export const exitCodes = {
  ...{ done: 0, usage: 2, input: 3, service: 4, engine: 5, task: 6, tampered: 7, unsigned: 8, interrupted: 130 },
} as const

const exitCodeByVerdict: Readonly<Record<Verdict, number>> = {
  unchanged: exitCodes.done,
  changed: exitCodes.tampered,
  forged: exitCodes.tampered,
  broken: exitCodes.tampered,
  stripped: exitCodes.unsigned,
  none: exitCodes.unsigned,
  unsupported: exitCodes.input,
}

/** The more a file is to be doubted, the later. */
const byDoubt: readonly number[] = [
  ...[exitCodes.done, exitCodes.unsigned, exitCodes.input, exitCodes.engine, exitCodes.tampered],
]

/** Exit code of `mien verify`: the worst of all files. An error stands for a file that could not be read. */
export function exitCodeOfVerdicts(verdicts: readonly (Verdict | ErrorBody)[]): number {
  const codes = verdicts.map((each) => (typeof each === 'string' ? exitCodeByVerdict[each] : exitCodeFor(each)))
  return codes.reduce((worst, code) => (byDoubt.indexOf(code) > byDoubt.indexOf(worst) ? code : worst), exitCodes.done)
}

const input: readonly ErrorCode[] = [
  ...[...pictureErrors, ...videoErrors, ...choiceErrors, ...consentErrors],
  ...[...fileErrors, ...addressErrors, ...modelErrors],
]
const service: readonly ErrorCode[] = [
  ...([...serviceErrors, 'task-failed', 'result-unreadable'] as const),
  ...(['database-unusable', 'storage-unreachable', 'storage-refused', 'storage-damaged'] as const),
]

/** Exit code of a swap; null while it hasn't ended. 6: it failed after the service accepted it. */
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
      if (task.pause === 'disk-full') return exitCodes.engine
      // A swap paused for one of these reasons needs the user.
      return task.pause !== null && task.pause !== 'no-network' ? exitCodes.service : null
  }
}

/**
 * Max failed downloads of a result before the command line gives up. 1: the URL can never be a video (`file:`, a
 * redirect loop). 3: it is missing or not a video; the service may still be uploading it. Infinity: transient errors,
 * or ones that the user can fix.
 */
export function maxAttempts({ code, details }: ErrorBody): number {
  if (isPermanentResultError(code)) return 1
  if (code === 'result-unavailable') return typeof details['status'] === 'number' ? 3 : 1
  const isWrong =
    code === 'result-unreadable' && details['expectedBytes'] === undefined && details['reason'] !== 'cut-off'
  return isWrong ? 3 : Infinity
}

/** 2 wrong usage, 3 invalid input, 4 service or key (also database or storage of a server), 5 engine (or anything else) failed, 130 interrupted. */
export function exitCodeFor({ code }: ErrorBody): number {
  if (code === 'usage' || code === 'bad-argument' || code === 'pairing-invalid') return exitCodes.usage
  if (code === 'cancelled') return exitCodes.interrupted
  if (input.includes(code)) return exitCodes.input
  return service.includes(code) ? exitCodes.service : exitCodes.engine
}
