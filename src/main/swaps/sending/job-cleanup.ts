/**
 * @file Ends jobs that no swap needs any more, at services that can cancel or delete. Jobs to end are stored in the
 * library (`jobs_to_end`), so a failure, a quit or a crash only delays this.
 */
import { MienError, toErrorBody, type ErrorCode } from '@shared/errors.ts'
import { backoffMs } from '../rules/backoff.ts'
import type { JobToEnd } from '../store/tables.ts'
import type { Parts } from '../store/parts.ts'

/** Max jobs processed per batch. */
const batchSize = 50
/** Give up on a service that has refused this often (over days). */
const maxAttempts = 500
/** The service has no such job or refuses to end it: retrying is useless. */
const final: readonly ErrorCode[] = ['not-found', 'request-refused']

export class JobCleanup {
  private working: Promise<void> | null = null
  private timer: NodeJS.Timeout | null = null
  private woken = false
  private readonly abort = new AbortController()

  constructor(private readonly deps: Pick<Parts, 'store' | 'services' | 'log' | 'clock'>) {}

  /** Processes jobs to end; called whenever there may be one. */
  wake(): void {
    if (this.isStopped()) return
    this.woken = true
    if (this.working) return
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    this.working = this.work()
      .catch((error: unknown) => {
        this.deps.log('Ending jobs at services failed', error)
        return 60_000
      })
      .then((waitMs) => {
        this.working = null
        if (this.isStopped()) return
        // Woken after the work had looked, but before its promise was settled.
        if (this.woken) this.wake()
        else if (waitMs !== null)
          this.timer = setTimeout(() => {
            this.wake()
          }, waitMs)
      })
  }

  /** A method so that TypeScript doesn't narrow the value across awaits. */
  private isStopped(): boolean {
    return this.abort.signal.aborted
  }

  /** Resolves when no request is in flight, so that no late one can end a job that is needed again. */
  async idle(): Promise<void> {
    await this.working
  }

  async dispose(): Promise<void> {
    this.abort.abort()
    if (this.timer) clearTimeout(this.timer)
    await this.working
  }

  /** Returns the delay until the next job in ms; null: wait for `wake`. */
  private async work(): Promise<number | null> {
    const {
      store: { jobsToEnd },
      clock: { now },
    } = this.deps
    while (this.woken && !this.isStopped()) {
      this.woken = false
      const due = jobsToEnd.soonest(batchSize).filter((job) => job.notBefore <= now())
      for (const job of due) {
        await this.end(job)
        if (this.isStopped()) return null
      }
      if (due.length === batchSize) this.woken = true
    }
    const next = jobsToEnd.soonest(1)[0]
    return next ? Math.max(50, next.notBefore - now()) : null
  }

  private async end(job: JobToEnd): Promise<void> {
    const { store, log, clock } = this.deps
    const { jobsToEnd } = store
    try {
      await this.ask(job)
      // Upgraded to `delete` meanwhile: keep it on the list.
      const current = jobsToEnd.get(job.profileId, job.objectId)
      if (current?.endBy === job.endBy) jobsToEnd.delete(job.profileId, job.objectId)
      else if (current) this.woken = true
    } catch (error) {
      if (this.isStopped()) return
      const { code, details } = toErrorBody(error)
      if (final.includes(code) || job.attempts >= maxAttempts) {
        jobsToEnd.delete(job.profileId, job.objectId)
        return
      }
      log('Ending a job at its service failed', error)
      const retryAfter = typeof details['retryAfterMs'] === 'number' ? details['retryAfterMs'] : null
      const notBefore = clock.now() + backoffMs(job.attempts + 1, clock.random(), retryAfter)
      // What is needed again isn't there any more.
      const current = jobsToEnd.get(job.profileId, job.objectId)
      if (current) jobsToEnd.put({ ...current, attempts: current.attempts + 1, notBefore })
    }
  }

  private async ask({ profileId, objectId, endBy }: JobToEnd): Promise<void> {
    const { signal } = this.abort
    const client = this.deps.services.client(profileId)
    const can = await client.capabilities(signal)
    // Needed again while the capabilities were requested.
    if (!this.deps.store.jobsToEnd.get(profileId, objectId)) return
    if (endBy === 'delete' && can?.delete) {
      await client.delete(objectId, signal)
      return
    }
    if (!can?.cancel) return
    const { hadEnded } = await client.cancel(objectId, signal).catch((error: unknown) => {
      if (isFinal(error)) return { hadEnded: true }
      throw error
    })
    // It had already ended: delete its output too.
    if (hadEnded && can.delete) await client.delete(objectId, signal)
  }
}

export const isFinal = (error: unknown): boolean => error instanceof MienError && final.includes(error.code)
