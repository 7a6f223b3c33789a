/** @file The state of a swap in words. Pure. */
import { formatShare } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { stateWords } from '@shared/i18n/state-words.ts'
import { embeddedProfileId, isActive, type PauseReason, type TaskState } from '@shared/tasks/task-states.ts'
import type { Task } from '@shared/tasks/task.ts'

/** On this computer, nothing is sent or fetched. */
const ownWords: Readonly<Partial<Record<TaskState, () => string>>> = {
  uploading: m.cli_preparing,
  submitting: m.cli_preparing,
  waiting: m.state_queued,
  succeeded: m.state_saving,
}

const pauses: Readonly<Record<PauseReason, () => string>> = {
  'no-network': m.paused_no_network,
  'disk-full': m.paused_disk_full,
  limit: m.paused_limit,
  key: m.paused_key,
  user: m.paused_user,
  service: m.paused_service,
}

export const ownStateWord = (state: TaskState): string => (ownWords[state] ?? stateWords[state])()

/** For example "Processing 62%" or "Paused (by you)". */
export function stateText({
  state,
  pause,
  profileId,
  progress,
}: Pick<Task, 'state' | 'pause' | 'profileId' | 'progress'>): string {
  if (pause !== null && isActive(state)) return `${m.state_paused()} (${pauses[pause]()})`
  const word = profileId === embeddedProfileId ? ownStateWord(state) : stateWords[state]()
  const share = progress?.share ?? null
  return state === 'processing' && share !== null ? `${word} ${formatShare(share)}` : word
}
