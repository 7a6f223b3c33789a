/**
 * @file Sends what is queued, profile by profile, one swap at a time in the user's order. A create is
 * at-most-once: that it is about to leave is on disk before it does, and only an answer (or the user)
 * moves it on. A service that honours an idempotency key may be asked again with the same one.
 */
import { fileErrors, MienError, toErrorBody, type ErrorCode } from '@shared/errors.ts'
import type { Task } from '@shared/task.ts'
import type { CreateOutcome, TransferOptions } from '../service-client/types.ts'
import { backoffMs, passing } from './backoff.ts'
import { atMostEvery } from './every.ts'
import type { Log, MediaPaths, Services, Surroundings, Uploads } from './ports.ts'
import type { TaskBoard } from './task-board.ts'
import type { OutboxEntry, TaskStore } from './task-store.ts'

const filesFault: readonly ErrorCode[] = fileErrors

interface OutboxDeps {
  board: TaskBoard
  store: TaskStore
  services: Services
  surroundings: Surroundings
  mediaPath: MediaPaths
  /** Upload targets; null: there are none. */
  uploads: Uploads | null
  log: Log
  now: () => number
  random: () => number
}

/** A quit waits no longer for a create to be answered. */
const lastAnswerMs = 5000

export class Outbox {
  private readonly deps: OutboxDeps
  /** Profiles that are being served, and what would stop the delivery under way. */
  private readonly busy = new Map<string, { taskId: string; abort: AbortController }>()
  private readonly serving = new Set<Promise<void>>()
  private timer: NodeJS.Timeout | null = null
  private stopped = false
  private asleep = false

  constructor(deps: OutboxDeps) {
    this.deps = deps
  }

  /** Settles what a crash left in the middle, then begins. */
  async start(): Promise<void> {
    for (const task of this.deps.board.inStates('uploading', 'submitting')) {
      const entry = this.deps.store.entry(task.id)
      const sent = entry?.sentAt != null
      const resend = !sent || (await this.canResend(task))
      this.deps.board.tell(
        task.id,
        { type: 'interrupted', resend },
        entry && resend ? { ...entry, sentAt: null } : entry,
      )
    }
    this.wake()
  }

  private async canResend(task: Task): Promise<boolean> {
    try {
      return (await this.deps.services.client(task.profileId).capabilities())?.idempotency ?? false
    } catch {
      return false
    }
  }

  /** Ends uploads; waits for the answer of a create that has left, for some seconds, so that it need not be asked about. */
  async dispose(): Promise<void> {
    this.stopped = true
    if (this.timer) clearTimeout(this.timer)
    for (const { taskId } of this.busy.values()) this.interrupt(taskId)
    await Promise.race([Promise.all(this.serving), new Promise((resolve) => setTimeout(resolve, lastAnswerMs).unref())])
  }

  /** Nothing leaves while the computer sleeps. */
  setAsleep(asleep: boolean): void {
    this.asleep = asleep
  }

  /** Stops an upload that is under way for a swap. A create that has left is not stopped: it must be answered. */
  interrupt(taskId: string): void {
    for (const [, delivery] of this.busy) {
      if (delivery.taskId === taskId && this.deps.board.get(taskId)?.state !== 'submitting') delivery.abort.abort()
    }
  }

  /** Looks for something to send; called whenever that may have changed. */
  wake(): void {
    if (this.stopped || this.asleep) return
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    let soonest = Infinity
    for (const profileId of this.deps.board.profilesWith('queued')) {
      if (this.busy.has(profileId)) continue
      const next = this.next(profileId)
      if (next === null) continue
      const wait = next.entry.notBefore - this.deps.now()
      if (wait > 0) soonest = Math.min(soonest, wait)
      else {
        const work: Promise<void> = this.serve(profileId, next.task, next.entry).finally(() =>
          this.serving.delete(work),
        )
        this.serving.add(work)
      }
    }
    if (soonest < Infinity)
      this.timer = setTimeout(() => {
        this.wake()
      }, soonest)
  }

  private next(profileId: string): { task: Task; entry: OutboxEntry } | null {
    const { board, store, services, surroundings } = this.deps
    if (services.isPaused?.(profileId) || !(surroundings.isOnline() || services.isLocal?.(profileId))) return null
    if (board.count(profileId, 'waiting', 'processing') >= services.inFlightLimit(profileId)) return null
    let first: Task | null = null
    for (const task of board.of(profileId, 'queued')) {
      if (task.pause !== null && task.pause !== 'no-network') continue
      if (first === null || (task.position ?? 0) < (first.position ?? 0)) first = task
    }
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
      // What is open is settled at the next start; the library may be closed by now.
      if (this.stopped) return
      this.settleFailure(task, this.deps.store.entry(task.id) ?? entry, error, abort.signal)
    } finally {
      this.busy.delete(profileId)
      this.wake()
    }
  }

  private async deliver(task: Task, entry: OutboxEntry, signal: AbortSignal): Promise<void> {
    const { board, store, services, now } = this.deps
    const client = services.client(task.profileId)
    const addressed = await this.upload(task, entry, signal)
    signal.throwIfAborted()
    // Cancelled or removed meanwhile: nothing leaves.
    const current = board.get(task.id)
    if (!current || (current.state !== 'queued' && current.state !== 'uploading')) return
    const leaving = { ...addressed, sentAt: now(), attempts: addressed.attempts + 1 }
    board.tell(task.id, { type: 'sending' }, leaving)
    const outcome = await client.create({
      title: current.title,
      imageUrl: addressed.imageUrl ?? '',
      videoUrl: addressed.videoUrl ?? '',
      durationMs: current.video.durationMs,
      idempotencyKey: entry.idempotencyKey,
    })
    const resend = outcome.kind === 'unclear' && ((await client.capabilities().catch(() => null))?.idempotency ?? false)
    this.settle(task, store.entry(task.id) ?? leaving, resend ? asNotSent(outcome.error) : outcome)
  }

  /** Gives both media an address; each upload that ended is kept, so that it is not done twice. */
  private async upload(task: Task, entry: OutboxEntry, signal: AbortSignal): Promise<OutboxEntry> {
    const { board, store, services, mediaPath, uploads } = this.deps
    const client = services.client(task.profileId)
    let current = entry
    // The user's own target goes before what a service offers.
    const target = uploads?.has(task.profileId) ? uploads : null
    if (current.imageUrl !== null && current.videoUrl !== null) {
      if (!target) return current
      const [imageUrl, videoUrl] = await Promise.all([
        target.address(task, task.face.id),
        target.address(task, task.video.id),
      ])
      return { ...current, imageUrl: imageUrl ?? current.imageUrl, videoUrl: videoUrl ?? current.videoUrl }
    }
    const canUpload = target !== null || ((await client.capabilities(signal))?.assets ?? false)
    const total = task.face.sizeBytes + task.video.sizeBytes
    const send = async (mediaId: string, name: string, offset: number): Promise<string> => {
      const path = mediaPath(mediaId)
      if (path === null) throw new MienError('file-missing', { name })
      const options: TransferOptions = {
        signal,
        onProgress: atMostEvery(100, this.deps.now, ({ bytesDone }) => {
          board.tell(task.id, { type: 'upload-progress', bytesDone: offset + bytesDone, bytesTotal: total })
        }),
      }
      const sent = target
        ? target.upload(task, { mediaId, path, name }, options)
        : client.uploadAsset(path, name, options)
      return sent.catch((error: unknown) => {
        // Of the two files it must be said which one cannot be had.
        const ofFile = error instanceof MienError && filesFault.includes(error.code)
        throw ofFile ? new MienError(error.code, { name, ...error.details }, { cause: error }) : error
      })
    }
    const keep = (sent: OutboxEntry): void => {
      store.unhurried(() => {
        store.putEntry(sent)
      })
    }
    if (!canUpload) throw new MienError('needs-upload-target', { name: task.face.name })
    board.tell(task.id, { type: 'upload-progress', bytesDone: 0, bytesTotal: total })
    if (current.imageUrl === null) {
      current = { ...current, imageUrl: await send(task.face.id, task.face.name, 0) }
      keep(current)
    }
    if (current.videoUrl === null) {
      current = { ...current, videoUrl: await send(task.video.id, task.video.name, task.face.sizeBytes) }
      keep(current)
    }
    board.tell(task.id, { type: 'uploaded' })
    return current
  }

  private settle(task: Task, entry: OutboxEntry, outcome: CreateOutcome): void {
    const { board } = this.deps
    switch (outcome.kind) {
      case 'created':
        board.tell(task.id, { type: 'created', objectId: outcome.objectId }, null)
        // Cancelled or removed while it was on its way: now it has an id to be cancelled by.
        if (board.get(task.id)?.objectId !== outcome.objectId) this.cancelThere(task.profileId, outcome.objectId)
        return
      case 'unclear':
        board.tell(task.id, { type: 'unclear', error: outcome.error }, entry)
        return
      case 'not-sent':
        this.later(task, entry, outcome.error.code === 'service-unreachable', outcome.retryAfterMs)
        return
      case 'refused':
        if (outcome.error.code === 'key-refused' || outcome.error.code === 'key-missing') this.hold(task, entry)
        else board.tell(task.id, { type: 'refused', error: outcome.error }, null)
    }
  }

  /** A failure before anything was created. */
  private settleFailure(task: Task, entry: OutboxEntry, thrown: unknown, signal: AbortSignal): void {
    const error = toErrorBody(thrown)
    const state = this.deps.board.get(task.id)?.state
    if (state === 'submitting') {
      this.deps.board.tell(task.id, { type: 'unclear', error }, entry)
    } else if (signal.aborted) {
      this.deps.board.tell(task.id, { type: 'not-sent', pause: null }, { ...entry, sentAt: null })
    } else if (error.code === 'key-refused' || error.code === 'key-missing') {
      this.hold(task, entry)
    } else if (passing.includes(error.code) || error.code === 'internal') {
      // Not a fault of the swap, so it stays queued; what is not understood is tried a few times only.
      if (error.code === 'internal' && entry.attempts >= 3)
        this.deps.board.tell(task.id, { type: 'refused', error }, null)
      else this.later(task, { ...entry, attempts: entry.attempts + 1 }, error.code === 'service-unreachable', null)
    } else {
      this.deps.board.tell(task.id, { type: 'refused', error }, null)
    }
  }

  private cancelThere(profileId: string, objectId: string): void {
    this.deps.services
      .client(profileId)
      .cancel(objectId)
      .catch((error: unknown) => {
        this.deps.log('Cancelling at the service failed', error)
      })
  }

  private hold(task: Task, entry: OutboxEntry): void {
    this.deps.board.tell(task.id, { type: 'not-sent', pause: 'key' }, { ...entry, sentAt: null })
    this.deps.services.keyRefused(task.profileId)
  }

  private later(task: Task, entry: OutboxEntry, noNetwork: boolean, retryAfterMs: number | null): void {
    const wait = backoffMs(entry.attempts, this.deps.random(), retryAfterMs)
    this.deps.board.tell(
      task.id,
      { type: 'not-sent', pause: noNetwork ? 'no-network' : null },
      { ...entry, sentAt: null, notBefore: this.deps.now() + wait },
    )
  }
}

const asNotSent = (error: MienError['body']): CreateOutcome => ({ kind: 'not-sent', error, retryAfterMs: null })
