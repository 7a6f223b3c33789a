/** @file Works off the queue: one swap at a time, first come first served, taken up again after a restart. */
import { access, copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineProgress, SwapResult } from '@shared/engine.ts'
import { MienError, toErrorBody, type ErrorBody } from '@shared/errors.ts'
import type { AssetStore, FreeBytes } from './asset-store.ts'
import type { Source } from './addresses.ts'
import type { EnginePort } from './engine-port.ts'
import { fetchAddress } from './fetch-address.ts'
import { isOpen, type Job } from './job.ts'
import type { JobStore } from './job-store.ts'
import type { Live } from './task-item.ts'

export interface RunnerDeps {
  dir: string
  jobs: JobStore
  assets: AssetStore
  engine: EnginePort
  fetch: typeof globalThis.fetch
  free: FreeBytes
  now: () => number
  log: (message: string, error?: unknown) => void
}

const there = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** Previews that stay fetchable: the newest, and the one that a client may just have been told of. */
const keptPreviews = 2

/** How long an engine may take to let go of a swap. */
const disposeMs = 3000

export class JobRunner {
  private current: { objectId: string; abort: AbortController; live: Live; done: Promise<void> } | null = null
  private stopped = false
  private readonly jobsDir: string

  constructor(private readonly deps: RunnerDeps) {
    this.jobsDir = join(deps.dir, 'jobs')
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
      this.deps.log(`swap ${job.objectId} was interrupted and starts again`)
    }
    this.kick()
  }

  /** Looks whether there is something to do. */
  kick(): void {
    if (this.stopped || this.current) return
    const job = this.deps.jobs.nextQueued()
    if (!job) return
    const abort = new AbortController()
    const live: Live = { progress: null, previewFrame: null }
    const done = this.run(job, live, abort.signal)
      .catch((error: unknown) => {
        this.deps.log(`swap ${job.objectId} could not be recorded`, error)
      })
      .finally(() => {
        this.current = null
        this.kick()
      })
    this.current = { objectId: job.objectId, abort, live, done }
  }

  /** Cancels what is queued or under way; anything else stays as it is. */
  cancel(job: Job): Job {
    if (!isOpen(job)) return job
    const next = this.deps.jobs.update(job.objectId, { status: 'cancelled', endedAt: this.deps.now() })
    this.abort(job.objectId)
    return next ?? job
  }

  /** Removes the job's files, and its uploads where no other job uses them. */
  async delete(job: Job): Promise<void> {
    const now = this.deps.now()
    const status = isOpen(job) ? 'cancelled' : job.status
    this.deps.jobs.update(job.objectId, { status, deletedAt: now, endedAt: job.endedAt ?? now })
    const running = this.current?.objectId === job.objectId ? this.current.done : null
    this.abort(job.objectId)
    await running
    await rm(this.folder(job.objectId), { recursive: true, force: true })
    const inUse = this.deps.jobs.assetsInUse()
    for (const source of [job.image, job.video])
      if (source.kind === 'asset' && !inUse.has(source.id)) await this.deps.assets.remove(source.id)
  }

  /** The job under way stays `processing` on disk and is taken up again at the next start. */
  async dispose(): Promise<void> {
    this.stopped = true
    const running = this.current
    running?.abort.abort()
    const patience = new Promise((resolve) => setTimeout(resolve, disposeMs).unref())
    await Promise.race([running?.done, patience])
  }

  private abort(objectId: string): void {
    if (this.current?.objectId === objectId) this.current.abort.abort()
  }

  private async run(job: Job, live: Live, signal: AbortSignal): Promise<void> {
    const { jobs, now, log } = this.deps
    const folder = this.folder(job.objectId)
    jobs.update(job.objectId, { status: 'processing' })
    try {
      await rm(folder, { recursive: true, force: true })
      for (const name of ['input', 'footage', 'work']) await mkdir(join(folder, name), { recursive: true })
      const result = await this.swap(job, folder, live, signal)
      await this.dropScratch(folder)
      if (signal.aborted) await rm(join(folder, 'result'), { recursive: true, force: true })
      else jobs.update(job.objectId, { status: 'completed', result, endedAt: now() })
    } catch (thrown) {
      await this.dropScratch(folder)
      if (signal.aborted) return
      const error: ErrorBody = toErrorBody(thrown)
      log(`swap ${job.objectId} failed: ${error.code}`, thrown)
      jobs.update(job.objectId, { status: 'failed', error, endedAt: now() })
    }
  }

  private async swap(job: Job, folder: string, live: Live, signal: AbortSignal): Promise<Job['result']> {
    const { engine, jobs } = this.deps
    const face = await this.fetchInput(job, job.image, 'image', folder, signal)
    const faceDir = join(folder, 'input', 'inspected')
    await mkdir(faceDir)
    await engine.inspectFace(face, faceDir, signal)
    const video = await this.fetchInput(job, job.video, 'video', folder, signal)
    const footageDir = join(folder, 'footage')
    const { width, height, durationMs, frames } = await engine.inspectVideo(video, footageDir, signal)
    const hasCover = await there(join(footageDir, 'cover.jpg'))
    jobs.update(job.objectId, { footage: { width, height, durationMs, frames, hasCover } })
    const dir = join(folder, 'work')
    const onProgress = (progress: EngineProgress) => {
      live.progress = progress
      this.previewing = this.previewing.then(() => this.takePreview(dir, folder, progress.previewFrame, live))
    }
    const result: SwapResult = await engine.swap({ face, video, dir, onProgress, signal })
    signal.throwIfAborted()
    await rename(dir, join(folder, 'result'))
    return {
      ...result,
      hasAudio: await there(join(folder, 'result', 'audio.m4a')),
      hasCover: await there(join(folder, 'result', 'cover.jpg')),
    }
  }

  private readonly previews: number[] = []
  private previewing = Promise.resolve()

  /** Copies the newest preview, since the engine writes the next one over it. A lost preview is no loss. */
  private async takePreview(dir: string, folder: string, frame: number | null, live: Live): Promise<void> {
    if (frame === null || frame === live.previewFrame || this.previews.includes(frame)) return
    this.previews.push(frame)
    const at = (which: string, n: number) => join(folder, `${which}-${String(n)}.jpg`)
    try {
      for (const which of ['before', 'after']) await copyFile(join(dir, `${which}.jpg`), at(which, frame))
      live.previewFrame = frame
      while (this.previews.length > keptPreviews) {
        const old = this.previews.shift() ?? 0
        for (const which of ['before', 'after']) await rm(at(which, old), { force: true })
      }
    } catch {
      this.previews.splice(this.previews.indexOf(frame), 1)
    }
  }

  /** Everything but the result and the footage's cover; never throws. */
  private async dropScratch(folder: string): Promise<void> {
    await this.previewing
    const previews = this.previews
      .splice(0)
      .flatMap((frame) => [`before-${String(frame)}.jpg`, `after-${String(frame)}.jpg`])
    for (const name of ['input', 'work', ...previews])
      await rm(join(folder, name), { recursive: true, force: true }).catch((error: unknown) => {
        this.deps.log('scratch of a swap could not be removed', error)
      })
  }

  private async fetchInput(
    job: Job,
    source: Source,
    kind: 'image' | 'video',
    folder: string,
    signal: AbortSignal,
  ): Promise<string> {
    if (source.kind === 'asset') {
      if (!this.deps.assets.get(source.id, job.userId)) throw new MienError('file-missing')
      return this.deps.assets.path(source.id)
    }
    const path = join(folder, 'input', kind)
    await fetchAddress(this.deps.fetch, source.url, path, kind, this.deps.free, signal)
    return path
  }
}
