/** @file Services' words for a task's status. The interface does not list them; these are the usual ones. Pure. */

export const statusMeanings = ['waiting', 'processing', 'succeeded', 'failed', 'cancelled'] as const
export type StatusMeaning = (typeof statusMeanings)[number]
export type ServiceStatus = StatusMeaning | 'unknown'

const words: Record<StatusMeaning, string> = {
  waiting:
    'waiting wait pending queued queue queueing queuing inqueue created new init initial initialized submitted accepted scheduled notstarted todo draft',
  processing:
    'processing process running inprogress progress working started start active executing handling generating rendering uploading doing busy swapping analyzing analysing retrying',
  succeeded: 'succeeded success successful completed complete done finished finish ok published end ended',
  failed: 'failed fail failure error errored exception rejected invalid timeout timedout expired aborted dead',
  cancelled: 'cancelled canceled cancel cancelling canceling stopped terminated revoked deleted removed',
}

const dictionary = new Map<string, StatusMeaning>()
for (const status of statusMeanings) for (const word of words[status].split(' ')) dictionary.set(word, status)

/** The usual numbering. It is a guess, so a success is believed only with a result (read-task.ts). */
const numbers = new Map<string, StatusMeaning>([
  ['-2', 'cancelled'],
  ['-1', 'failed'],
  ['0', 'waiting'],
  ['1', 'processing'],
  ['2', 'succeeded'],
  ['3', 'failed'],
  ['4', 'cancelled'],
])

/** What people said a word of this service means; looked up first, by the word as `wordKey` writes it. */
export type WordMapping = Readonly<Record<string, ServiceStatus>>

export const wordKey = (word: string): string => word.trim().toLowerCase()

export function readStatus(
  word: string | null,
  mapping: WordMapping = {},
): { status: ServiceStatus; guessed: boolean } {
  if (word === null) return { status: 'unknown', guessed: false }
  const lower = wordKey(word)
  const mapped = Object.hasOwn(mapping, lower) ? mapping[lower] : undefined
  if (mapped) return { status: mapped, guessed: false }
  const number = numbers.get(lower)
  if (number) return { status: number, guessed: true }
  // TASK_STATUS_SUCCEEDED, task-succeeded, "In progress"
  const bare = lower.replace(/[^\p{L}\p{N}]/gu, '').replace(/^(?:task|job)?(?:status|state)?(?=.)/, '')
  return { status: dictionary.get(bare) ?? dictionary.get(lower) ?? 'unknown', guessed: false }
}
