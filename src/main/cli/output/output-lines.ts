/** @file Output of the command line: one JSON object per line, or text. Pure. */
import { errorSentence } from '@shared/i18n/error-text.ts'
import type { ErrorBody } from '@shared/errors.ts'
import { formatShare } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { stateWords } from '@shared/i18n/state-words.ts'
import { plain } from '@shared/plain.ts'
import type { ProfileView } from '@shared/service/profile.ts'
import { embeddedProfileId, isActive, type PauseReason, type TaskState } from '@shared/tasks/task-states.ts'
import type { Task } from '@shared/tasks/task.ts'
import { cut, tableLines } from './table.ts'

export interface Places {
  /** A profile's name; its id if it was removed. */
  profile: (profileId: string) => string
  /** Path of a media id's file; null when unknown. */
  path: (mediaId: string) => string | null
}

const time = (ms: number): string => new Date(ms).toISOString()

export const errorJson = (error: ErrorBody) => ({
  code: error.code,
  message: errorSentence(error),
  details: error.details,
})

/** The consents that a swap uses. */
export const consentsJson = ({ consents }: Task) => consents.map(({ at, ...consent }) => ({ ...consent, at: time(at) }))

/** Possible 64-bit integers (objectId) are text; times are RFC 3339. */
export function taskJson(task: Task, { profile, path }: Places) {
  return {
    id: task.id,
    profile: profile(task.profileId),
    objectId: task.objectId,
    title: task.title,
    state: task.state,
    paused: task.pause,
    face: {
      origin: task.face.origin,
      confirmedAt: task.face.confirmedAt === null ? null : time(task.face.confirmedAt),
    },
    consents: consentsJson(task),
    serviceStatus: task.serviceStatus,
    progress: task.state === 'kept' ? 1 : (task.progress?.share ?? null),
    error: task.error === null ? null : errorJson(task.error),
    result: task.result === null ? null : path(task.result.mediaId),
    cover: task.coverId === null ? null : path(task.coverId),
    createdAt: time(task.createdAt),
    updatedAt: time(task.updatedAt),
  }
}

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

/** Enough of an id to name a swap. */
const shortId = (id: string): string => id.slice(0, 8)

/** Local, and sorts by time: "2026-11-26 14:05". */
function localTime(ms: number): string {
  const at = new Date(ms)
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${String(at.getFullYear())}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}

export function taskLine(task: Task, places: Places): string {
  const parts = [
    shortId(task.id),
    stateText(task),
    plain(task.title).slice(0, 60),
    plain(places.profile(task.profileId)),
  ]
  if (task.error !== null) parts.push(plain(errorSentence(task.error)))
  return parts.join('  ')
}

/** Swaps as a table with a header. @param columns of the terminal */
export function taskTable(tasks: readonly Task[], places: Places, columns: number): string[] {
  const header = ['ID', m.column_added(), m.column_state(), m.cli_column_service(), m.title()]
  const rows = tasks.map((task) => [
    ...[shortId(task.id), localTime(task.createdAt), stateText(task)],
    ...[cut(plain(places.profile(task.profileId)), 20), plain(task.title)],
  ])
  return tasks.length === 0 ? [] : tableLines([header, ...rows], columns)
}

/** A swap for people. */
export function taskDetails(task: Task, { profile, path }: Places): string[] {
  const result = task.result === null ? null : path(task.result.mediaId)
  return tableLines([
    [m.title(), plain(task.title)],
    ['ID', task.id],
    [m.column_state(), stateText(task)],
    [m.cli_column_service(), plain(profile(task.profileId))],
    ...(task.objectId === null ? [] : [[m.cli_show_service_id(), plain(task.objectId)]]),
    [m.column_added(), localTime(task.createdAt)],
    [m.cli_show_changed(), localTime(task.updatedAt)],
    ...(result === null ? [] : [[m.cli_show_result(), plain(result)]]),
    ...(task.error === null ? [] : [[m.cli_show_problem(), plain(errorSentence(task.error))]]),
  ])
}

/** `isKeyKnown`: false if the keychain didn't answer. */
export function profileJson(profile: ProfileView, isKeyKnown = true) {
  const { id, name, baseUrl, keyHeader, durationUnit, allowHttp, embedded, key, paused } = profile
  return { id, name, baseUrl, keyHeader, durationUnit, allowHttp, embedded, paused, key: isKeyKnown ? key : null }
}

function keyText({ kept, lastFour, refused }: ProfileView['key']): string {
  if (kept === 'none') return m.no_key()
  return (refused ? m.cli_key_refused : m.cli_key)({ lastFour: lastFour ?? '' })
}

export function profileLine({ name, baseUrl, key }: ProfileView, isKeyKnown = true): string {
  // The embedded service needs no key from the user.
  if (baseUrl === null) return `${plain(name)}  ${m.detail_queued_here()}`
  return [plain(name), baseUrl, isKeyKnown ? keyText(key) : m.cli_key_unknown()].join('  ')
}

/** One line of JSON. 64-bit integers are text, because most JSON parsers would round them. */
export const jsonLine = (value: unknown): string =>
  `${JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? part.toString() : part))}\n`

/** Prints a JSON object or the text line. */
export function print(json: boolean, value: object, line: string): void {
  process.stdout.write(json ? jsonLine(value) : `${line}\n`)
}
