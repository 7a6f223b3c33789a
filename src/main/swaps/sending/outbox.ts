/**
 * @file Sends queued swaps: per profile, one at a time, in the user's order. A create is at-most-once: it is recorded
 * on disk before it is sent, and only an answer (or the user) changes that. Services that honour idempotency keys are
 * asked again with the same key.
 */
import { changedOptions } from '@shared/options/swap-options.ts'
import { toErrorBody, type ErrorBody, type ErrorCode } from '@shared/errors.ts'
import { InFlight } from '@shared/in-flight.ts'
import { embeddedProfileId, type PauseReason, type Task } from '@shared/tasks/task.ts'
import type { Capabilities } from '@shared/service/wire.ts'
import type { CreateInput } from '../../remote/client/service-client.ts'
import type { CreateOutcome } from '../../remote/client/parsing/outcomes.ts'
import { backoffMs, retryFullDiskMs, isNoConnection, retryableErrors } from '../rules/backoff.ts'
import { otherPictures, refusalOf, newEntry, type OutboxEntry } from '../rules/outbox-entry.ts'
import { LostUploads, uploadMedia } from './upload-media.ts'
import type { Parts } from '../store/parts.ts'
import { isKeyProblem } from '../../remote/profiles/profile-keys.ts'
import { isFinal, type JobCleanup } from './job-cleanup.ts'

type OutboxDeps = Pick<Parts, 'board' | 'store' | 'services' | 'media' | 'uploads' | 'systemStatus' | 'log' | 'clock'>

/** Whether a swap has anything that only some services know, besides pictures. */
const needsExtras = ({ options, cast, range, video }: Task): boolean =>
  video.kind !== 'video' || changedOptions(options).length > 0 || cast.length > 0 || range !== null

/** What only the user can solve. Null: anything else. */
const pauseFor = ({ code }: { code: ErrorCode }): 'key' | 'service' | null =>
  isKeyProblem(code) ? 'key' : code === 'certificate-changed' ? 'service' : null

/** How a swap is shown until it is tried again. Null: as queued. */
function pauseUntilRetry({ code }: ErrorBody): PauseReason | null {
  if (code === 'disk-full') return code
  if (code === 'quota-reached') return 'limit'
  return isNoConnection(code) ? 'no-network' : null
}

/** The disk of this computer is full, not that of a service elsewhere. */
const isFullHere = ({ profileId }: Task, { code }: { code: ErrorCode }): boolean =>
  code === 'disk-full' && profileId === embeddedProfileId

/** Pauses after which Mien tries again by itself. */
const triedAgain: readonly PauseReason[] = ['no-network', 'disk-full', 'limit']

/** A full disk of another computer is trouble of its service. */
const asSeenHere = ({ profileId }: Task, error: ErrorBody): ErrorBody =>
  error.code === 'disk-full' && profileId !== embeddedProfileId ? { ...error, code: 'service-trouble' } : error

const placeOf = ({ position }: Task): number => position ?? 0

interface ToSend {
  task: Task
  entry: OutboxEntry
}

/** Whichever is due first; on a tie the unanswered create, which may have left a job at the service. */
const soonest = (unanswered: ToSend | undefined, next: ToSend | null): ToSend | null =>
  unanswered && (next === null || unanswered.entry.notBefore <= next.entry.notBefore) ? unanswered : next

/** Pause of all sending after a failed write to the library. */
const blockedMs = 10_000
/** Max Retry-After of a service (remote/client/parsing/answers.ts). */
const longestWaitMs = 3_600_000

/** Max time to wait for an in-flight create on quit. */
const lastAnswerMs = 5000

export class Outbox {
  /** Current delivery of each busy profile, and how to abort it. */
  private readonly busy = new Map<string, { taskId: string; abort: AbortController }>()
  private readonly serving = new InFlight()
  /** Earliest retry of each swap, in ticks. */
  private readonly waits = new Map<string, number>()
  private timer: NodeJS.Timeout | null = null
  private readonly lostUploads = new LostUploads()
  private stopped = false
  /** Nothing is sent before this tick, because the library could not be written. */
  private blockedUntil = 0
  private asleep = false

  constructor(
    private readonly deps: OutboxDeps,
    private readonly cleanup: JobCleanup,
  ) {}

  /** Queues swaps again that a crash interrupted, then starts sending. */
  start(): void {
    const { board, store, clock } = this.deps
    for (const task of board.held.inStates('queued', 'uploading', 'submitting')) {
      const entry = newEntry(task.id, task.position ?? board.nextPosition())
      const sentAt = task.state === 'submitting' ? clock.now() : null
      if (!store.entry(task.id)) store.putEntry({ ...entry, sentAt })
      board.dispatch(task.id, { type: 'interrupted' })
    }
    this.wake()
  }

  /** Aborts uploads. Waits some seconds for an in-flight create, so that it needn't be confirmed later. */
  async dispose(): Promise<void> {
    this.stopped = true
    if (this.timer) clearTimeout(this.timer)
    for (const { taskId } of this.busy.values()) this.interrupt(taskId)
    await this.serving.settled(lastAnswerMs)
  }

  /** Nothing is sent while the computer sleeps. */
  setAsleep(asleep: boolean): void {
    this.asleep = asleep
  }

  /** Aborts a swap's upload. A create in flight is not aborted: its answer is needed. */
  interrupt(taskId: string): void {
    for (const [, delivery] of this.busy) {
      if (delivery.taskId === taskId && this.deps.board.get(taskId)?.state !== 'submitting') delivery.abort.abort()
    }
  }

  /** Sends what is due; called whenever that may have changed. */
  wake(): void {
    if (this.stopped || this.asleep) return
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    let soonestMs = Infinity
    const unanswered = new Map(this.deps.store.unanswered().map((each) => [each.task.profileId, each]))
    for (const profileId of new Set([...unanswered.keys(), ...this.deps.board.held.profilesWith('queued')])) {
      if (this.busy.has(profileId)) continue
      const next = soonest(this.canReach(profileId) ? unanswered.get(profileId) : undefined, this.next(profileId))
      if (next === null) continue
      const wait = Math.max(this.waitMs(next.entry), this.blockedUntil - this.deps.clock.ticks())
      if (wait > 0) soonestMs = Math.min(soonestMs, wait)
      else void this.serving.add(this.serve(profileId, next.task, next.entry))
    }
    if (soonestMs < Infinity)
      this.timer = setTimeout(() => {
        this.wake()
      }, soonestMs)
  }

  /** Epoch ms after a wait; also stores the wait in ticks for this run. */
  private notBefore(taskId: string, waitMs: number): number {
    this.waits.set(taskId, this.deps.clock.ticks() + waitMs)
    return this.deps.clock.now() + waitMs
  }

  private canReach(profileId: string): boolean {
    const { services, systemStatus } = this.deps
    return systemStatus.isOnline() || services.isLocal(profileId)
  }

  /**
   * Remaining wait. Uses ticks within this run, because the clock may have been changed; a stored time is capped at the
   * max wait.
   */
  private waitMs({ taskId, notBefore }: OutboxEntry): number {
    if (notBefore === 0) return 0
    const until = this.waits.get(taskId)
    return until === undefined
      ? Math.min(notBefore - this.deps.clock.now(), longestWaitMs)
      : until - this.deps.clock.ticks()
  }

  private next(profileId: string): ToSend | null {
    const { board, store, services } = this.deps
    if (services.isPaused(profileId) || !this.canReach(profileId)) return null
    let first: Task | null = null
    for (const task of board.held.of(profileId, 'queued')) {
      if (task.pause !== null && !triedAgain.includes(task.pause)) continue
      if (first === null || placeOf(task) < placeOf(first)) first = task
    }
    // Jobs that the user paused don't count towards the limit, nor do those that this swap was moved ahead of.
    const isAhead = (job: Task): boolean =>
      profileId !== embeddedProfileId || first === null || placeOf(job) < placeOf(first)
    const jobs = board.held.of(profileId, 'waiting', 'processing')
    const inFlight = jobs.filter((job) => job.pause !== 'user' && isAhead(job)).length
    if (inFlight >= services.inFlightLimit(profileId)) return null
    const entry = first && store.entry(first.id)
    return first && entry ? { task: first, entry } : null
  }

  private async serve(profileId: string, task: Task, entry: OutboxEntry): Promise<void> {
    const abort = new AbortController()
    this.busy.set(profileId, { taskId: task.id, abort })
    try {
      await this.deliver(task, entry, abort.signal)
    } catch (error) {
      this.deps.log(`Sending a swap failed`, error)
      // The next start settles open creates; the database may be closed by now.
      if (this.stopped) return
      this.recordFailure(task, entry, error, abort.signal)
    } finally {
      this.busy.delete(profileId)
      this.wake()
      // An answer about a removed swap leaves a job to end, but causes no delta.
      this.cleanup.wake()
    }
  }

  private recordFailure(task: Task, entry: OutboxEntry, error: unknown, signal: AbortSignal): void {
    try {
      this.settleFailure(task, this.deps.store.entry(task.id) ?? entry, error, signal)
    } catch (thrown) {
      // The library cannot be written, e.g. disk full. The next start settles in-flight swaps.
      this.deps.log('A failure could not be recorded', thrown)
      this.blockedUntil = this.deps.clock.ticks() + blockedMs
    }
  }

  private async deliver(task: Task, entry: OutboxEntry, signal: AbortSignal): Promise<void> {
    const { board } = this.deps
    if (board.get(task.id)?.state === 'queued' && this.stopWithdrawn(task)) return
    if (entry.sentAt !== null && !(await this.canAskAgain(task.profileId))) {
      board.dispatch(task.id, { type: 'unclear', error: { code: 'service-timeout', details: {} }, askAgainAt: null })
      return
    }
    const capabilities = needsExtras(task) ? await this.deps.services.client(task.profileId).capabilities() : null
    if (board.get(task.id)?.state !== 'queued') {
      await this.create(task, { ...entry, attempts: entry.attempts + 1 }, capabilities)
      return
    }
    if (task.objectId !== null && (await this.resumeJob(task, task.objectId))) return
    const refusal = entry.sentAt === null ? refusalOf(task, capabilities) : null
    if (refusal !== null) {
      board.dispatch(task.id, { type: 'refused', error: refusal.body })
      return
    }
    const addresses = await uploadMedia(this.deps, task, entry, signal)
    signal.throwIfAborted()
    // Don't send if it was cancelled or removed meanwhile.
    const sending = board.dispatch(task.id, { type: 'sending', addresses })
    if (sending?.state !== 'submitting') return
    await this.create(sending, { ...entry, ...addresses, attempts: entry.attempts + 1 }, capabilities)
  }

  /** Ends a swap that has not started if a consent was withdrawn. Returns whether one was. */
  private stopWithdrawn(task: Task): boolean {
    const error = this.deps.media.withdrawn([task.face, ...otherPictures(task)])
    if (error) this.deps.board.dispatch(task.id, { type: 'forbidden', error })
    return error !== null
  }

  /** True if the service honours idempotency keys, so repeating a create makes no second job. */
  private async canAskAgain(profileId: string): Promise<boolean> {
    return (await this.deps.services.client(profileId).capabilities())?.idempotency ?? false
  }

  /** Returns true if the service still had the job and resumed it. */
  private async resumeJob(task: Task, objectId: string): Promise<boolean> {
    const { board, services } = this.deps
    const client = services.client(task.profileId)
    // A request to end the job may be in flight and must not arrive after this one.
    await this.cleanup.idle()
    const resumed =
      (await client.capabilities())?.pause === true &&
      (await client.resume(objectId).catch((error: unknown) => {
        if (isFinal(error)) return { goesOn: false }
        throw error
      }))
    const isResumed = resumed !== false && resumed.goesOn
    board.dispatch(task.id, isResumed ? { type: 'job-resumed', objectId } : { type: 'job-gone' })
    return isResumed
  }

  private extrasOf(
    task: Task,
    entry: OutboxEntry,
    capabilities: Capabilities | null,
  ): NonNullable<CreateInput['extras']> {
    const { options, range, cast } = task
    const { pictureUrls } = entry
    const knowsOptions = changedOptions(options).some((name) => capabilities?.options.includes(name))
    return {
      ...(pictureUrls?.length && cast.length === 0 ? { pictureUrls: [...pictureUrls] } : {}),
      ...(knowsOptions ? { options } : {}),
      ...(cast.length > 0 ? this.castOf(task, entry, capabilities?.pictures) : {}),
      ...(range ? { range } : {}),
    }
  }

  private castOf(task: Task, { imageUrl, pictureUrls }: OutboxEntry, maxPictures = 1) {
    const clips = this.deps.store.clips(task.id)
    const urls = new Map([[task.face.id, imageUrl]])
    for (const [index, { id }] of otherPictures(task).entries()) urls.set(id, pictureUrls?.[index] ?? null)
    const cast = task.cast.map(({ personId, face, pictures }) => ({
      imageUrls: [face, ...pictures].slice(0, maxPictures).flatMap(({ id }) => urls.get(id) ?? []),
      clips: clips.cast[personId] ?? [],
    }))
    return { cast, stay: clips.stay }
  }

  private async create(task: Task, entry: OutboxEntry, capabilities: Capabilities | null): Promise<void> {
    const client = this.deps.services.client(task.profileId)
    const outcome = await client.create({
      title: task.title,
      imageUrl: entry.imageUrl ?? '',
      videoUrl: entry.videoUrl ?? '',
      durationMs: task.video.durationMs,
      extras: this.extrasOf(task, entry, capabilities),
      idempotencyKey: entry.idempotencyKey,
    })
    const mayAskAgain = outcome.kind === 'unclear' && (await this.canAskAgain(task.profileId).catch(() => true))
    this.settle(task, entry, outcome, mayAskAgain)
  }

  private settle(task: Task, entry: OutboxEntry, outcome: CreateOutcome, mayAskAgain: boolean): void {
    const { board, services, clock } = this.deps
    switch (outcome.kind) {
      case 'created': {
        const jobCanPause = services.isLocal(task.profileId)
        board.dispatch(task.id, { type: 'created', objectId: outcome.objectId, jobCanPause })
        this.stopWithdrawn(task)
        return
      }
      case 'unclear': {
        const askAgainAt = mayAskAgain ? this.notBefore(task.id, backoffMs(entry.attempts, clock.random())) : null
        board.dispatch(task.id, { type: 'unclear', error: outcome.error, askAgainAt })
        return
      }
      case 'not-sent':
        if (this.held(task, entry, outcome.error)) return
        this.later(task, entry, outcome.error, outcome.retryAfterMs)
        return
      case 'refused': {
        const lost = this.lostUploads.mayUploadAgain(task.id, outcome.error)
        const { attempts } = entry
        if (lost) board.dispatch(task.id, { type: 'not-sent', pause: null, notBefore: 0, attempts, sentAt: null, lost })
        else if (this.held(task, entry, outcome.error)) return
        else if (isFullHere(task, outcome.error)) this.later(task, entry, outcome.error, retryFullDiskMs)
        else board.dispatch(task.id, { type: 'refused', error: outcome.error })
      }
    }
  }

  /** Handles a failure before anything was created. */
  private settleFailure(task: Task, entry: OutboxEntry, thrown: unknown, signal: AbortSignal): void {
    const { board, clock } = this.deps
    const error = asSeenHere(task, toErrorBody(thrown))
    const { attempts, sentAt } = entry
    if (board.get(task.id)?.state === 'submitting') {
      board.dispatch(task.id, { type: 'unclear', error, askAgainAt: null })
    } else if (signal.aborted) {
      board.dispatch(task.id, { type: 'not-sent', pause: null, notBefore: clock.now(), attempts, sentAt })
    } else if (this.held(task, entry, error)) {
      return
    } else if (retryableErrors.includes(error.code) || (error.code === 'internal' && attempts < 3)) {
      // Not the swap's fault, so keep it queued. Unknown errors are retried a few times only.
      this.later(task, { ...entry, attempts: attempts + 1 }, error, null)
    } else if (isFullHere(task, error)) {
      this.later(task, entry, error, retryFullDiskMs)
    } else {
      board.dispatch(task.id, { type: 'refused', error, isUnanswered: sentAt !== null })
    }
  }

  /** Pauses the swap, and all others of its service, if only the user can solve the error. Returns whether it did. */
  private held(task: Task, entry: OutboxEntry, error: ErrorBody): boolean {
    const { board, services } = this.deps
    const pause = pauseFor(error)
    if (pause === null) return false
    const { attempts, sentAt } = entry
    // A swap that has ended isn't paused, so nothing would resume it.
    if (board.held.get(task.id))
      board.dispatch(task.id, { type: 'not-sent', pause, error, notBefore: 0, attempts, sentAt })
    else this.later(task, { ...entry, attempts: attempts + 1 }, error, null)
    if (isKeyProblem(error.code)) services.keyRefused(task.profileId, error.code)
    else services.certificateChanged(task.profileId)
    return true
  }

  private later(task: Task, entry: OutboxEntry, error: ErrorBody, retryAfterMs: number | null): void {
    const { board, clock } = this.deps
    const { attempts, sentAt } = entry
    const notBefore = this.notBefore(task.id, backoffMs(attempts, clock.random(), retryAfterMs))
    const pause = pauseUntilRetry(error)
    const why = pause === 'limit' ? { error } : {}
    board.dispatch(task.id, { type: 'not-sent', pause, notBefore, attempts, sentAt, ...why })
  }
}
