/**
 * @file Lifecycle of a swap as a pure state machine. An action that is invalid in the current state changes nothing, so
 * late or repeated answers are harmless.
 */
import type { ErrorBody } from '@shared/errors.ts'
import {
  embeddedProfileId,
  isActive,
  type Expected,
  type PauseReason,
  type Task,
  type TaskEvent,
  type TaskProgress,
  type TaskResult,
  type TaskState,
} from '@shared/tasks/task.ts'
import { heldProgress, keptProgress, transferred } from './held-progress.ts'
import type { Addresses, OutboxEntry } from './outbox-entry.ts'
import { withVersions, type VersionAction } from './versions.ts'

/** A service's answer about a swap, already parsed (see service-client). */
export interface Observation {
  status: 'waiting' | 'processing' | 'succeeded' | 'failed' | 'cancelled' | 'unknown'
  statusWord: string | null
  taskId: string | null
  error: ErrorBody | null
  progress: TaskProgress | null
  /** Expected duration, used when the service reports no progress. */
  expected?: Expected | null
}

export type TaskAction =
  | { type: 'upload-progress'; bytesDone: number; bytesTotal: number | null }
  | { type: 'uploaded' }
  | { type: 'sending'; addresses: Addresses }
  | { type: 'created'; objectId: string; jobCanPause: boolean }
  /**
   * This request created nothing. `sentAt`: of an earlier unanswered request. `notBefore`: when to send again, epoch
   * ms. `lost`: the files that the service no longer has and that must be uploaded again.
   */
  | {
      type: 'not-sent'
      pause: PauseReason | null
      notBefore: number
      attempts: number
      sentAt: number | null
      lost?: readonly (keyof Addresses)[]
      /** Why it waits; only for the pause `limit`. */
      error?: ErrorBody
    }
  /**
   * It's unknown whether a job was created. `askAgainAt` (epoch ms): when to retry, if the service honours the
   * idempotency key.
   */
  | { type: 'unclear'; error: ErrorBody; askAgainAt: number | null }
  /** `isUnanswered`: this request created nothing, but an earlier one may have. */
  | { type: 'refused'; error: ErrorBody; isUnanswered?: boolean }
  /** A swap that has not started may not start, because a consent was withdrawn. */
  | { type: 'forbidden'; error: ErrorBody }
  | { type: 'observed'; observation: Observation }
  | { type: 'not-listed' }
  | { type: 'fetch-progress'; bytesDone: number; bytesTotal: number | null }
  | { type: 'fetch-failed'; error: ErrorBody }
  | { type: 'kept'; result: TaskResult; coverId: string | null; peopleIds: string[] }
  | { type: 'cancel' }
  /** `jobCanPause`: the service can pause jobs. `error`: why it waits, if the reason doesn't say it. */
  | { type: 'pause'; reason: PauseReason; jobCanPause: boolean; error?: ErrorBody }
  | { type: 'resume' }
  /** The service refused to pause or resume the job. */
  | { type: 'pause-refused' }
  | { type: 'resume-refused' }
  /** `jobCanResume`: the service may still have partial work, so try to resume the job before creating a new one. */
  | { type: 'retry'; entry: OutboxEntry; jobCanResume: boolean }
  | { type: 'job-resumed'; objectId: string }
  | { type: 'job-gone' }
  | { type: 'send-again'; entry: OutboxEntry }
  | { type: 'give-id'; objectId: string }
  /** A job on this computer stopped because the disk is full. `entry`: to resume it. */
  | { type: 'disk-full'; entry: OutboxEntry }
  /** Mien quit or crashed in the middle of it. */
  | { type: 'interrupted' }
  | VersionAction

const maxEvents = 60

/** A weaker reason never replaces a stronger one: a swap that the user paused stays paused when the network is back. */
const strength: Record<PauseReason, number> = { 'no-network': 0, 'disk-full': 0, limit: 0, key: 1, service: 2, user: 3 }

/** The user can pause unsent swaps, and jobs at services that support pausing. */
const canPause = (state: TaskState, jobCanPause: boolean): boolean =>
  state === 'queued' || state === 'uploading' || (jobCanPause && (state === 'waiting' || state === 'processing'))

/** One that is being sent isn't among them: it has to be answered first. */
const isNotStarted = ({ state, startedAt }: Task): boolean =>
  state === 'queued' ||
  state === 'uploading' ||
  state === 'waiting' ||
  // The service may list it again.
  (state === 'missing' && startedAt === null)

/** Paused by the user or with its service's queue. */
export const isPaused = ({ pause }: Pick<Task, 'pause'>): boolean => pause === 'user' || pause === 'service'

/** The task after `action`; the same object if nothing changed. `now` in epoch ms. */
export function step(task: Task, action: TaskAction, now: number): Task {
  const next = change(task, action, now)
  return next === null ? task : { ...task, ...next, updatedAt: now }
}

type Change = Partial<Task> | null

function writer(task: Task, now: number) {
  const eventsWith = (what: TaskEvent['what'], details: TaskEvent['details'] = {}): TaskEvent[] =>
    [...task.events, { at: now, what, details }].slice(-maxEvents)
  const ended = (state: 'failed' | 'cancelled' | 'missing', error: ErrorBody | null): Change => ({
    // Kept for a job that is resumed.
    ...{ state, error, pause: null, progress: keptProgress(task, now), expected: null, endedAt: now },
    events: eventsWith(state),
  })
  return { eventsWith, ended }
}

function change(task: Task, action: TaskAction, now: number): Change {
  const { eventsWith, ended } = writer(task, now)

  switch (action.type) {
    case 'upload-progress':
      if (task.state !== 'queued' && task.state !== 'uploading') return null
      return {
        state: 'uploading',
        pause: isPaused(task) ? task.pause : null,
        error: null,
        progress: transferred(task.progress, action.bytesDone, action.bytesTotal),
      }
    case 'uploaded':
      return task.state === 'uploading' ? { progress: null, events: eventsWith('uploaded') } : null
    case 'sending':
      if (task.state !== 'queued' && task.state !== 'uploading') return null
      return { state: 'submitting', pause: null, error: null, progress: null }
    case 'created':
      // Queued: cancelled and retried while the create was in flight.
      if (task.state !== 'submitting' && task.state !== 'queued') return null
      return {
        state: 'waiting',
        objectId: action.objectId,
        ...{
          pause: action.jobCanPause && task.pause === 'user' ? 'user' : null,
          error: null,
          events: eventsWith('sent'),
        },
      }
    case 'not-sent':
      if (task.state !== 'submitting' && task.state !== 'uploading' && task.state !== 'queued') return null
      return { state: 'queued', pause: task.pause ?? action.pause, error: action.error ?? null }
    case 'unclear':
      if (task.state !== 'submitting' && task.state !== 'queued') return null
      if (action.askAgainAt !== null) return { state: 'queued', progress: null }
      return { state: 'unconfirmed', pause: null, error: action.error, events: eventsWith('unconfirmed') }
    case 'refused':
      if (task.state !== 'queued' && task.state !== 'uploading' && task.state !== 'submitting') return null
      return ended('failed', action.error)
    case 'forbidden':
      return isNotStarted(task) ? ended('failed', action.error) : null
    case 'observed':
      // Listed again after all: continue watching it.
      if (task.state === 'missing') {
        const back = { ...task, state: 'waiting' as const, error: null, endedAt: null }
        const found = { state: back.state, error: null, endedAt: null, events: eventsWith('resumed') }
        return { ...found, ...observed({ ...back, events: found.events }, action.observation, now) }
      }
      return observed(task, action.observation, now)
    case 'not-listed':
      return task.state === 'waiting' || task.state === 'processing' ? ended('missing', null) : null
    case 'fetch-progress':
      if (task.state !== 'succeeded') return null
      return { progress: transferred(task.progress, action.bytesDone, action.bytesTotal), error: null }
    case 'fetch-failed':
      return task.state === 'succeeded' ? { error: action.error } : null
    case 'kept':
      if (task.state !== 'succeeded') return null
      return {
        state: 'kept',
        result: action.result,
        coverId: action.coverId,
        peopleIds: action.peopleIds,
        ...{ pause: null, error: null, progress: null, expected: null, preview: null, endedAt: now },
        events: eventsWith('kept', { folder: action.result.folderName }),
      }
    case 'cancel':
      return isActive(task.state) || task.state === 'unconfirmed' ? ended('cancelled', null) : null
    case 'pause':
      if (!isActive(task.state) || task.pause === action.reason) return null
      if (action.reason === 'user' && !canPause(task.state, action.jobCanPause)) return null
      if (task.pause !== null && strength[task.pause] > strength[action.reason]) return null
      return {
        pause: action.reason,
        ...(action.error ? { error: action.error } : {}),
        events: eventsWith('paused', { reason: action.error?.code === 'key-missing' ? 'key-missing' : action.reason }),
      }
    case 'resume':
    case 'pause-refused':
      if (task.pause === null) return null
      return { pause: null, ...(task.pause === 'key' ? { error: null } : {}), events: eventsWith('resumed') }
    case 'resume-refused':
      if (task.state !== 'waiting' && task.state !== 'processing') return null
      return task.pause === 'user' ? null : { pause: 'user', events: eventsWith('paused', { reason: 'user' }) }
    case 'retry':
      if (task.state !== 'failed' && task.state !== 'cancelled' && task.state !== 'missing') return null
      return {
        ...again(eventsWith('restarted')),
        ...(action.jobCanResume ? { objectId: task.objectId, startedAt: task.startedAt, progress: task.progress } : {}),
      }
    case 'job-resumed':
      if (task.state !== 'queued' || task.objectId !== action.objectId) return null
      return { state: 'waiting', pause: task.pause === 'user' ? 'user' : null, events: eventsWith('resumed') }
    case 'job-gone':
      return task.state === 'queued' && task.objectId !== null
        ? { objectId: null, startedAt: null, progress: null }
        : null
    case 'send-again':
      return task.state === 'unconfirmed' ? again(eventsWith('sent-again')) : null
    case 'give-id':
      if (task.state !== 'unconfirmed') return null
      return { state: 'waiting', objectId: action.objectId, error: null, events: eventsWith('id-given') }
    case 'disk-full':
      if (task.state !== 'waiting' && task.state !== 'processing') return null
      return {
        ...{ state: 'queued', pause: isPaused(task) ? task.pause : 'disk-full', expected: null },
        progress: keptProgress(task, now),
        events: eventsOfFullDisk(task.events) ?? eventsWith('paused', { reason: 'disk-full' }),
      }
    case 'interrupted':
      return task.state === 'uploading' || task.state === 'submitting' ? { state: 'queued' } : null
    case 'version-placing':
    case 'version-placed':
    case 'version-not-placed':
      return task.state === 'kept' ? withVersions(task, action, eventsWith) : null
  }
}

/** The events if the swap was only tried again since the disk was full before, which would fill the list. Else null. */
function eventsOfFullDisk(events: TaskEvent[]): TaskEvent[] | null {
  const at = events.findLastIndex(({ what }) => what === 'paused')
  const since = events.slice(at + 1).filter(({ what }) => what !== 'resumed')
  const isRepeated = events[at]?.details['reason'] === 'disk-full' && since.every(({ what }) => what === 'started')
  return isRepeated ? [...events.slice(0, at + 1), ...since] : null
}

const again = (events: TaskEvent[]): Change => ({
  state: 'queued',
  pause: null,
  objectId: null,
  serviceStatus: null,
  serviceTaskId: null,
  progress: null,
  expected: null,
  preview: null,
  error: null,
  startedAt: null,
  endedAt: null,
  events,
})

const same = (a: TaskProgress | null, b: TaskProgress | null): boolean => JSON.stringify(a) === JSON.stringify(b)

function observed(task: Task, seen: Observation, now: number): Change {
  if (task.state !== 'waiting' && task.state !== 'processing') return null
  const { eventsWith, ended } = writer(task, now)
  const words = { serviceStatus: seen.statusWord, serviceTaskId: seen.taskId ?? task.serviceTaskId }
  // An answer ends automatic pauses (no network, key), but not the user's pause.
  const pause = isPaused(task) ? task.pause : null
  switch (seen.status) {
    case 'failed':
      return { ...words, ...ended('failed', seen.error ?? { code: 'task-failed', details: {} }) }
    case 'cancelled':
      return { ...words, ...ended('cancelled', seen.error) }
    case 'succeeded':
      return {
        ...{ ...words, state: 'succeeded', pause, error: null, expected: null },
        progress: keptProgress(task, now),
        events: eventsWith('succeeded'),
      }
    case 'processing':
    case 'waiting':
    case 'unknown': {
      // On this computer, a swap that is moved back stops until its turn comes.
      const isBack = seen.status === 'waiting' && task.pause === null && task.profileId === embeddedProfileId
      const state = seen.status === 'processing' ? 'processing' : isBack ? 'waiting' : task.state
      const progress = heldProgress(task, seen.progress, now)
      const expected = progress?.share == null ? (task.expected ?? seen.expected ?? null) : null
      // Skip the write and the delta when nothing changed.
      const nothing =
        state === task.state &&
        words.serviceStatus === task.serviceStatus &&
        words.serviceTaskId === task.serviceTaskId &&
        pause === task.pause &&
        expected === task.expected &&
        same(progress, task.progress)
      if (nothing) return null
      const first = state === 'processing' && task.startedAt === null
      return {
        ...{ ...words, state, pause, expected, progress },
        ...(first ? { startedAt: now, events: eventsWith('started') } : {}),
      }
    }
  }
}
