/**
 * @file A swap's files on this computer and in the storage: inputs, the engine's work and previews. New files are
 * uploaded first, and then listed in the database. Every file that the database lists is in the storage.
 */
import { randomUUID } from 'node:crypto'
import { copyFile, readdir, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { EngineProgress } from '@shared/engine/engine.ts'
import { MienError } from '@shared/errors.ts'
import { isDiskFull } from '../../../machine/disk/disk-errors.ts'
import { removeFile, exists, sha256Of, stampOf } from '../../../machine/disk/files.ts'
import { resultFiles } from '../job.ts'
import { storeFile, type TakeOptions } from '../storage/blob-storage.ts'
import type { Lease, Report, SwapFile } from '../work-queue.ts'
import type { LeasedSwapDeps } from './leased-swap.ts'
import { StorageUnavailable } from './retry.ts'
import { readPackets, readSegment, segmentName } from './segment-files.ts'

/** What is new in the storage. Absent: unchanged. */
export interface Listing extends Pick<Report, 'saved'> {
  files: readonly SwapFile[]
  gone: readonly string[]
  /** Frame of the newest preview. */
  previewFrame?: number
}

/** New files, and the progress that they contain; null: none. */
interface New {
  files: SwapFile[]
  saved: NonNullable<Report['saved']> | null
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
  /** As the database lists them. */
  readonly #listed: Map<string, SwapFile>
  /** Files that were uploaded or fetched, with their versions: stamps, or digests of segments. */
  readonly #known = new Map<string, { version: string; file: SwapFile }>()
  /** Uploads among the inputs: their names in the storage. */
  readonly #uploaded = new Map<string, string>()
  /** The progress that was listed. */
  #savedMs: number
  /** Frames of the listed previews. */
  #previews: readonly number[] = []
  /** When the newest preview was listed (`performance.now()`). */
  #previewAt = -Infinity

  /** False: no other worker continues this work, so it stays in its folder. */
  readonly #isShared: boolean

  /**
   * @param folder contains `input`, `work` and `out`
   * @param listIn lists files that were uploaded, together with the progress that they contain
   */
  constructor(
    private readonly deps: Pick<LeasedSwapDeps, 'storage' | 'queue' | 'previewMs'>,
    private readonly lease: Lease,
    folder: string,
    private readonly listIn: (listing: Listing) => Promise<void>,
  ) {
    this.#isShared = deps.queue.isShared
    this.work = join(folder, 'work')
    this.#inputs = join(folder, 'input')
    this.#out = join(folder, 'out')
    this.#savedMs = lease.job.saved?.savedMs ?? 0
    this.#listed = new Map(lease.files.map((file) => [file.name, file]))
  }

  get hasFootageCover(): boolean {
    return this.#listed.has(footageCover)
  }

  /** The version that is listed; null: unknown. */
  #versionOf(name: string): string | null {
    const known = this.#known.get(name)
    return known && this.#listed.get(name)?.blob === known.file.blob ? known.version : null
  }

  /** Uploads a file unless it is stored. The file must never change again. @throws StorageUnavailable */
  async #put(name: string, version: string, path: string, options: TakeOptions): Promise<SwapFile> {
    const known = this.#known.get(name)
    if (known?.version === version) return known.file
    const file = await storeFile(this.deps.storage, name, path, options).catch((error: unknown) => {
      throw new StorageUnavailable('a file could not be stored', { cause: error })
    })
    this.#known.set(name, { version, file })
    return file
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
    return this.#put(name, version, path, options).finally(() => removeFile(path))
  }

  #putCopy(name: string, version: string, path: string, options: TakeOptions): Promise<SwapFile> {
    return this.#putNew(name, version, options, (copy) => copyFile(path, copy))
  }

  async #list(listing: Listing): Promise<void> {
    await this.listIn(listing)
    for (const name of listing.gone) {
      this.#listed.delete(name)
      this.#known.delete(name)
    }
    for (const file of listing.files) this.#listed.set(file.name, file)
  }

  /** Fetches a file unless it exists here. False: not stored, or damaged. @throws StorageUnavailable */
  async #fetch(blob: string, path: string, signal: AbortSignal): Promise<boolean> {
    if (await exists(path)) return true
    try {
      return await this.deps.storage.fetch(blob, path, signal)
    } catch (error) {
      const code = error instanceof MienError ? error.code : null
      if (code === 'storage-damaged') return false
      if (signal.aborted || code === 'disk-full' || isDiskFull(error)) throw error
      throw new StorageUnavailable('a file could not be fetched', { cause: error })
    }
  }

  /** Fetches the work of earlier leases. @throws StorageUnavailable */
  async fetchWork(signal: AbortSignal): Promise<void> {
    if (!this.#isShared) return
    for (const { name, blob } of this.#listed.values())
      if (name.startsWith(workPrefix)) await this.#fetch(blob, this.#pathOf(name), signal)
    for (let index = 0; ; index += 1) {
      const segment = await readSegment(this.work, index)
      if (!segment || !(await exists(join(this.work, segmentName(index, 'bin'))))) return
      for (const name of namesOf(index)) {
        const file = this.#listed.get(name)
        if (file) this.#known.set(name, { version: segment.digest, file })
      }
    }
  }

  #pathOf(name: string): string {
    return name.startsWith(inputPrefix)
      ? join(this.#inputs, name.slice(inputPrefix.length))
      : join(this.work, name.slice(workPrefix.length))
  }

  /** Fetches an upload to `path`. @throws StorageUnavailable, MienError `file-missing` */
  async upload(id: string, path: string, signal: AbortSignal): Promise<string> {
    const blob = this.lease.uploads.get(id)
    const stored = blob === undefined || this.#isShared ? null : this.deps.storage.pathOf(blob)
    if (stored !== null && (await exists(stored))) return stored
    if (blob === undefined || !(await this.#fetch(blob, path, signal))) throw new MienError('file-missing')
    this.#uploaded.set(basename(path), blob)
    return path
  }

  /** Sets each input's modification time from its content, because the engine only resumes if it is unchanged. */
  async settleInputs(): Promise<void> {
    if (!this.#isShared) return
    for (const name of await readdir(this.#inputs)) {
      const path = join(this.#inputs, name)
      const seconds = Number.parseInt((this.#uploaded.get(name) ?? (await sha256Of(path))).slice(0, 7), 16)
      await utimes(path, seconds, seconds)
    }
  }

  /** Stores inputs from the web, because their addresses may stop working before another worker continues. */
  async storeInputs(signal: AbortSignal): Promise<void> {
    const files: SwapFile[] = []
    for (const name of this.#isShared ? await readdir(this.#inputs) : [])
      if (!this.#uploaded.has(name) && !this.#listed.has(inputPrefix + name))
        files.push(await this.#put(inputPrefix + name, '', join(this.#inputs, name), { sync: true, signal }))
    if (files.length > 0) await this.#list({ files, gone: [] })
  }

  /** Stores new segments with the cover, and previews. @throws StorageUnavailable; errors of `list` */
  async storeWork(progress: EngineProgress | null, signal: AbortSignal): Promise<void> {
    const { files, saved } = await (this.#isShared ? this.#newSegments(progress, signal) : this.#newWork(progress))
    const preview = await this.#newPreview(progress, signal)
    files.push(...(preview?.files ?? []))
    if (files.length === 0 && !saved) return
    const previews = preview ? [...this.#previews, preview.frame].slice(-keptPreviews) : this.#previews
    const gone = this.#previews.filter((frame) => !previews.includes(frame)).flatMap(previewNames)
    await this.#list({ files, gone, ...(saved && { saved }), ...(preview && { previewFrame: preview.frame }) })
    if (saved) this.#savedMs = saved.savedMs
    if (preview) this.#previewAt = performance.now()
    this.#previews = previews
  }

  /** The progress of work that stays in its folder. */
  #newWork(progress: EngineProgress | null): New {
    if (!progress || progress.savedMs <= this.#savedMs) return { files: [], saved: null }
    const { framesDone: frames, framesTotal, savedMs } = progress
    return { files: [], saved: { frames, framesTotal, savedMs } }
  }

  /** Uploads segments that aren't stored yet: all of them, if the engine has started over. */
  async #newSegments(progress: EngineProgress | null, signal: AbortSignal): Promise<New> {
    let count = 0
    while (namesOf(count).every((name) => this.#versionOf(name) !== null)) count += 1
    const isSame =
      count > 0 && (await readSegment(this.work, count - 1))?.digest === this.#versionOf(namesOf(count - 1)[1])
    const files: SwapFile[] = []
    let saved: New['saved'] = null
    for (let index = isSame ? count : 0; ; index += 1) {
      const segment = await readSegment(this.work, index)
      if (!segment) break
      const { digest, text, frames, savedMs } = segment
      const [bin, json] = namesOf(index)
      if (this.#versionOf(bin) === digest && this.#versionOf(json) === digest) continue
      const packets = await readPackets(this.work, index, segment)
      if (!packets) break
      const put = (name: string, data: Buffer | string): Promise<SwapFile> =>
        this.#putNew(name, digest, { sync: true, signal }, (path) => writeFile(path, data))
      files.push(await put(bin, packets), await put(json, text))
      saved = { frames, savedMs, framesTotal: progress?.framesTotal ?? null }
    }
    // Checkpoints include the cover and its faces.
    for (const name of saved ? await readdir(this.work) : []) {
      if (!coverName.test(name)) continue
      const path = join(this.work, name)
      const version = await stampOf(path)
      if (this.#versionOf(workPrefix + name) !== version)
        files.push(await this.#putCopy(workPrefix + name, version, path, { sync: true, signal }))
    }
    return { files, saved }
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
    const put = (name: string, path: string) => this.#putCopy(name, '', path, { sync: false, signal })
    const [beforeName, afterName] = previewNames(frame)
    const files = [await put(beforeName, before), await put(afterName, after)]
    if (!this.hasFootageCover) files.push(await put(footageCover, before))
    return { frame, files }
  }

  /** Uploads a file of the result; null: the engine didn't create it. @throws StorageUnavailable */
  async putResult(name: string, signal: AbortSignal): Promise<SwapFile | null> {
    const path = join(this.work, basename(name))
    if (!(await exists(path))) return null
    // Pictures beside a result of this computer can be lost: the result is downloaded at once.
    const sync = this.#isShared || name.startsWith('result/output.')
    return this.#put(name, await stampOf(path), path, { sync, signal })
  }
}

/** Names of files that a result may have. */
export const resultNames: readonly string[] = [...resultFiles.values()].filter((name) => name.startsWith('result/'))

const namesOf = (index: number): [bin: string, json: string] => [
  workPrefix + segmentName(index, 'bin'),
  workPrefix + segmentName(index, 'json'),
]

const previewNames = (frame: number): [before: string, after: string] => [
  `before-${String(frame)}.jpg`,
  `after-${String(frame)}.jpg`,
]
