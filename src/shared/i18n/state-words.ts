/** @file Words for the states of swaps, such as "Processing". */
import type { TaskState } from '../tasks/task-states.ts'
import { m } from './paraglide/messages.js'

export const stateWords: Readonly<Record<TaskState, () => string>> = {
  queued: m.state_queued,
  uploading: m.state_uploading,
  submitting: m.state_submitting,
  waiting: m.state_waiting,
  processing: m.state_processing,
  succeeded: m.state_succeeded,
  kept: m.state_kept,
  unconfirmed: m.state_unconfirmed,
  failed: m.state_failed,
  cancelled: m.state_cancelled,
  missing: m.state_missing,
}
