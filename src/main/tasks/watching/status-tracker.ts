/** @file What one answer alone does not say: a swap that stays away, a result that stays the same. */
import type { ServiceTask } from '../../service-client/types.ts'
import { noProgress, type Observation } from '../rules/transitions.ts'

/** A swap that a service no longer lists is given up after this many answers over at least this time. */
const missingAnswers = 3
const missingMs = 60_000

/** An address without what is new in each answer, such as a signature. */
function bare(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? parsed.origin + parsed.pathname : url
}

export class StatusTracker {
  private readonly absent = new Map<string, { since: number; answers: number }>()
  private readonly results = new Map<string, string>()
  /** In ticks, which are not set back. */
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  /** It was asked for and not in the answer. True: it counts as missing. */
  missed(taskId: string): boolean {
    const absent = this.absent.get(taskId) ?? { since: this.now(), answers: 0 }
    absent.answers += 1
    this.absent.set(taskId, absent)
    return absent.answers >= missingAnswers && this.now() - absent.since >= missingMs
  }

  /** It was in the answer. True: with the same result as in the answer before. */
  seen(taskId: string, resultUrl: string | null): boolean {
    this.absent.delete(taskId)
    const before = this.results.get(taskId)
    if (resultUrl === null) this.results.delete(taskId)
    else this.results.set(taskId, bare(resultUrl))
    return resultUrl !== null && before === bare(resultUrl)
  }
}

/**
 * A service's answer as the board understands it. Under a word that nobody knows, a result that was the same
 * twice (`sameResult`) means that it is finished.
 */
export function observe(answer: ServiceTask, sameResult: boolean): Observation {
  const { work, progress } = answer
  return {
    status: answer.status === 'unknown' && sameResult ? 'succeeded' : answer.status,
    statusWord: answer.statusWord,
    taskId: answer.taskId,
    error: answer.error,
    progress:
      progress || work
        ? {
            ...noProgress,
            share: progress?.share ?? null,
            etaMs: progress?.etaMs ?? null,
            framesDone: work?.framesDone ?? null,
            framesTotal: work?.framesTotal ?? null,
            framesSwapped: work?.framesSwapped ?? null,
            workFps: work?.workFps ?? null,
            savedMs: work?.savedMs ?? null,
          }
        : null,
  }
}
