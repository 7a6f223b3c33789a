/** @file Maps services' status words to meanings. The API doesn't define the words; these are common ones. Pure. */

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

/** Common numeric codes. They are a guess, so a success counts only with a result (read-task.ts). */
const numbers = new Map<string, StatusMeaning>([
  ['-2', 'cancelled'],
  ['-1', 'failed'],
  ['0', 'waiting'],
  ['1', 'processing'],
  ['2', 'succeeded'],
  ['3', 'failed'],
  ['4', 'cancelled'],
])

/** Meanings that the user gave to a service's words, by `wordKey`. They take precedence. */
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
