/**
 * @file Processes the queue: one job at a time, in order of creation or as the client orders. Partial work
 * stays on disk, so that a job resumes after a restart, a pause, an engine crash or a full disk.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineProgress } from '@shared/engine/engine.ts'
import { MienError, toErrorBody, type ErrorBody } from '@shared/errors.ts'
import { InFlight } from '@shared/in-flight.ts'
import { exists } from '../../data/exists.ts'
import { isDiskFull, nameDiskFull } from '../../data/disk-full.ts'
import type { EnginePort } from '../jobs/engine-port.ts'
import { isOpen, sourcesOf, type Job } from '../jobs/job.ts'
import type { JobStore } from './job-store.ts'
import { JobInputs, type JobInputsDeps } from '../jobs/job-inputs.ts'
import { retryAfterCrash } from '../jobs/retry-after-crash.ts'
import type { AssetStore } from './asset-store.ts'
import { hasPartialWork, moveWorkToResult, prepareFolder } from './job-folder.ts'
import { Previews } from './job-previews.ts'
import type { Live } from '../jobs/task-item.ts'

export interface RunnerDeps extends Omit<JobInputsDeps, 'upload'> {
  dir: string
  assets: AssetStore
  jobs: JobStore
  engine: EnginePort
  now: () => number
  log: (message: string, error?: unknown) => void
}

/** Delay before retrying a job whose state could not be written to the database. */
const recordAgainMs = 10_000

/** Delay of the next job after one that found the disk full, unless a job is resumed before. */
const fullDiskPauseMs = 60_000

/** Errors the user can fix; partial work is kept. */
const waitable: readonly string[] = ['disk-full', 'file-unreachable', 'file-missing']

/** How long a cancelled job's work is kept for a resume. */
const keepCancelledMs = 10 * 60_000

/** Max time to wait on quit for the engine to stop and for deletions. */
const disposeMs = 3000

export class JobRunner {
  private current: { objectId: string; abort: AbortController; live: Live; done: Promise<void> } | null = null
  private stopped = false
  /** Runs while the disk is full. */
  private fullDisk: NodeJS.Timeout | undefined
  private readonly inFlight = new InFlight()
  private readonly jobsDir: string
  private readonly inputs: JobInputs
  private readonly previews = new Previews((path) => this.remove(path))

  constructor(private readonly deps: RunnerDeps) {
    this.jobsDir = join(deps.dir, 'jobs')
    this.inputs = new JobInputs({ ...deps, upload: (job, id) => this.upload(job, id) })
  }

  private async upload({ userId }: Job, id: string): Promise<string> {
    if (!this.deps.assets.get(id, userId)) throw new MienError('file-missing')
    return this.deps.assets.path(id)
  }

  folder(objectId: string): string {
    return join(this.jobsDir, objectId)
  }

  live(objectId: string): Live | null {
    return this.current?.objectId === objectId ? this.current.live : null
  }

  start(): void {
    for (const job of this.deps.jobs.withStatus('processing')) {
      this.deps.jobs.update(job.objectId, { status: 'queued' })
      this.deps.log(`swap ${job.objectId} was interrupted and goes on`)
    }
    for (const job of this.deps.jobs.cancelled()) this.deleteCancelled(job)
    this.kick()
  }

  /** Starts the next queued job if idle. */
  kick(): void {
    if (this.stopped || this.current || this.fullDisk) return
    const job = this.deps.jobs.nextQueued()
    if (!job) return
    const abort = new AbortController()
    const live: Live = { progress: null, previewFrame: null }
    const done = this.run(job, live, abort.signal).then(
      () => {
        this.current = null
        this.kick()
      },
      (error: unknown) => {
        this.current = null
        this.deps.log(`swap ${job.objectId} could not be recorded`, error)
        this.takeUpLater(job)
      },
    )
    this.current = { objectId: job.objectId, abort, live, done: this.inFlight.add(done) }
  }

  /** The database could not be written, most likely because the disk is full. */
  private takeUpLater(job: Job): void {
    setTimeout(() => {
      if (this.stopped) return
      try {
        const isLeft = this.current?.objectId !== job.objectId
        if (isLeft && this.deps.jobs.get(job.objectId)?.status === 'processing')
          this.deps.jobs.update(job.objectId, { status: 'queued' })
        this.kick()
      } catch {
        this.takeUpLater(job)
      }
    }, recordAgainMs).unref()
  }

  /** Cancels a queued or running job; others stay unchanged. It can be resumed until its files are deleted. */
  cancel(job: Job): Job {
    if (!isOpen(job)) return job
    const next = this.deps.jobs.update(job.objectId, { status: 'cancelled', endedAt: this.deps.now() }) ?? job
    this.abort(job.objectId)
    setTimeout(() => {
      this.deleteCancelled(next)
    }, keepCancelledMs).unref()
    return next
  }

  /** Deletes a cancelled job unless it was resumed meanwhile. */
  private deleteCancelled({ objectId, endedAt }: Job): void {
    if (this.stopped) return
    const job = this.deps.jobs.get(objectId)
    if (job?.status !== 'cancelled' || job.deletedAt !== null || job.endedAt !== endedAt) return
    this.delete(job).catch((error: unknown) => {
      this.deps.log('the files of a cancelled swap could not be deleted', error)
    })
  }

  /** Pauses a queued or running job; partial work stays on disk. */
  pause(job: Job): Job {
    if (!isOpen(job)) return job
    const next = this.deps.jobs.update(job.objectId, { status: 'queued', paused: true })
    this.abort(job.objectId)
    return next ?? job
  }

  /**
   * Puts jobs in this order. A running job that is no longer the first of them is stopped; its partial work stays and
   * it resumes when its turn comes.
   */
  reorder(jobs: readonly Job[]): void {
    // As they are now: the one that waited may run.
    const open = jobs.flatMap(({ objectId }) => this.deps.jobs.get(objectId) ?? []).filter(isOpen)
    this.deps.jobs.reorder(open)
    const running = open.findIndex(({ objectId }) => objectId === this.current?.objectId)
    const isAhead = (job: Job, at: number): boolean => at < running && job.status === 'queued' && !job.paused
    const job = open[running]
    if (!job || job.status !== 'processing' || !open.some(isAhead)) return
    this.deps.jobs.update(job.objectId, { status: 'queued' })
    this.abort(job.objectId)
  }

  /** Resumes a paused or cancelled job, or a failed one with partial work. */
  async resume(job: Job): Promise<Job> {
    const isPaused = job.status === 'queued' && job.paused
    const hasEnded = job.status === 'cancelled' || (job.status === 'failed' && (await this.hasWork(job)))
    if (!isPaused && !hasEnded) return job
    const next = this.deps.jobs.update(job.objectId, { status: 'queued', paused: false, error: null, endedAt: null })
    this.endWait()
    return next ?? job
  }

  private endWait(): void {
    clearTimeout(this.fullDisk)
    this.fullDisk = undefined
    this.kick()
  }

  /** After disk-full a job may restart even without partial work. */
  private async hasWork(job: Job): Promise<boolean> {
    return job.result !== null || job.error?.code === 'disk-full' || hasPartialWork(this.folder(job.objectId))
  }

  /** Removes the job's files, and its uploads if no other job uses them. */
  delete(job: Job): Promise<void> {
    return this.inFlight.add(this.deleteFiles(job))
  }

  private async deleteFiles(job: Job): Promise<void> {
    const now = this.deps.now()
    const status = isOpen(job) ? 'cancelled' : job.status
    const record = (): unknown =>
      this.deps.jobs.update(job.objectId, { status, deletedAt: now, endedAt: job.endedAt ?? now })
    let isRecorded = true
    try {
      record()
    } catch (error) {
      if (!isDiskFull(error)) throw error
      isRecorded = false
    }
    const running = this.current?.objectId === job.objectId ? this.current.done : null
    this.abort(job.objectId)
    await running
    await rm(this.folder(job.objectId), { recursive: true, force: true })
    this.deps.jobs.dropClips(job.objectId)
    // On a full disk this write only succeeds after the files are removed.
    if (!isRecorded) record()
    const inUse = this.deps.jobs.assetsInUse()
    for (const source of sourcesOf(job))
      if (source.kind === 'asset' && !inUse.has(source.id)) await this.deps.assets.remove(source.id)
  }

  /** A running job stays `processing` on disk and is resumed at the next start. */
  async dispose(): Promise<void> {
    this.stopped = true
    clearTimeout(this.fullDisk)
    this.current?.abort.abort()
    await this.inFlight.settled(disposeMs)
  }

  private abort(objectId: string): void {
    if (this.current?.objectId === objectId) this.current.abort.abort()
  }

  private async run(job: Job, live: Live, signal: AbortSignal): Promise<void> {
    const { jobs, now, log } = this.deps
    const folder = this.folder(job.objectId)
    jobs.note(job.objectId, { status: 'processing' })
    try {
      // If the result is already recorded, it only needs to be moved into place.
      if (!job.result) {
        await prepareFolder(folder)
        jobs.update(job.objectId, { result: await this.swap(job, folder, live, signal) })
      }
      await moveWorkToResult(folder)
      // Clean up first, so that a client that sees "completed" finds only the result.
      await this.dropScratch(folder)
      if (!this.isOver(job)) jobs.update(job.objectId, { status: 'completed', paused: false, endedAt: now() })
    } catch (thrown) {
      // The engine names its own disk errors; this covers the service's writes: folders, inputs, database.
      const error: ErrorBody = toErrorBody(nameDiskFull(thrown))
      const isMade = (jobs.get(job.objectId)?.result ?? null) !== null
      // Keep partial work when paused, cancelled or quitting. Deleting removes the whole folder.
      await this.dropScratch(folder, signal.aborted || isMade || waitable.includes(error.code))
      if (signal.aborted) return
      // The next job would also fail.
      if (error.code === 'disk-full')
        this.fullDisk = setTimeout(() => {
          this.endWait()
        }, fullDiskPauseMs).unref()
      log(`swap ${job.objectId} failed: ${error.code}`, thrown)
      jobs.update(job.objectId, { status: 'failed', error, endedAt: now() })
    }
  }

  /** Cancelled or deleted meanwhile. */
  private isOver(job: Job): boolean {
    const now = this.deps.jobs.get(job.objectId)
    return now === null || !isOpen(now) || now.deletedAt !== null
  }

  private async swap(job: Job, folder: string, live: Live, signal: AbortSignal): Promise<Job['result']> {
    const { cast, stay } = this.deps.jobs.clips(job.objectId)
    const inputs = await this.inputs.bring(job, cast, folder, signal)
    const dir = join(folder, 'work')
    const { options, range } = job
    let savedMs = job.saved?.savedMs ?? 0
    let { footage } = job
    const onProgress = (progress: EngineProgress) => {
      live.progress = progress
      const { framesDone, framesTotal } = progress
      if (progress.footage && !footage) {
        footage = { ...progress.footage, frames: framesTotal, hasCover: false }
        this.note(job, { footage })
      }
      if (progress.savedMs > savedMs) {
        savedMs = progress.savedMs
        this.note(job, { saved: { frames: framesDone, framesTotal, savedMs } })
      }
      this.previews.take(dir, folder, progress.previewFrame, (frame) => {
        live.previewFrame = frame
        if (!footage || footage.hasCover) return
        footage = { ...footage, hasCover: true }
        this.note(job, { footage })
      })
    }
    const result = await retryAfterCrash(
      () => this.deps.engine.swap({ id: job.objectId, ...inputs, stay, range, options, dir, onProgress, signal }),
      { savedMs: () => live.progress?.savedMs ?? 0, signal, log: this.deps.log },
    )
    return {
      ...result,
      hasAudio: await exists(join(dir, 'audio.m4a')),
      hasCover: await exists(join(dir, 'cover.jpg')),
    }
  }

  /** Display data only, so a failed write doesn't fail the job. */
  private note(job: Job, change: Pick<Partial<Job>, 'footage' | 'saved'>): void {
    try {
      this.deps.jobs.note(job.objectId, change)
    } catch (error) {
      this.deps.log('how far a swap is could not be recorded', error)
    }
  }

  /** Removes everything but the result, the footage's cover and, with `goesOn`, partial work; never throws. */
  private async dropScratch(folder: string, goesOn = false): Promise<void> {
    await this.previews.clear(folder)
    for (const name of goesOn ? [] : ['input', 'work']) await this.remove(join(folder, name))
  }

  private async remove(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true }).catch((error: unknown) => {
      this.deps.log('scratch of a swap could not be removed', error)
    })
  }
}
