/**
 * @file A swap's files on this computer and in the storage: inputs, the engine's work and previews. New files are
 * uploaded first, and then listed in the database.
 */
import { randomUUID } from 'node:crypto'
import { copyFile, readdir, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { EngineProgress } from '@shared/engine/engine.ts'
import { MienError } from '@shared/errors.ts'
import { removeFile, exists, sha256Of, stampOf } from '../../../machine/disk/files.ts'
import { resultFiles } from '../../jobs/job.ts'
import type { BlobStorage, TakeOptions } from '../storage/blob-storage.ts'
import type { Lease, Report, SwapFile } from '../work-queue.ts'
import { readPackets, readSegment, segmentName, type Segment } from './segment-files.ts'
import { StoredFiles } from './stored-files.ts'

/** What is new in the storage. Absent: unchanged. */
export interface Listing extends Pick<Report, 'saved'> {
  files: readonly SwapFile[]
  gone: readonly string[]
  /** Frame of the newest preview. */
  previewFrame?: number
}

export interface WorkFilesDeps {
  storage: BlobStorage
  lease: Lease
  /** Contains `input`, `work` and `out`. */
  folder: string
  /** Min time between two previews. */
  previewMs: number
  /** False: no other worker continues this work, so it stays in its folder. */
  isShared: boolean
  /** Lists files that were uploaded, together with the progress that they contain. */
  list: (listing: Listing) => Promise<void>
}

interface LastSegment {
  index: number
  segment: Segment
}

/** The newest preview, and the one that a client may be about to fetch. */
const keptPreviews = 2

const workPrefix = 'work/'
/** Prefix of inputs from the web. */
const inputPrefix = 'work/input-'
export const footageCover = 'footage/cover.jpg'
/** Files that the engine writes before the checkpoint that includes them. */
const coverName = /^(?:cover|face-\d)\.jpg$/

export class WorkFiles {
  /** The engine's folder. */
  readonly work: string
  readonly #inputs: string
  /** Folder for copies of files that the engine may replace. Emptied as they are stored. */
  readonly #out: string
  readonly #stored: StoredFiles
  /** Uploads among the inputs: their names in the storage. */
  readonly #uploaded = new Map<string, string>()
  /** Number of listed segments, and the digest of the last one. */
  #segments = { count: 0, digest: '' }
  /** The progress that was listed, of work that isn't shared. */
  #savedMs: number
  /** Frames of the listed previews. */
  #previews: readonly number[] = []
  /** When the newest preview was listed (`performance.now()`). */
  #previewAt = -Infinity

  constructor(private readonly deps: WorkFilesDeps) {
    const { storage, lease, folder } = deps
    this.work = join(folder, 'work')
    this.#inputs = join(folder, 'input')
    this.#out = join(folder, 'out')
    this.#savedMs = lease.job.saved?.savedMs ?? 0
    this.#stored = new StoredFiles(storage, lease.files)
  }

  get hasFootageCover(): boolean {
    return this.#stored.listed.has(footageCover)
  }

  /** Fetches the work of earlier leases. @throws StorageUnavailable */
  async fetchWork(signal: AbortSignal): Promise<void> {
    if (!this.deps.isShared) return
    for (const { name, blob } of this.#stored.listed.values())
      if (name.startsWith(workPrefix)) await this.#stored.fetch(blob, this.#pathOf(name), signal)
    for (let index = 0; ; index += 1) {
      const segment = await readSegment(this.work, index)
      if (!segment || !(await exists(join(this.work, segmentName(index, 'bin'))))) return
      this.#segments = { count: index + 1, digest: segment.digest }
    }
  }

  #pathOf(name: string): string {
    return name.startsWith(inputPrefix)
      ? join(this.#inputs, name.slice(inputPrefix.length))
      : join(this.work, name.slice(workPrefix.length))
  }

  /** Fetches an upload to `path`. @throws StorageUnavailable, MienError `file-missing` */
  async upload(id: string, path: string, signal: AbortSignal): Promise<string> {
    const { lease, storage, isShared } = this.deps
    const blob = lease.uploads.get(id)
    const stored = blob === undefined || isShared ? null : storage.pathOf(blob)
    if (stored !== null && (await exists(stored))) return stored
    if (blob === undefined || !(await this.#stored.fetch(blob, path, signal))) throw new MienError('file-missing')
    this.#uploaded.set(basename(path), blob)
    return path
  }

  /** Sets each input's modification time from its content, because the engine only resumes if it is unchanged. */
  async settleInputs(): Promise<void> {
    if (!this.deps.isShared) return
    for (const name of await readdir(this.#inputs)) {
      const path = join(this.#inputs, name)
      const seconds = Number.parseInt((this.#uploaded.get(name) ?? (await sha256Of(path))).slice(0, 7), 16)
      await utimes(path, seconds, seconds)
    }
  }

  /** Stores inputs from the web, because their addresses may stop working before another worker continues. */
  async storeInputs(signal: AbortSignal): Promise<void> {
    const files: SwapFile[] = []
    for (const name of this.deps.isShared ? await readdir(this.#inputs) : [])
      if (!this.#uploaded.has(name) && !this.#stored.listed.has(inputPrefix + name))
        files.push(await this.#stored.put(inputPrefix + name, '', join(this.#inputs, name), { sync: true, signal }))
    if (files.length > 0) await this.#list({ files, gone: [] })
  }

  /** Stores new segments with the cover, and previews. @throws StorageUnavailable; errors of `list` */
  async storeWork(progress: EngineProgress | null, signal: AbortSignal): Promise<void> {
    const { isShared } = this.deps
    const { files, last } = isShared ? await this.#newSegments(signal) : { files: [], last: null }
    if (last) files.push(...(await this.#newCovers(signal)))
    const isFurther = !isShared && progress !== null && progress.savedMs > this.#savedMs
    const preview = await this.#newPreview(progress, signal)
    files.push(...(preview?.files ?? []))
    if (files.length === 0 && !isFurther) return
    const previews = preview ? [...this.#previews, preview.frame].slice(-keptPreviews) : this.#previews
    const gone = this.#previews.filter((frame) => !previews.includes(frame)).flatMap(previewNames)
    const framesTotal = progress?.framesTotal ?? null
    const ofSegment = last && { frames: last.segment.frames, savedMs: last.segment.savedMs, framesTotal }
    const saved = isFurther ? { frames: progress.framesDone, savedMs: progress.savedMs, framesTotal } : ofSegment
    await this.#list({ files, gone, ...(saved ? { saved } : {}), ...(preview ? { previewFrame: preview.frame } : {}) })
    if (isFurther) this.#savedMs = progress.savedMs
    if (last) this.#segments = { count: last.index + 1, digest: last.segment.digest }
    if (preview) this.#previewAt = performance.now()
    this.#previews = previews
  }

  async #list(listing: Listing): Promise<void> {
    await this.deps.list(listing)
    await this.#stored.listedNow(listing.files, listing.gone)
  }

  /** Uploads segments that aren't stored yet: all of them, if the engine has started over. */
  async #newSegments(signal: AbortSignal): Promise<{ files: SwapFile[]; last: LastSegment | null }> {
    const { count, digest } = this.#segments
    const isSame = count > 0 && (await readSegment(this.work, count - 1))?.digest === digest
    const files: SwapFile[] = []
    let last: LastSegment | null = null
    for (let index = isSame ? count : 0; ; index += 1) {
      const segment = await readSegment(this.work, index)
      if (!segment) break
      const names = { bin: nameOf(index, 'bin'), json: nameOf(index, 'json') }
      if (this.#stored.has(names.bin, segment.digest) && this.#stored.has(names.json, segment.digest)) continue
      const packets = await readPackets(this.work, index, segment)
      if (!packets) break
      const put = (name: string, data: Buffer | string): Promise<SwapFile> =>
        this.#putNew(name, segment.digest, { sync: true, signal }, (path) => writeFile(path, data))
      files.push(await put(names.bin, packets), await put(names.json, segment.text))
      last = { index, segment }
    }
    return { files, last }
  }

  /** Uploads the cover and its faces if they have changed. Checkpoints include them. */
  async #newCovers(signal: AbortSignal): Promise<SwapFile[]> {
    const files: SwapFile[] = []
    for (const name of await readdir(this.work)) {
      if (!coverName.test(name)) continue
      const path = join(this.work, name)
      const version = await stampOf(path)
      if (this.#stored.has(workPrefix + name, version)) continue
      files.push(await this.#putCopy(workPrefix + name, version, path, { sync: true, signal }))
    }
    return files
  }

  async #putCopy(name: string, version: string, path: string, options: TakeOptions): Promise<SwapFile> {
    return this.#putNew(name, version, options, (copy) => copyFile(path, copy))
  }

  /** Uploads a file that `write` creates. */
  async #putNew(
    name: string,
    version: string,
    options: TakeOptions,
    write: (path: string) => Promise<void>,
  ): Promise<SwapFile> {
    const path = join(this.#out, randomUUID())
    await write(path)
    return this.#stored.put(name, version, path, options).finally(() => removeFile(path))
  }

  /** Uploads the newest preview. The first one is also the footage's cover. Null: none is due. */
  async #newPreview(
    progress: EngineProgress | null,
    signal: AbortSignal,
  ): Promise<{ frame: number; files: SwapFile[] } | null> {
    const frame = progress?.previewFrame ?? null
    const isDue = performance.now() - this.#previewAt >= this.deps.previewMs
    if (frame === null || !isDue || this.#previews.includes(frame)) return null
    const [before, after] = [join(this.work, 'before.jpg'), join(this.work, 'after.jpg')]
    if (!(await exists(before)) || !(await exists(after))) return null
    const [beforeName, afterName] = previewNames(frame)
    const files = [
      await this.#putCopy(beforeName, '', before, { sync: false, signal }),
      await this.#putCopy(afterName, '', after, { sync: false, signal }),
    ]
    if (!this.hasFootageCover) files.push(await this.#putCopy(footageCover, '', before, { sync: false, signal }))
    return { frame, files }
  }

  /** Uploads a file of the result; null: the engine didn't create it. @throws StorageUnavailable */
  async putResult(name: string, signal: AbortSignal): Promise<SwapFile | null> {
    const path = join(this.work, basename(name))
    if (!(await exists(path))) return null
    // Pictures beside a result of this computer can be lost: the result is downloaded at once.
    const sync = this.deps.isShared || name.startsWith('result/output.')
    return this.#stored.put(name, await stampOf(path), path, { sync, signal })
  }

  /** Removes everything except the result from the storage, after the swap is complete. */
  async drop(): Promise<void> {
    const names = [...this.#stored.listed.keys()].filter((name) => name !== footageCover)
    await this.#stored.listedNow([], names)
  }
}

/** Names of files that a result may have. */
export const resultNames: readonly string[] = [...resultFiles.values()].filter((name) => name.startsWith('result/'))

const nameOf = (index: number, kind: 'bin' | 'json'): string => workPrefix + segmentName(index, kind)

const previewNames = (frame: number): [before: string, after: string] => [
  `before-${String(frame)}.jpg`,
  `after-${String(frame)}.jpg`,
]
