/**
 * @file Makes one swap while its lease lasts. If other workers can continue it, stores the engine's checkpoints: uploads
 * files first, then lists them in the database together with the progress that they contain.
 */
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { EngineProgress } from '@shared/engine/engine.ts'
import { addressErrors, choiceErrors, modelErrors, pictureErrors, toErrorBody, videoErrors } from '@shared/errors.ts'
import { privateMode } from '../../../machine/disk/data-folder.ts'
import { nameDiskFull } from '../../../machine/disk/disk-errors.ts'
import { replaceFile, exists, type FreeBytes, reserveBytes } from '../../../machine/disk/files.ts'
import { fetchFile } from '../../../machine/transfer/fetch-file.ts'
import type { EnginePort, SwapJob } from '../../../engine/host/engine-host.ts'
import type { Source, Job, Live } from '../job.ts'
import type { Clip } from '@shared/people/people.ts'
import { retryAfterCrash, Nap, isUnavailable, retryUnavailable, StorageUnavailable } from './retry.ts'
import type { BlobStorage } from '../storage/blob-storage.ts'
import type { Lease, Report, WorkQueue } from '../work-queue.ts'
import { footageCover, resultNames, WorkFiles, type Listing } from './work-files.ts'

export interface LeasedSwapDeps {
  fetch: typeof globalThis.fetch
  free: FreeBytes
  queue: WorkQueue
  storage: BlobStorage
  engine: EnginePort
  log: (message: string, error?: unknown) => void
  /** How long to continue while the database or the storage is unreachable. */
  patienceMs: number
  /** Every error ends the swap: the user of this computer is told, and tries again. False: see `Ending`. */
  failsAlways: boolean
  /** Time between reports, much shorter than a lease. */
  beatMs: number
  /** Time between uploads of previews. Segments are uploaded as soon as they are saved. */
  previewMs: number
}

/**
 * `done`: made or failed. `lost`: another worker has the lease, or the user stopped the swap. `stopped`: this worker
 * stops. The others are problems of this computer, after which the swap is back in the queue.
 */
export type Ending = 'done' | 'lost' | 'stopped' | 'disk-full' | 'unavailable' | 'crashed'

/** Delay before the next lease of a swap after this computer's disk was full. */
const fullDiskWaitMs = 60_000
/** Max time to store the last work of a swap before it returns to the queue. */
const lastWorkMs = 10_000

/** Errors of the inputs, which would be the same on every computer. */
const errorsOfSwap: ReadonlySet<string> = new Set([
  ...[...pictureErrors, ...videoErrors, ...choiceErrors, ...addressErrors, ...modelErrors],
  ...['file-missing', 'too-large'],
])

class LeaseLost extends Error {}

export class LeasedSwap {
  readonly #files: WorkFiles
  /** Aborted when the swap ends; the reason is its error, if any. */
  readonly #end = new AbortController()
  readonly #signal: AbortSignal
  #live: Live = { progress: null, previewFrame: null }
  #footage: Job['footage']
  #storing: Promise<unknown> = Promise.resolve()

  /** @param stop aborted when the worker stops: the swap returns to the queue */
  constructor(
    private readonly deps: LeasedSwapDeps,
    private readonly lease: Lease,
    private readonly folder: string,
    private readonly stop: AbortSignal,
  ) {
    this.#signal = AbortSignal.any([stop, this.#end.signal])
    this.#files = new WorkFiles(deps, lease, folder, (listing) => this.#list(listing))
    this.#footage = lease.job.footage
  }

  /** Never rejects. */
  async run(): Promise<Ending> {
    const beating = this.#repeat(new Nap(), this.deps.beatMs, this.#end.signal, () =>
      this.#report({ live: this.#live }),
    )
    try {
      await this.#make()
      return 'done'
    } catch (error) {
      return await this.#endWith(this.#end.signal.aborted ? this.#end.signal.reason : error)
    } finally {
      this.#end.abort()
      await beating
    }
  }

  async #make(): Promise<void> {
    const { job, clips } = this.lease
    const { range, options, objectId: id } = job
    for (const name of ['input', 'work', 'out'])
      await mkdir(join(this.folder, name), { recursive: true, mode: privateMode })
    await this.#persist(() => this.#files.fetchWork(this.#signal))
    const { fetch, free } = this.deps
    const bringing: InputsDeps = { fetch, free, upload: (...given) => this.#files.upload(...given) }
    const inputs = await this.#persist(() => bringInputs(bringing, job, clips.cast, this.folder, this.#signal))
    await this.#files.settleInputs()
    const [dir, signal, stay] = [this.#files.work, this.#signal, clips.stay]
    const made = new AbortController()
    const making = AbortSignal.any([signal, made.signal])
    const saved = new Nap()
    const storing = this.#repeat(saved, this.deps.previewMs, making, () => this.#store(signal))
    const keeping = this.#keepInputs(making)
    const onProgress = (progress: EngineProgress): void => {
      const { savedMs, previewFrame } = this.#live.progress ?? {}
      if (progress.savedMs !== savedMs || progress.previewFrame !== previewFrame) saved.wake()
      this.#live = { ...this.#live, progress }
    }
    const result = await retryAfterCrash(
      () => this.deps.engine.swap({ id, ...inputs, stay, range, options, dir, onProgress, signal }),
      () => this.#live.progress?.savedMs ?? 0,
      signal,
      this.deps.log,
    ).finally(() => {
      made.abort()
    })
    // In parallel with the last work, which is needed if the result can't be stored.
    const storingResult = resultNames.map((name) => this.#persist(() => this.#files.putResult(name, signal)))
    const [stored] = await Promise.all([Promise.all(storingResult), storing, keeping])
    signal.throwIfAborted()
    const files = stored.filter((file) => file !== null)
    const has = (name: string): boolean => files.some((file) => file.name === name)
    const all = { ...result, hasAudio: has('result/audio.m4a'), hasCover: has('result/cover.jpg') }
    await this.#persist(async () => {
      if (!(await this.deps.queue.complete(this.lease, all, files))) throw new LeaseLost()
    })
  }

  /** Stores inputs from the web while the engine works. Never rejects. */
  async #keepInputs(signal: AbortSignal): Promise<void> {
    const keep = (): Promise<void> => this.#files.storeInputs(signal)
    await retryUnavailable(keep, this.deps.patienceMs, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#end.abort(error)
    })
  }

  /** Ends the lease after an error. */
  async #endWith(cause: unknown): Promise<Ending> {
    const { queue, log } = this.deps
    const { job, attempt } = this.lease
    const name = `swap ${job.objectId}, lease ${attempt}`
    const putBack = async (options?: Parameters<WorkQueue['release']>[1]): Promise<void> => {
      try {
        await this.#store(AbortSignal.timeout(lastWorkMs))
      } catch (error) {
        log(`${name}: the last work was not stored`, error)
      }
      // If this fails, the lease expires.
      await queue.release(this.lease, options).catch((error: unknown) => {
        log(`${name} was not put back`, error)
      })
    }
    if (cause instanceof LeaseLost) {
      log(`${name} has ended: stopped by its user or a limit, or leased again`)
      return 'lost'
    }
    if (this.stop.aborted) {
      await putBack()
      log(`${name} was put back, because this worker stops`)
      return 'stopped'
    }
    const { failsAlways } = this.deps
    if (!failsAlways && isUnavailable(cause)) {
      log(`${name} was put back, because the database or the storage can't be reached`, cause)
      await queue.release(this.lease).catch(() => undefined)
      return 'unavailable'
    }
    const error = toErrorBody(nameDiskFull(cause instanceof StorageUnavailable ? cause.cause : cause))
    const isFull = error.code === 'disk-full'
    if (failsAlways || errorsOfSwap.has(error.code)) {
      log(`${name} failed: ${error.code}`, cause)
      const failing = retryUnavailable(() => queue.fail(this.lease, error), this.deps.patienceMs, this.stop)
      return failing.then(
        () => (isFull ? 'disk-full' : 'done'),
        () => 'unavailable',
      )
    }
    if (isFull) {
      log(`${name} was put back, because the disk of this computer is full`)
      await putBack({ waitMs: fullDiskWaitMs })
      return 'disk-full'
    }
    log(`${name} was put back after a problem of this computer: ${error.code}`, cause)
    await putBack({ isCrash: true })
    return 'crashed'
  }

  /** Repeats until `signal`; an error ends the swap. Never rejects. */
  async #repeat(nap: Nap, everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    await nap.take(everyMs, signal)
    while (!signal.aborted) {
      await this.#persist(work).catch((error: unknown) => {
        this.#end.abort(error)
      })
      await nap.take(everyMs, signal)
    }
  }

  #persist<T>(work: () => Promise<T>): Promise<T> {
    return retryUnavailable(work, this.deps.patienceMs, this.#signal)
  }

  /** Renews the lease. @throws LeaseLost */
  async #report(report: Report): Promise<void> {
    const progress = this.#live.progress
    const { footage } = progress ?? {}
    const hasCover = this.#files.hasFootageCover || report.files?.some(({ name }) => name === footageCover) === true
    const known = footage ? { ...footage, frames: progress?.framesTotal ?? null, hasCover } : null
    const isNew = known !== null && JSON.stringify(known) !== JSON.stringify(this.#footage)
    const isOurs = await this.deps.queue.report(this.lease, isNew ? { ...report, footage: known } : report)
    if (!isOurs) throw new LeaseLost()
    if (isNew) this.#footage = known
  }

  /** Stores new work, one call at a time. @throws LeaseLost, StorageUnavailable, DatabaseUnavailable */
  #store(signal: AbortSignal): Promise<void> {
    const storing = this.#storing.then(() => this.#files.storeWork(this.#live.progress, signal))
    this.#storing = storing.catch(() => undefined)
    return storing
  }

  async #list({ previewFrame, ...listing }: Listing): Promise<void> {
    const shown = previewFrame === undefined ? {} : { previewFrame }
    await this.#report({ ...listing, live: { ...this.#live, ...shown } })
    this.#live = { ...this.#live, ...shown }
  }
}

interface InputsDeps extends Pick<LeasedSwapDeps, 'fetch' | 'free'> {
  /** An upload's path; it may bring the file to `path`. @throws MienError `file-missing` */
  upload: (assetId: string, path: string, signal: AbortSignal) => Promise<string>
}

/**
 * Provides all in parallel, each once, in `input` of the job's folder. An error of a picture has priority and aborts the
 * video. @param clips of each face of the job's cast
 */
export async function bringInputs(
  deps: InputsDeps,
  job: Job,
  clips: readonly Clip[][],
  folder: string,
  signal: AbortSignal,
): Promise<Pick<SwapJob, 'cast' | 'video'>> {
  const wrongFace = new AbortController()
  const brought = new Map<string, Promise<string>>()
  const picture = (source: Source): Promise<string> => {
    const key = JSON.stringify(source)
    const path = brought.get(key) ?? bring(deps, source, join(folder, 'input', `face-${String(brought.size)}`), signal)
    brought.set(key, path)
    return path
  }
  const faces = job.cast.length > 0 ? job.cast : [[job.image, ...job.pictures]]
  const pictures = Promise.all(faces.map((sources) => Promise.all(sources.map(picture))))
  const video = bring(deps, job.video, join(folder, 'input', 'video'), AbortSignal.any([signal, wrongFace.signal]))
  pictures.catch(() => {
    wrongFace.abort()
  })
  // Wait for all, so that none still writes to a folder that is cleaned up because of another.
  await Promise.allSettled([...brought.values(), video])
  const cast = (await pictures).map((paths, index) => ({
    pictures: paths,
    clips: job.cast.length > 0 ? (clips[index] ?? []) : null,
  }))
  return { cast, video: await video }
}

async function bring(
  { upload, fetch, free }: InputsDeps,
  source: Source,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  if (source.kind === 'asset') return upload(source.id, path, signal)
  if (await exists(path)) return path
  const fetching = `${path}.part`
  const kind = basename(path) === 'video' ? 'video' : 'image'
  await fetchFile(new URL(source.url), fetching, kind, { fetch, signal, reserveBytes, freeBytes: free, sync: true })
  await replaceFile(fetching, path)
  return path
}
