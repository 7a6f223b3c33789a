/** @file Stores files in a folder, which may be on a disk that several machines share: `<dir>/<2 hex>/<name>`. */
import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { MienError } from '@shared/errors.ts'
import { removeFile, folderName, syncNames } from '../../../machine/disk/files.ts'
import { privateMode } from '../../../machine/disk/data-folder.ts'
import { makeFolder } from '../../../machine/disk/make-folder.ts'
import { saveFailure, onFile } from '../../../machine/disk/disk-errors.ts'
import { bytesOf } from '../../../machine/transfer/copy-hashed.ts'
import { isBlobName, leftoverMs, copyChecked } from './blob-storage.ts'
import type { BlobStorage, Content, TakeOptions } from './blob-storage.ts'
import type { ByteRange } from '../../../machine/transfer/byte-range.ts'

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** Makes a file private, and with `sync` writes it to the disk. */
async function settleFile(path: string, sync: boolean): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.chmod(0o600)
    if (sync) await file.sync()
  } finally {
    await file.close()
  }
}

export class FolderStorage implements BlobStorage {
  /** Folder for files that are being written. Created only by `check`: if it is missing, the disk isn't mounted. */
  private readonly incoming: string

  constructor(private readonly dir: string) {
    this.incoming = join(dir, 'incoming')
  }

  pathOf(name: string): string {
    return join(this.dir, name.slice(0, 2), name)
  }

  async take(name: string, path: string, { sync, signal }: TakeOptions): Promise<void> {
    const target = this.pathOf(name)
    try {
      await this.makeFolder(dirname(target), sync)
      await settleFile(path, sync)
      await link(path, target)
      if (sync) await syncNames(dirname(target))
    } catch {
      // Another disk, or one that has no links.
      await this.put(name, path, signal)
    }
  }

  async put(name: string, path: string, signal?: AbortSignal): Promise<void> {
    const target = this.pathOf(name)
    if (await this.has(name)) return
    await this.writing(this.makeFolder(dirname(target)))
    const { size } = await onFile(stat(path))
    const options = { total: size, temp: join(this.incoming, randomUUID()), sync: true }
    if (!(await this.writing(copyChecked(bytesOf(path, size, signal), name, target, options))))
      throw new MienError('file-changed')
  }

  async has(name: string): Promise<boolean> {
    return (await this.found(stat(this.pathOf(name)))) !== null
  }

  /** Null: the file isn't stored. */
  private found<T>(work: Promise<T>): Promise<T | null> {
    const absent = async (error: unknown): Promise<null> => {
      if (codeOf(error) !== 'ENOENT') throw error
      await stat(this.incoming)
      return null
    }
    return this.reading(work.catch(absent))
  }

  async read(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Content | null> {
    const file = await this.found(open(this.pathOf(name)))
    if (!file) return null
    const { size } = await this.reading(file.stat())
    // The stream closes the file.
    const stream = file.createReadStream({ ...range, ...(signal ? { signal } : {}) })
    return { size, body: Readable.toWeb(stream) as ReadableStream<Uint8Array> } // of buffers
  }

  async fetch(name: string, path: string, signal?: AbortSignal): Promise<boolean> {
    const stored = await this.read(name, undefined, signal)
    if (!stored) return false
    try {
      if (await copyChecked(stored.body, name, path, { total: stored.size })) return true
    } catch (error) {
      if (signal?.aborted) throw new MienError('cancelled')
      throw error instanceof MienError ? error : this.unreachable(error)
    } finally {
      // Closes the file, also if nothing was read from it.
      await stored.body.cancel().catch(() => undefined)
    }
    throw new MienError('storage-damaged', { name })
  }

  async remove(name: string): Promise<void> {
    await this.writing(removeFile(this.pathOf(name)))
  }

  async *list(): AsyncGenerator<{ name: string; storedAt: number }> {
    const names = await this.reading(readdir(this.dir))
    for (const folder of names.filter((name) => /^[0-9a-f]{2}$/.test(name)).sort()) {
      for (const name of (await this.reading(readdir(join(this.dir, folder)))).filter(isBlobName).sort()) {
        const facts = await this.found(stat(this.pathOf(name)))
        if (facts) yield { name, storedAt: facts.mtimeMs }
      }
    }
  }

  async check(): Promise<void> {
    await this.writing(makeFolder(this.dir, { mode: privateMode }))
    await this.writing(this.makeFolder(this.incoming))
    await this.writing(this.tryToWrite())
    await this.reading(readdir(this.dir))
    for (const name of await this.reading(readdir(this.incoming))) {
      const path = join(this.incoming, name)
      const facts = await this.found(stat(path))
      if (facts && facts.mtimeMs < Date.now() - leftoverMs) await this.writing(removeFile(path))
    }
  }

  private async tryToWrite(): Promise<void> {
    const path = join(this.incoming, randomUUID())
    await writeFile(path, Buffer.alloc(65_536), { flag: 'wx', mode: 0o600 }).finally(() => removeFile(path))
  }

  /** Creates a folder in `dir`, which must exist. */
  private async makeFolder(path: string, sync = true): Promise<void> {
    try {
      await mkdir(path, { mode: privateMode })
      if (sync) await syncNames(this.dir)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }

  private unreachable(error: unknown): MienError {
    const details = { folder: folderName(this.dir), reason: codeOf(error) }
    return new MienError('storage-unreachable', details, { cause: error })
  }

  private reading<T>(work: Promise<T>): Promise<T> {
    return work.catch((error: unknown) => {
      throw this.unreachable(error)
    })
  }

  /** Converts errors like `saveFailure`, and adds the folder. */
  private writing<T>(work: Promise<T>): Promise<T> {
    return work.catch(async (thrown: unknown) => {
      const error = await saveFailure(thrown, join(this.dir, 'file'))
      const isOurs = /^(?:folder-|disk-full|save-failed)/.test(error.code)
      if (!isOurs) throw error
      throw new MienError(error.code, { ...error.details, folder: folderName(this.dir) }, { cause: thrown })
    })
  }
}
