/**
 * @file A swap together with its outbox entry and its job at the service. A transition changes all of them in one
 * transaction and returns the commands to run afterwards. Pure.
 */
import type { Task } from '@shared/tasks/task.ts'
import type { OutboxEntry } from './outbox-entry.ts'
import { isPaused, step, type TaskAction } from './transitions.ts'

export interface Swap {
  task: Task
  /** Null: nothing to send, and no unanswered create. */
  entry: OutboxEntry | null
}

/** A job at the service that the swap no longer needs. `cancel` keeps the job's output; `delete` removes it. */
export interface UnneededJob {
  objectId: string
  endBy: 'cancel' | 'delete'
}

/** Commands to run once the change is stored. All are idempotent. */
export type Command = 'stop-sending' | 'stop-download' | 'pause-job' | 'resume-job' | 'look-again' | 'download-now'

export interface Transition extends Swap {
  unneeded: UnneededJob | null
  /** Object id of a job that is needed again and must not be ended. */
  neededAgain: string | null
  commands: Command[]
}

/** Computes swap, entry and jobs after `action`. `now` in epoch ms. */
export function transition(swap: Swap, action: TaskAction, now: number): Transition {
  const task = step(swap.task, action, now)
  const isOver = swap.task.state === 'failed' || swap.task.state === 'cancelled' || swap.task.state === 'missing'
  return {
    task,
    entry: entryAfter(swap, task, action, now),
    unneeded: unneededJob(swap.task, task, action),
    neededAgain: isOver && task.state === 'queued' ? task.objectId : null,
    commands: commandsFor(swap.task, task, action),
  }
}

function entryAfter({ task: before, entry }: Swap, task: Task, action: TaskAction, now: number): OutboxEntry | null {
  const changed = task !== before
  // Never drop or replace the entry of a create that the service may have received: wait for its answer, or ask again
  // with its idempotency key.
  const unanswered = entry?.sentAt == null ? null : entry
  switch (action.type) {
    case 'retry':
      if (!changed) return entry
      return unanswered ? { ...unanswered, notBefore: 0 } : action.entry
    case 'send-again':
    case 'disk-full':
      return changed ? action.entry : entry
    case 'sending':
      if (!changed || !entry) return entry
      return { ...entry, ...action.addresses, sentAt: now, attempts: entry.attempts + 1 }
    case 'not-sent': {
      if (!entry || (task.state !== 'queued' && action.sentAt === null)) return null
      const { sentAt, notBefore, attempts, lost = [] } = action
      return { ...entry, sentAt, notBefore, attempts, ...Object.fromEntries(lost.map((field) => [field, null])) }
    }
    case 'unclear':
      if (task.state === 'unconfirmed') return entry
      return entry && action.askAgainAt !== null ? { ...entry, notBefore: action.askAgainAt } : null
    case 'resume':
      return entry && { ...entry, notBefore: 0 }
    case 'cancel':
    case 'forbidden':
      return before.state === 'unconfirmed' && changed ? null : unanswered
    case 'refused':
      return changed && action.isUnanswered ? unanswered : null
    case 'created':
      return null
    default:
      return hasEntry(task) || !changed ? entry : null
  }
}

const hasEntry = ({ state }: Task): boolean =>
  state === 'queued' || state === 'uploading' || state === 'submitting' || state === 'unconfirmed'

const endsJob = ({ type }: TaskAction): boolean => type === 'cancel' || type === 'forbidden'

function unneededJob(before: Task, after: Task, action: TaskAction): UnneededJob | null {
  if (action.type === 'created' && after.objectId !== action.objectId)
    return { objectId: action.objectId, endBy: 'delete' }
  if (action.type === 'job-resumed' && after.state !== 'waiting') return { objectId: action.objectId, endBy: 'cancel' }
  const { objectId } = before
  if (objectId === null) return null
  if (after.objectId !== objectId) return { objectId, endBy: 'delete' }
  if (after.state === before.state) return null
  if (after.state === 'kept') return { objectId, endBy: 'delete' }
  return endsJob(action) ? { objectId, endBy: 'cancel' } : null
}

function commandsFor(before: Task, after: Task, action: TaskAction): Command[] {
  if (endsJob(action)) return before === after ? [] : ['stop-sending', 'stop-download']
  if (action.type === 'resume') {
    if (before.state === 'missing') return ['look-again']
    if (before.state === 'succeeded') return ['download-now']
  }
  const withService = after.state === 'waiting' || after.state === 'processing'
  if ((action.type === 'pause' || action.type === 'created' || action.type === 'job-resumed') && after !== before) {
    if (withService && after.pause === 'user') return ['pause-job']
    if (!withService && isPaused(after)) return ['stop-sending']
  }
  return action.type === 'resume' && withService && before.pause === 'user' ? ['resume-job'] : []
}
