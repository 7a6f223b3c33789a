/** @file The stored files of a lease. Every file that the database lists is in the storage. */
import { stat } from 'node:fs/promises'
import { MienError } from '@shared/errors.ts'
import { isDiskFull } from '../../../machine/disk/disk-errors.ts'
import { exists, sha256Of } from '../../../machine/disk/files.ts'
import { blobName, type BlobStorage, type TakeOptions } from '../storage/blob-storage.ts'
import type { SwapFile } from '../work-queue.ts'
import { StorageUnavailable } from './retry.ts'

/** Stores a file that never changes again. @throws as `BlobStorage.put` */
export async function storeFile(
  storage: BlobStorage,
  name: string,
  path: string,
  options: TakeOptions,
): Promise<SwapFile> {
  const file = { name, blob: blobName(await sha256Of(path)), size: (await stat(path)).size }
  await storage.take(file.blob, path, options)
  return file
}

export class StoredFiles {
  /** As the database lists them. */
  readonly listed: Map<string, SwapFile>
  /** Files that were uploaded or fetched, with their versions. */
  readonly #known = new Map<string, { version: string; file: SwapFile }>()

  constructor(
    private readonly storage: BlobStorage,
    listed: readonly SwapFile[],
  ) {
    this.listed = new Map(listed.map((file) => [file.name, file]))
  }

  /** False if this version has to be uploaded or listed. */
  has(name: string, version: string): boolean {
    const known = this.#known.get(name)
    return known?.version === version && this.listed.get(name)?.blob === known.file.blob
  }

  /** Uploads a file unless it is stored. The file must never change again. @throws StorageUnavailable */
  async put(name: string, version: string, path: string, options: TakeOptions): Promise<SwapFile> {
    const known = this.#known.get(name)
    if (known?.version === version) return known.file
    const file = await storeFile(this.storage, name, path, options).catch((error: unknown) => {
      throw new StorageUnavailable('a file could not be stored', { cause: error })
    })
    this.#known.set(name, { version, file })
    return file
  }

  /** Fetches a file unless it exists here. False: not stored, or damaged. @throws StorageUnavailable */
  async fetch(blob: string, path: string, signal: AbortSignal): Promise<boolean> {
    if (await exists(path)) return true
    try {
      return await this.storage.fetch(blob, path, signal)
    } catch (error) {
      const code = error instanceof MienError ? error.code : null
      if (code === 'storage-damaged') return false
      if (signal.aborted || code === 'disk-full' || isDiskFull(error)) throw error
      throw new StorageUnavailable('a file could not be fetched', { cause: error })
    }
  }

  /** Call it when the database lists `files` and no longer lists `gone`. Removes their earlier versions. */
  async listedNow(files: readonly SwapFile[], gone: readonly string[]): Promise<void> {
    const before = [...files.map(({ name }) => name), ...gone].flatMap((name) => this.listed.get(name) ?? [])
    for (const name of gone) {
      this.listed.delete(name)
      this.#known.delete(name)
    }
    for (const file of files) this.listed.set(file.name, file)
    const used = new Set(files.map(({ blob }) => blob))
    for (const { blob } of before) if (!used.has(blob)) await this.#remove(blob)
  }

  /** Failures are ignored, because housekeeping removes unlisted files later. */
  async #remove(blob: string): Promise<void> {
    await this.storage.remove(blob).catch(() => undefined)
  }
}
