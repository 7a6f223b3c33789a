/**
 * @file Makes one swap while its lease lasts. What the engine saves goes to the storage, so that another worker can go
 * on: files are stored first and listed in the database afterwards, together with how far they reach.
 */
import { copyFile, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { EngineProgress, SwapResult } from '@shared/engine.ts'
import {
  addressErrors,
  choiceErrors,
  MienError,
  modelErrors,
  pictureErrors,
  toErrorBody,
  videoErrors,
} from '@shared/errors.ts'
import { privateMode } from '../../../data/data-folder.ts'
import { nameDiskFull } from '../../../data/disk-full.ts'
import { exists } from '../../../data/exists.ts'
import type { EnginePort } from '../../jobs/engine-port.ts'
import { JobInputs, type JobInputsDeps } from '../../jobs/job-inputs.ts'
import { resultFiles, type Job } from '../../jobs/job.ts'
import type { Live } from '../../jobs/task-item.ts'
import type { BlobStorage } from '../storage/blob-storage.ts'
import type { Lease, Report, SwapFile, WorkQueue } from '../work-queue.ts'
import { Nap } from './nap.ts'
import { readPackets, readSegment, segmentName, type Segment } from './segment-files.ts'
import { sha256Of, StoredFiles } from './stored-files.ts'
import { isUnavailable, retryUnavailable } from './unavailable.ts'

export interface LeasedSwapDeps extends Omit<JobInputsDeps, 'upload'> {
  queue: WorkQueue
  storage: BlobStorage
  engine: EnginePort
  log: (message: string, error?: unknown) => void
  /** How long work goes on while the database or the storage can't be reached. */
  patienceMs: number
}

/**
 * Made or failed; the lease is another worker's, or the user stopped the swap; this worker stops. The others are
 * problems of this computer, for which the swap was put back.
 */
export type Ending = 'done' | 'lost' | 'stopped' | 'disk-full' | 'unavailable' | 'crashed'

/** Well below the length of a lease. */
const beatMs = 1000
/** Previews are stored so often; segments as soon as they are saved. */
const storeMs = 2000
/** Max engine crashes in a row without progress. */
const maxCrashes = 3
/** Delay before the next lease of a swap that found this computer's disk full. */
const fullDiskWaitMs = 60_000
/** Max time to store the last work of a swap that is put back. */
const lastWorkMs = 10_000
/** Number of previews kept: the newest, and the one that a client may be about to fetch. */
const keptPreviews = 2

const crashCodes: readonly string[] = ['engine-crashed', 'engine-failed']
/** Errors of what was asked for: they are the same on every computer. */
const errorsOfSwap: ReadonlySet<string> = new Set([
  ...[...pictureErrors, ...videoErrors, ...choiceErrors, ...addressErrors, ...modelErrors],
  ...['file-missing', 'too-large'],
])

const workPrefix = 'work/'
/** Inputs from the web. */
const inputPrefix = 'work/input-'
const footageCover = 'footage/cover.jpg'
/** Written by the engine before the checkpoint that counts them. */
const coverName = /^(?:cover|face-\d)\.jpg$/

class LeaseLost extends Error {}

export class LeasedSwap {
  readonly #deps: LeasedSwapDeps
  readonly #lease: Lease
  readonly #folder: string
  readonly #stop: AbortSignal
  readonly #work: string
  readonly #files: StoredFiles
  readonly #inputs: JobInputs
  /** Aborted at the end, or with the error that ends it. */
  readonly #end = new AbortController()
  readonly #signal: AbortSignal
  #live: Live = { progress: null, previewFrame: null }
  #footage: Job['footage']
  /** Names of uploads among the inputs, with their names in the storage. */
  readonly #uploaded = new Map<string, string>()
  /** Segments that are stored, and the last one's digest. */
  #segments = { count: 0, digest: '' }
  /** Frames of the stored previews. */
  #previews: readonly number[] = []
  /** When the newest one was stored (`performance.now()`). */
  #previewAt = -Infinity
  #storing: Promise<unknown> = Promise.resolve()

  /** @param stop the worker stops: the swap is put back */
  constructor(deps: LeasedSwapDeps, lease: Lease, folder: string, stop: AbortSignal) {
    this.#deps = deps
    this.#lease = lease
    this.#folder = folder
    this.#work = join(folder, 'work')
    this.#stop = stop
    this.#signal = AbortSignal.any([stop, this.#end.signal])
    this.#files = new StoredFiles(deps.storage, lease.files)
    this.#inputs = new JobInputs({ ...deps, upload: (_job, id, path, signal) => this.#upload(id, path, signal) })
    this.#footage = lease.job.footage
  }

  /** Never rejects. */
  async run(): Promise<Ending> {
    const beating = this.#repeat(new Nap(), beatMs, this.#end.signal, () => this.#report({ live: this.#live }))
    try {
      await this.#make()
      return 'done'
    } catch (error) {
      return await this.#endWith(this.#end.signal.aborted ? this.#end.signal.reason : error)
    } finally {
      this.#end.abort()
      await beating
      await rm(this.#folder, { recursive: true, force: true }).catch((error: unknown) => {
        this.#deps.log('the folder of a swap could not be removed', error)
      })
    }
  }

  async #make(): Promise<void> {
    const { job, clips } = this.#lease
    const { range, options, objectId: id } = job
    for (const name of ['input', 'work', 'out'])
      await mkdir(join(this.#folder, name), { recursive: true, mode: privateMode })
    await this.#persist(() => this.#fetchWork())
    const inputs = await this.#persist(() => this.#inputs.bring(job, clips.cast, this.#folder, this.#signal))
    const fromWeb = await this.#settleInputs()
    const [dir, signal, stay] = [this.#work, this.#signal, clips.stay]
    const made = new AbortController()
    const saved = new Nap()
    const storing = this.#repeat(saved, storeMs, AbortSignal.any([signal, made.signal]), () => this.#store(signal))
    const keeping = this.#persist(() => this.#storeInputs(fromWeb)).catch((error: unknown) => {
      this.#end.abort(error)
    })
    const onProgress = (progress: EngineProgress): void => {
      if (progress.savedMs !== this.#live.progress?.savedMs) saved.wake()
      this.#live = { ...this.#live, progress }
    }
    const result = await this.#retryAfterCrash(() =>
      this.#deps.engine.swap({ id, ...inputs, stay, range, options, dir, onProgress, signal }),
    ).finally(() => {
      made.abort()
    })
    await Promise.all([storing, keeping])
    signal.throwIfAborted()
    await this.#complete(result)
  }

  /** What happens to the lease after an error. */
  async #endWith(cause: unknown): Promise<Ending> {
    const { queue, log } = this.#deps
    const { job, attempt } = this.#lease
    const name = `swap ${job.objectId}, lease ${attempt}`
    const putBack = async (options?: Parameters<WorkQueue['release']>[1]): Promise<void> => {
      try {
        await this.#store(AbortSignal.timeout(lastWorkMs))
      } catch (error) {
        log(`${name}: the last work was not stored`, error)
      }
      // Otherwise the lease ends by itself.
      await queue.release(this.#lease, options).catch((error: unknown) => {
        log(`${name} was not put back`, error)
      })
    }
    if (cause instanceof LeaseLost) {
      log(`${name} has ended: stopped by its user, or leased again`)
      return 'lost'
    }
    if (this.#stop.aborted) {
      await putBack()
      log(`${name} was put back, because this worker stops`)
      return 'stopped'
    }
    if (isUnavailable(cause)) {
      log(`${name} was put back, because the database or the storage can't be reached`, cause)
      await queue.release(this.#lease).catch(() => undefined)
      return 'unavailable'
    }
    const error = toErrorBody(nameDiskFull(cause))
    if (error.code === 'disk-full') {
      log(`${name} was put back, because the disk of this computer is full`)
      await putBack({ waitMs: fullDiskWaitMs })
      return 'disk-full'
    }
    if (errorsOfSwap.has(error.code)) {
      log(`${name} failed: ${error.code}`, cause)
      const failing = retryUnavailable(() => queue.fail(this.#lease, error), this.#deps.patienceMs, this.#stop)
      return failing.then(
        () => 'done',
        () => 'unavailable',
      )
    }
    log(`${name} was put back after a problem of this computer: ${error.code}`, cause)
    await putBack({ crashed: true })
    return 'crashed'
  }

  /** Retries here, from the last segment. Gives up after `maxCrashes` without progress. */
  async #retryAfterCrash(ask: () => Promise<SwapResult>): Promise<SwapResult> {
    let furthest = -1
    for (let crashes = 1; ; crashes += 1) {
      try {
        return await ask()
      } catch (error) {
        const savedMs = this.#live.progress?.savedMs ?? 0
        if (savedMs > furthest) crashes = 1
        furthest = Math.max(furthest, savedMs)
        const crashed = error instanceof MienError && crashCodes.includes(error.code)
        if (!crashed || this.#signal.aborted || crashes >= maxCrashes) throw error
        this.#deps.log(`the engine failed (${error.code}) and continues from what it saved`)
      }
    }
  }

  /** Repeats until `signal`; an error ends the swap. Never rejects. */
  async #repeat(nap: Nap, everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await this.#persist(work).catch((error: unknown) => {
        this.#end.abort(error)
      })
      await nap.take(everyMs, signal)
    }
  }

  #persist<T>(work: () => Promise<T>): Promise<T> {
    return retryUnavailable(work, this.#deps.patienceMs, this.#signal)
  }

  /** Renews the lease. @throws LeaseLost */
  async #report({ files, ...report }: Report): Promise<void> {
    const progress = this.#live.progress
    const { footage } = progress ?? {}
    const hasCover = this.#files.isListed(footageCover) || files?.some(({ name }) => name === footageCover) === true
    const known = footage ? { ...footage, frames: progress?.framesTotal ?? null, hasCover } : null
    const isNew = known !== null && JSON.stringify(known) !== JSON.stringify(this.#footage)
    const isOurs = await this.#deps.queue.report(this.#lease, {
      ...report,
      ...(files ? { files } : {}),
      ...(isNew ? { footage: known } : {}),
    })
    if (!isOurs) throw new LeaseLost()
    if (isNew) this.#footage = known
  }

  async #upload(id: string, path: string, signal: AbortSignal): Promise<string> {
    const blob = this.#lease.uploads.get(id)
    if (blob === undefined || !(await this.#files.fetch(blob, path, signal))) throw new MienError('file-missing')
    this.#uploaded.set(basename(path), blob)
    return path
  }

  /**
   * Derives the time of each input from its content, because the engine goes on only with an input of the same time.
   * @returns names of inputs from the web
   */
  async #settleInputs(): Promise<string[]> {
    const dir = join(this.#folder, 'input')
    const names = await readdir(dir)
    for (const name of names) {
      const sha256 = this.#uploaded.get(name) ?? (await sha256Of(join(dir, name)))
      const seconds = Number.parseInt(sha256.slice(0, 7), 16)
      await utimes(join(dir, name), seconds, seconds)
    }
    return names.filter((name) => !this.#uploaded.has(name))
  }

  /** Stores inputs from the web: their addresses may not work any more when another worker goes on. */
  async #storeInputs(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (this.#files.isListed(inputPrefix + name)) continue
      const path = join(this.#folder, 'input', name)
      const files = [await this.#files.put(inputPrefix + name, '', path, this.#signal)]
      await this.#report({ files })
      await this.#files.listedNow(files, [])
    }
  }

  /** Gets the work of earlier leases. */
  async #fetchWork(): Promise<void> {
    for (const { name, blob } of this.#files.listed) {
      if (!name.startsWith(workPrefix)) continue
      const path = this.#pathOf(name)
      if (await this.#files.fetch(blob, path, this.#signal)) this.#files.note(name, await versionOf(path))
    }
    for (let index = 0; ; index += 1) {
      const segment = await readSegment(this.#work, index)
      if (!segment || !(await exists(join(this.#work, segmentName(index, 'bin'))))) return
      for (const kind of ['bin', 'json'] as const)
        this.#files.note(workPrefix + segmentName(index, kind), segment.digest)
      this.#segments = { count: index + 1, digest: segment.digest }
    }
  }

  #pathOf(name: string): string {
    return name.startsWith(inputPrefix)
      ? join(this.#folder, 'input', name.slice(inputPrefix.length))
      : join(this.#work, name.slice(workPrefix.length))
  }

  /** Stores what is new, one call at a time. */
  #store(signal: AbortSignal): Promise<void> {
    const storing = this.#storing.then(() => this.#storeNew(signal))
    this.#storing = storing.catch(() => undefined)
    return storing
  }

  async #storeNew(signal: AbortSignal): Promise<void> {
    const { files, last } = await this.#newSegments(signal)
    // The checkpoints count the cover and the faces on it.
    if (last) files.push(...(await this.#newCopies(this.#work, coverName, workPrefix, signal)))
    const preview = await this.#newPreview(signal)
    files.push(...(preview?.files ?? []))
    if (files.length === 0) return
    const kept = preview ? [...this.#previews, preview.frame].slice(-keptPreviews) : this.#previews
    const gone = this.#previews.filter((frame) => !kept.includes(frame)).flatMap(previewNames)
    const live = preview ? { ...this.#live, previewFrame: preview.frame } : this.#live
    const framesTotal = this.#live.progress?.framesTotal ?? null
    const saved = last && { frames: last.segment.frames, framesTotal, savedMs: last.segment.savedMs }
    await this.#report({ files, gone, live, ...(saved ? { saved } : {}) })
    this.#previews = kept
    if (preview) {
      this.#live = { ...this.#live, previewFrame: preview.frame }
      this.#previewAt = performance.now()
    }
    if (last) this.#segments = { count: last.index + 1, digest: last.segment.digest }
    await this.#files.listedNow(files, gone)
  }

  /** Uploads segments that are not stored. If the engine began again, these are all. */
  async #newSegments(
    signal: AbortSignal,
  ): Promise<{ files: SwapFile[]; last: { index: number; segment: Segment } | null }> {
    const { count, digest } = this.#segments
    const same = count > 0 && (await readSegment(this.#work, count - 1))?.digest === digest
    const files: SwapFile[] = []
    let last: { index: number; segment: Segment } | null = null
    for (let index = same ? count : 0; ; index += 1) {
      const segment = await readSegment(this.#work, index)
      if (!segment) break
      const name = (kind: 'bin' | 'json'): string => workPrefix + segmentName(index, kind)
      if (this.#files.has(name('bin'), segment.digest) && this.#files.has(name('json'), segment.digest)) continue
      const packets = await readPackets(this.#work, index, segment)
      if (!packets) break
      files.push(await this.#putData(name('bin'), segment.digest, packets, signal))
      files.push(await this.#putData(name('json'), segment.digest, segment.text, signal))
      last = { index, segment }
    }
    return { files, last }
  }

  async #putData(name: string, version: string, data: Buffer | string, signal: AbortSignal): Promise<SwapFile> {
    const path = join(this.#folder, 'out', 'data')
    await writeFile(path, data)
    return this.#files.put(name, version, path, signal)
  }

  /** Uploads files of a folder that are new or have changed. */
  async #newCopies(dir: string, names: RegExp, prefix: string, signal: AbortSignal): Promise<SwapFile[]> {
    const files: SwapFile[] = []
    for (const name of await readdir(dir)) {
      const version = names.test(name) ? await versionOf(join(dir, name)) : null
      if (version === null || this.#files.has(prefix + name, version)) continue
      files.push(await this.#putCopy(prefix + name, version, join(dir, name), signal))
    }
    return files
  }

  /** Uploads a file that the engine may replace meanwhile. */
  async #putCopy(name: string, version: string, path: string, signal: AbortSignal): Promise<SwapFile> {
    const copy = join(this.#folder, 'out', 'copy')
    await copyFile(path, copy)
    return this.#files.put(name, version, copy, signal)
  }

  /** Uploads the newest preview; the first one is the footage's cover. Null: there is no new one. */
  async #newPreview(signal: AbortSignal): Promise<{ frame: number; files: SwapFile[] } | null> {
    const frame = this.#live.progress?.previewFrame ?? null
    const isDue = performance.now() - this.#previewAt >= storeMs
    if (frame === null || !isDue || this.#previews.includes(frame)) return null
    const files: SwapFile[] = []
    const [before, after] = [join(this.#work, 'before.jpg'), join(this.#work, 'after.jpg')]
    if (!(await exists(before)) || !(await exists(after))) return null
    const [beforeName, afterName] = previewNames(frame)
    files.push(await this.#putCopy(beforeName, '', before, signal), await this.#putCopy(afterName, '', after, signal))
    if (!this.#files.isListed(footageCover)) files.push(await this.#putCopy(footageCover, '', before, signal))
    return { frame, files }
  }

  /** Stores the result. @throws LeaseLost */
  async #complete(result: SwapResult): Promise<void> {
    const names = [...resultFiles.values()].filter((name) => name.startsWith('result/'))
    const files: SwapFile[] = []
    for (const name of names) {
      const path = join(this.#work, basename(name))
      if (await exists(path))
        files.push(await this.#persist(async () => this.#files.put(name, await versionOf(path), path, this.#signal)))
    }
    const has = (name: string): boolean => files.some((file) => file.name === name)
    const made = { ...result, hasAudio: has('result/audio.m4a'), hasCover: has('result/cover.jpg') }
    await this.#persist(async () => {
      if (!(await this.#deps.queue.complete(this.#lease, made, files))) throw new LeaseLost()
    })
    const others = [...this.#files.listed].map(({ name }) => name).filter((name) => name !== footageCover)
    await this.#files.listedNow([], others)
  }
}

const previewNames = (frame: number): [before: string, after: string] => [
  `before-${String(frame)}.jpg`,
  `after-${String(frame)}.jpg`,
]

/** Changes whenever the file is replaced. */
async function versionOf(path: string): Promise<string> {
  const { ino, mtimeMs, size } = await stat(path)
  return [ino, mtimeMs, size].join(' ')
}
