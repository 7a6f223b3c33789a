/**
 * @file State across answers: how long a swap has been absent, whether its result is stable, and how many ids a service takes
 * in one request.
 */
import type { ServiceTask } from '../../remote/client/parsing/read-task.ts'
import { noProgress } from '@shared/tasks/estimated.ts'
import type { Observation } from '../rules/transitions.ts'
import { scaledLimits, type BatchLimits } from '../../remote/client/parsing/batch.ts'
import type { Services } from '../store/parts.ts'

/** A swap counts as missing after this many answers without it, over at least this time. */
const missingAnswers = 3
const missingMs = 60_000

/** URL without its query, which may change in each answer (e.g. a signature). */
function bare(url: string): string {
  const parsed = URL.parse(url)
  return parsed ? parsed.origin + parsed.pathname : url
}

export class StatusTracker {
  private readonly absent = new Map<string, { since: number; answers: number }>()
  private readonly results = new Map<string, string>()

  constructor(/** In ticks (monotonic). */ private readonly now: () => number) {}

  /** The swap isn't watched any more. */
  forget(taskId: string): void {
    this.absent.delete(taskId)
    this.results.delete(taskId)
  }

  /** The swap was absent from an answer. Returns true when it counts as missing. */
  missed(taskId: string): boolean {
    const absent = this.absent.get(taskId) ?? { since: this.now(), answers: 0 }
    absent.answers += 1
    this.absent.set(taskId, absent)
    return absent.answers >= missingAnswers && this.now() - absent.since >= missingMs
  }

  /** The swap was in an answer. Returns true if its result is the same as in the previous answer. */
  seen(taskId: string, resultUrl: string | null): boolean {
    this.absent.delete(taskId)
    const before = this.results.get(taskId)
    if (resultUrl === null) this.results.delete(taskId)
    else this.results.set(taskId, bare(resultUrl))
    return resultUrl !== null && before === bare(resultUrl)
  }
}

/**
 * Converts a service's answer for the board. With an unknown status word, a result that was the same twice
 * (`sameResult`) counts as succeeded.
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
            isChecking: work?.stage === 'preparing' && work.savedMs > 0,
          }
        : null,
  }
}

/** After this time without a refusal, try larger requests again. */
const growAfterMs = 3_600_000

export function batchLimits(services: Services, profileId: string, now: number): BatchLimits {
  const { max, learned } = services.batchLimit(profileId)
  if (learned === null) return scaledLimits(max)
  if (now - learned.at < growAfterMs) return scaledLimits(Math.min(max, learned.maxIds))
  const more = Math.min(max, learned.maxIds * 2)
  services.rememberBatchLimit(profileId, more === max ? null : { maxIds: more, at: now })
  return scaledLimits(more)
}

/** Records that a service accepted `maxIds` ids but refused a larger request. */
export function learnBatchLimit(services: Services, profileId: string, maxIds: number, at: number): void {
  const { max, learned } = services.batchLimit(profileId)
  services.rememberBatchLimit(profileId, { maxIds: Math.min(max, maxIds, learned?.maxIds ?? Infinity), at })
}
