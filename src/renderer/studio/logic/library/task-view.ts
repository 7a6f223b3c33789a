/** @file Presentation of a swap: its state as icon, word and detail, its recovery actions, and its event texts. */
import type { ErrorText } from '@shared/i18n/error-facts.ts'
import { errorText } from '@shared/i18n/error-text.ts'
import {
  formatBytesOf,
  formatClock,
  formatCount,
  formatDayInline,
  formatPosition,
  formatRate,
  formatRoughRange,
  formatRoughSpan,
  formatShare,
} from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { stateWords } from '@shared/i18n/state-words.ts'
import { pictureErrors, videoErrors, type ErrorCode } from '@shared/mien-error.ts'
import { expectedLeft, shownProgress } from '@shared/tasks/estimated.ts'
import { readStatus, type StatusMeaning } from '@shared/service/status-words.ts'
import { embeddedProfileId, isActive, isCopied } from '@shared/tasks/task-states.ts'
import type { TaskState } from '@shared/tasks/task-states.ts'
import type { TaskEvent, TaskProgress, TaskResult } from '@shared/tasks/task.ts'
import type { TaskSummary } from '@shared/tasks/task-row.ts'

/** Visual state; `paused` overrides the task state. */
export type ShownState = TaskState | 'paused'

export interface StateLine {
  readonly state: ShownState
  /** For example "Processing 62%". */
  readonly word: string
  /** For example "50 s left"; may be empty. */
  readonly detail: string
}

export const isPaused = (task: TaskSummary): boolean => task.pause !== null && isActive(task.state)

/** Swaps that wait inside the local service look queued, like those not sent to it yet. */
export function shownStateOf(task: TaskSummary): ShownState {
  if (isPaused(task)) return 'paused'
  const waitsHere = task.state === 'waiting' && task.profileId === embeddedProfileId
  return waitsHere || isCopied(task) ? 'queued' : task.state
}

/** Swaps can be paused while unsent, or while this computer processes them. */
export const canBePaused = ({ state, pause }: TaskSummary, embedded: boolean): boolean =>
  pause === null &&
  (state === 'queued' || state === 'uploading' || (embedded && (state === 'waiting' || state === 'processing')))

/** The word alone, for example "Processing". */
export const stateWord = (state: ShownState): string => (state === 'paused' ? m.state_paused() : stateWords[state]())

/** What a service's status word means, for example "Finished". */
export const meaningWord = (meaning: StatusMeaning): string => stateWord(meaning === 'succeeded' ? 'kept' : meaning)

/** Unknown status words are shown verbatim in quotes, even if the user has given them a meaning. */
const isKnown = (status: string): boolean => readStatus(status).status !== 'unknown'

export const foreignWord = (task: TaskSummary): string | null => {
  const word = task.serviceStatus?.trim() ?? ''
  return word === '' || isKnown(word) || (task.state !== 'waiting' && task.state !== 'processing') ? null : word
}

const shared: readonly ShownState[] = ['uploading', 'processing']

function word(task: TaskSummary, state: ShownState): string {
  const foreign = foreignWord(task)
  if (state !== 'paused' && foreign !== null) return m.quoted({ text: foreign })
  const share = task.progress?.share ?? null
  // Nothing is fetched from this computer.
  if (state === 'succeeded' && task.profileId === embeddedProfileId) return m.state_saving()
  const withShare = share !== null && shared.includes(state) && task.progress?.estimated !== true
  return withShare ? `${stateWord(state)} ${formatShare(share)}` : stateWord(state)
}

/** "50 s left", or "about 2–4 min left" if estimated from earlier swaps; null if unknown. */
export function timeLeft(task: TaskSummary, nowMs: number): string | null {
  if (!isActive(task.state)) return null
  const { progress, expected } = task
  if (progress?.etaMs != null) {
    const span = formatRoughSpan(progress.etaMs)
    return progress.estimated ? m.time_left_about({ span }) : m.time_left({ span })
  }
  if (expected === null || progress?.share != null) return null
  const left = expectedLeft(expected, nowMs)
  return left === null ? m.time_left_longer() : m.time_left_about({ span: formatRoughRange(left.lowMs, left.highMs) })
}

/** The key that it needs isn't in the keychain. */
const isKeyMissing = (task: TaskSummary): boolean => task.error?.code === 'key-missing'

function detail(task: TaskSummary, state: ShownState, nowMs: number, before: number): string {
  const progress = task.progress
  if (state === 'paused') {
    if (task.pause === 'no-network') return m.paused_no_network()
    if (task.pause === 'disk-full') return m.paused_disk_full()
    if (task.pause === 'limit') return m.paused_limit()
    if (task.pause === 'service') return m.paused_service()
    if (task.pause !== 'key') return m.paused_user()
    return isKeyMissing(task) ? m.no_key() : m.paused_key()
  }
  switch (state) {
    case 'queued':
      if (before > 0) return m.detail_queued_before({ count: before })
      return task.profileId === embeddedProfileId ? m.detail_queued_here() : ''
    case 'uploading':
      return progress?.bytesDone != null && progress.bytesTotal != null
        ? formatBytesOf(progress.bytesDone, progress.bytesTotal)
        : (timeLeft(task, nowMs) ?? '')
    case 'waiting': {
      const sent = task.events.findLast((event) => event.what === 'sent' || event.what === 'sent-again')
      return (
        timeLeft(task, nowMs) ??
        (sent === undefined ? '' : m.detail_sent_ago({ span: formatRoughSpan(nowMs - sent.at) }))
      )
    }
    case 'processing': {
      if (progress?.isChecking === true) return m.detail_checking()
      const left = timeLeft(task, nowMs)
      if (left !== null) return left
      return task.startedAt === null ? '' : m.detail_so_far({ span: formatRoughSpan(nowMs - task.startedAt) })
    }
    case 'succeeded':
      return progress?.bytesDone != null && progress.bytesTotal != null
        ? formatBytesOf(progress.bytesDone, progress.bytesTotal)
        : ''
    case 'kept':
      return formatClock(task.endedAt ?? task.updatedAt)
    default:
      return ''
  }
}

/** `before`: number of swaps ahead in its queue. */
export function stateLine(task: TaskSummary, nowMs: number, before: number | null = null): StateLine {
  const state = shownStateOf(task)
  return { state, word: word(task, state), detail: detail(task, state, nowMs, before ?? 0) }
}

/** Progress for a bar; null if the swap has ended or has not started. */
export function barOf(task: TaskSummary, nowMs: number): (TaskProgress & { share: number }) | null {
  const progress = shownProgress(task, nowMs)
  const share = progress?.share ?? null
  if (progress === null || share === null || !isActive(task.state)) return null
  return share === 0 && (task.state === 'queued' || task.state === 'waiting') ? null : { ...progress, share }
}

export const recoveryLabel = {
  decide: m.remedy_decide,
  'other-video': m.remedy_other_video,
  'other-face': m.remedy_other_face,
  'try-again': m.remedy_try_again,
  'swap-again': m.remedy_swap_again,
  'look-again': m.remedy_look_again,
  'replace-key': m.remedy_replace_key,
  'enter-key': m.enter_key,
  settings: m.settings,
}
export type RecoveryAction = keyof typeof recoveryLabel

const faceErrors: readonly ErrorCode[] = pictureErrors
const otherVideo: readonly ErrorCode[] = videoErrors
const settingsErrors: readonly ErrorCode[] = [
  'folder-missing',
  'folder-read-only',
  'not-a-service',
  'service-unreachable',
]

/** Recovery actions by error code; the card offers the first. */
export function recoveryActions(task: TaskSummary): readonly RecoveryAction[] {
  if (task.state === 'unconfirmed') return ['decide']
  if (task.state === 'missing') return ['swap-again', 'look-again']
  if (isPaused(task)) {
    if (task.pause === 'key') return isKeyMissing(task) ? ['enter-key', 'try-again'] : ['replace-key']
    return task.pause === 'disk-full' || task.pause === 'limit' ? ['try-again'] : []
  }
  if (task.state === 'cancelled') return ['try-again']
  if (task.state !== 'failed') return []
  const code = task.error?.code ?? 'internal'
  if (faceErrors.includes(code)) return [task.error?.details['target'] === true ? 'other-video' : 'other-face']
  if (code === 'consent-withdrawn') return ['other-face', 'try-again']
  if (code === 'file-missing')
    return [task.error?.details['name'] === task.face.name ? 'other-face' : 'other-video', 'try-again']
  // Another part may do.
  if (code === 'range-invalid' || (code === 'no-face-in-video' && task.error?.details['parts'] !== undefined))
    return ['swap-again']
  if (otherVideo.includes(code)) return ['other-video']
  if (code === 'key-missing') return ['enter-key', 'try-again']
  if (code === 'key-refused') return ['replace-key', 'try-again']
  if (code === 'needs-upload-target' || code === 'too-large' || code === 'request-refused') return ['swap-again']
  if (settingsErrors.includes(code)) return ['try-again', 'settings']
  return ['try-again', 'other-video']
}

/** Title and body of a problem that needs attention; null if there is none. */
export function problemOf(task: TaskSummary, service: string): ErrorText | null {
  if (task.state === 'unconfirmed')
    return { title: m.problem_unconfirmed(), body: m.problem_unconfirmed_body({ service }) }
  if (task.state === 'missing') return { title: m.problem_missing({ service }), body: m.problem_missing_body() }
  if (isPaused(task) && task.pause === 'key') {
    const { code, details } = task.error ?? { code: 'key-refused' as const, details: {} }
    return errorText({ code, details: { service, ...details } })
  }
  if (isPaused(task) && task.pause === 'disk-full')
    return { title: m.error_disk_full(), body: m.paused_disk_full_body() }
  if (isPaused(task) && task.pause === 'limit')
    return errorText({ code: 'quota-reached', details: { service, ...task.error?.details } })
  if (task.state !== 'failed') return null
  const error = task.error ?? { code: 'internal' as const, details: {} }
  return errorText({ code: error.code, details: { service, ...error.details } })
}

/** Characters that fit in two lines on a card of minimum width. */
const longestOnCard = 68

/** Problem text for a card: the title, and the body if the swap failed and both fit. */
export function problemShort(task: TaskSummary, service: string): string {
  const problem = problemOf(task, service)
  if (problem === null) return ''
  const whole = m.title_and_body(problem)
  return task.state === 'failed' && whole.length <= longestOnCard ? whole : m.sentence({ text: problem.title })
}

/** A card shows its video desaturated until the first swapped frame arrives. */
export const hasColour = (task: TaskSummary): boolean =>
  task.state === 'kept' || (task.preview !== null && isActive(task.state))

/** Media id of a card's picture. */
export const pictureOf = (task: TaskSummary): string =>
  task.state === 'kept' ? (task.coverId ?? task.video.coverId) : (task.preview?.afterId ?? task.video.coverId)

/** A line of "What happened". */
export function eventText({ what, details }: TaskEvent, service: string, result: TaskResult | null = null): string {
  const text = (key: string): string | null => {
    const value = details[key]
    return typeof value === 'number' ? formatRate(value) : typeof value === 'string' && value !== '' ? value : null
  }
  switch (what) {
    case 'added':
      return m.event_added()
    case 'uploaded':
      return m.event_uploaded({ service })
    case 'sent':
      return m.event_sent({ service })
    case 'unconfirmed':
      return m.problem_unconfirmed()
    case 'sent-again':
      return m.event_sent_again({ service })
    case 'id-given':
      return m.event_id_given()
    case 'started':
      return m.event_started({ service })
    case 'paused': {
      const reason = text('reason')
      if (reason === 'no-network') return m.event_paused_network()
      if (reason === 'disk-full') return m.event_paused_disk_full()
      if (reason === 'service') return m.event_paused_service({ service })
      if (reason === 'key-missing') return m.event_paused_key_missing({ service })
      return reason === 'key' ? m.event_paused_key({ service }) : m.event_paused()
    }
    case 'resumed':
      return m.event_resumed()
    case 'restarted':
      return m.event_restarted()
    case 'succeeded': {
      const frames = text('frames') ?? (result?.frames == null ? null : formatCount(result.frames))
      const fps = text('fps') ?? (result?.workFps == null ? null : formatRate(result.workFps))
      // The one frame of a picture says nothing.
      if (frames === null || frames === '1') return m.event_succeeded({ service })
      return fps === null
        ? m.event_succeeded_frames({ service, frames })
        : m.event_succeeded_fps({ service, frames, fps })
    }
    case 'kept': {
      const folder = text('folder') ?? text('folderName')
      return folder === null ? m.event_kept() : m.event_kept_in({ folder })
    }
    case 'failed':
      return m.state_failed()
    case 'cancelled':
      return m.event_cancelled()
    case 'missing':
      return m.event_missing({ service })
    case 'part-swapped':
      return m.event_part_swapped(partTimes(details))
    case 'part-left':
      return m.event_part_left(partTimes(details))
    case 'went-back':
      return m.event_went_back({ number: text('version') ?? '' })
  }
}

/** The start and the end of a part, as texts. */
export const partTimes = ({ fromMs, toMs }: { fromMs?: unknown; toMs?: unknown }): { from: string; to: string } => ({
  from: formatPosition(Number(fromMs) / 1000),
  to: formatPosition(Number(toMs) / 1000),
})

/** "Today at 09:41" or, inside a sentence, "today at 09:41". */
export const atDay = (atMs: number, nowMs: number): string =>
  m.day_at({ day: formatDayInline(atMs, nowMs), time: formatClock(atMs) })
