/**
 * @file Ends jobs that no swap needs any more, at the services that can cancel or delete. What is to be ended is in the
 * library (`jobs_to_end`), so a failure, a quit or a crash only delays it.
 */
import { MienError, toErrorBody, type ErrorCode } from '@shared/errors.ts'
import { backoffMs } from '../rules/backoff.ts'
import type { Log, Services } from '../rules/ports.ts'
import type { JobToEnd, TaskStore } from '../store/task-store.ts'

interface JobCleanupDeps {
  store: TaskStore
  services: Services
  log: Log
  now: () => number
  random: () => number
}

/** Jobs that are looked at in one go. */
const batchSize = 50
/** A service that has refused this often, over days, is not asked any more. */
const maxAttempts = 500
/** The service has no such job, or won't end it: asking again would change nothing. */
const final: readonly ErrorCode[] = ['not-found', 'request-refused']

export class JobCleanup {
  private readonly deps: JobCleanupDeps
  private working: Promise<void> | null = null
  private timer: NodeJS.Timeout | null = null
  private woken = false
  private readonly abort = new AbortController()

  constructor(deps: JobCleanupDeps) {
    this.deps = deps
  }

  /** Looks for jobs to end; called whenever there may be one. */
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
        if (waitMs !== null && !this.isStopped())
          this.timer = setTimeout(() => {
            this.wake()
          }, waitMs)
      })
  }

  /** A method, so that TypeScript does not narrow it across an await. */
  private isStopped(): boolean {
    return this.abort.signal.aborted
  }

  /** Requests that are under way are over; jobs that are needed again are safe from them. */
  async idle(): Promise<void> {
    await this.working
  }

  async dispose(): Promise<void> {
    this.abort.abort()
    if (this.timer) clearTimeout(this.timer)
    await this.working
  }

  /** Returns in how many ms there is something to do again; null: when it is woken. */
  private async work(): Promise<number | null> {
    const { store, now } = this.deps
    while (this.woken && !this.isStopped()) {
      this.woken = false
      const due = store.jobsToEnd(batchSize).filter((job) => job.notBefore <= now())
      for (const job of due) {
        await this.end(job)
        if (this.isStopped()) return null
      }
      if (due.length === batchSize) this.woken = true
    }
    const next = store.jobsToEnd(1)[0]
    return next ? Math.max(50, next.notBefore - now()) : null
  }

  private async end(job: JobToEnd): Promise<void> {
    const { store, log, now, random } = this.deps
    try {
      await this.ask(job)
      // Asked to delete it meanwhile: it stays on the list.
      const current = store.jobToEnd(job.profileId, job.objectId)
      if (current?.end === job.end) store.forgetJob(job.profileId, job.objectId)
      else if (current) this.woken = true
    } catch (error) {
      if (this.isStopped()) return
      const { code, details } = toErrorBody(error)
      if (final.includes(code) || job.attempts >= maxAttempts) {
        store.forgetJob(job.profileId, job.objectId)
        return
      }
      log('Ending a job at its service failed', error)
      const retryAfter = typeof details['retryAfterMs'] === 'number' ? details['retryAfterMs'] : null
      store.endJobLater(job.profileId, job.objectId, now() + backoffMs(job.attempts + 1, random(), retryAfter))
    }
  }

  private async ask({ profileId, objectId, end }: JobToEnd): Promise<void> {
    const { signal } = this.abort
    const client = this.deps.services.client(profileId)
    const can = await client.capabilities(signal)
    // Needed again while the capabilities were asked for.
    if (!this.deps.store.jobToEnd(profileId, objectId)) return
    if (end === 'delete' && can?.delete) {
      await client.delete(objectId, signal)
      return
    }
    if (!can?.cancel) return
    const { hadEnded } = await client.cancel(objectId, signal).catch((error: unknown) => {
      if (isFinal(error)) return { hadEnded: true }
      throw error
    })
    // What it left is not wanted either.
    if (hadEnded && can.delete) await client.delete(objectId, signal)
  }
}

export const isFinal = (error: unknown): boolean => error instanceof MienError && final.includes(error.code)
