/** @file Stores files in an S3-compatible bucket: `<prefix><2 hex>/<name>`, as in a folder. */
import { createHash, randomUUID } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { arrayBuffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { MienError } from '@shared/errors.ts'
import { onFile } from '../../../machine/disk/disk-errors.ts'
import { refusalReason } from '../../../remote/s3/answers.ts'
import {
  S3Bucket,
  type NameFailure,
  type Part,
  type S3Credentials,
  type S3Place,
} from '../../../remote/s3/s3-bucket.ts'
import { hashOf, isBlobName, leftoverMs, copyChecked } from './blob-storage.ts'
import type { BlobStorage, Content, TakeOptions } from './blob-storage.ts'
import type { ByteRange } from '../../../machine/transfer/byte-range.ts'

/** Larger files are sent in parts of this size, so that a put needs little memory. S3 allows 10,000 parts. */
const minPartBytes = 16 << 20
const maxParts = 9000

/** Delays between tries, about 10 s in total. */
const retryPausesMs: readonly number[] = [200, 800, 2500, 6000]

const fullCodes = /StorageFull|QuotaExceeded|InsufficientStorage|InsufficientCapacity/

const nameFailure: NameFailure = (failure, host) => {
  if ('thrown' in failure) {
    const { thrown } = failure
    if (thrown instanceof MienError) return thrown
    return new MienError('storage-unreachable', { host, reason: systemCode(thrown) }, { cause: thrown })
  }
  const { status, code } = failure
  const details = { host, status, ...(code === '' ? {} : { serviceCode: code }) }
  if (status === 507 || fullCodes.test(code)) return new MienError('disk-full', details)
  // 501: the storage doesn't support this.
  const isTransient = (status >= 500 && status !== 501) || status === 429 || status === 408
  if (isTransient || /^(?:SlowDown|RequestTimeout)$/.test(code)) return new MienError('storage-unreachable', details)
  // The storage compared the content with the hash that was sent.
  if (/^(?:BadDigest|XAmzContentSHA256Mismatch|InvalidDigest)$/.test(code)) return new MienError('file-changed')
  const reason = code === 'AccessDenied' ? 'access' : (refusalReason(failure) ?? 'other')
  return new MienError('storage-refused', { ...details, reason })
}

/** The system's error code of a failed request, such as ECONNREFUSED. */
function systemCode(thrown: unknown): string | null {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ('code' in error && typeof error.code === 'string') return error.code
  }
  return null
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof MienError && (error.code === code || error.details['serviceCode'] === code)

export interface S3StorageOptions extends S3Place {
  /** Prefix of all keys: empty, or ends with a slash. */
  prefix: string
  credentials: S3Credentials
  fetch?: typeof globalThis.fetch
  pausesMs?: readonly number[]
}

export class S3Storage implements BlobStorage {
  private readonly bucket: S3Bucket

  constructor(private readonly options: S3StorageOptions) {
    const { credentials, fetch = globalThis.fetch } = options
    this.bucket = new S3Bucket(options, credentials, fetch, nameFailure)
  }

  private key(name: string): string {
    return `${this.options.prefix}${name.slice(0, 2)}/${name}`
  }

  /** Retries while the storage is unreachable. */
  private async retry<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (const pauseMs of this.options.pausesMs ?? retryPausesMs) {
      try {
        return await work()
      } catch (error) {
        if (!hasCode(error, 'storage-unreachable')) throw error
        // A random delay, so that workers don't all retry at the same time.
        await wait(pauseMs * (0.5 + Math.random()), undefined, signal ? { signal } : {}).catch((cause: unknown) => {
          throw new MienError('cancelled', {}, { cause })
        })
      }
    }
    return work()
  }

  async put(name: string, path: string, signal?: AbortSignal): Promise<void> {
    const key = this.key(name)
    const file = await onFile(open(path))
    try {
      const { size } = await file.stat()
      if (size > minPartBytes) {
        if (await this.retry(() => this.bucket.has(key), signal)) return
        await this.putParts(name, file, size, signal)
      } else {
        // Putting a file twice is safe. Checking first whether it exists would take as long.
        const body = await readPart(file, 0, size)
        await this.retry(() => this.bucket.put(key, body, signal, hashOf(name)), signal)
      }
    } finally {
      await file.close()
    }
  }

  take(name: string, path: string, { signal }: TakeOptions): Promise<void> {
    return this.put(name, path, signal)
  }

  pathOf(): null {
    return null
  }

  private async putParts(name: string, file: FileHandle, size: number, signal?: AbortSignal) {
    const { bucket } = this
    const key = this.key(name)
    const partBytes = Math.max(minPartBytes, Math.ceil(size / maxParts))
    const id = await this.retry(() => bucket.begin(key, signal), signal)
    try {
      const hash = createHash('sha256')
      const parts: Part[] = []
      for (let from = 0; from < size; from += partBytes) {
        const body = await readPart(file, from, Math.min(partBytes, size - from))
        hash.update(body)
        parts.push(await this.retry(() => bucket.putPart(key, id, parts.length + 1, body, signal), signal))
      }
      if (hash.digest('hex') !== hashOf(name)) throw new MienError('file-changed')
      await this.retry(() => bucket.complete(key, id, parts, signal), signal)
    } catch (error) {
      // The upload may have been completed although the answer was lost.
      if (hasCode(error, 'NoSuchUpload') && (await this.has(name))) return
      // If this fails, a later check removes it.
      await bucket.abort(key, id).catch(() => undefined)
      throw error
    }
  }

  async has(name: string): Promise<boolean> {
    return this.retry(() => this.bucket.has(this.key(name)))
  }

  read(name: string, range?: ByteRange): Promise<Content | null> {
    return this.retry(() => this.bucket.get(this.key(name), { range }))
  }

  async fetch(name: string, path: string, signal?: AbortSignal): Promise<boolean> {
    // Each try starts from the beginning.
    const isRight = await this.retry(async () => {
      const stored = await this.bucket.get(this.key(name), { signal })
      return stored && copyChecked(stored.body, name, path, { total: stored.size })
    }, signal)
    if (isRight === false) throw new MienError('storage-damaged', { host: this.bucket.host, name })
    return isRight !== null
  }

  async remove(name: string): Promise<void> {
    await this.retry(() => this.bucket.delete(this.key(name)))
  }

  async *list(): AsyncGenerator<{ name: string; storedAt: number }> {
    let token: string | null = null
    do {
      const page: Awaited<ReturnType<S3Bucket['list']>> = await this.retry(() =>
        this.bucket.list(this.options.prefix, token),
      )
      for (const { key, storedAt } of page.objects) {
        const name = key.slice(key.lastIndexOf('/') + 1)
        // Objects with other names aren't Mien's.
        if (isBlobName(name) && key === this.key(name)) yield { name, storedAt }
      }
      token = page.next
    } while (token !== null)
  }

  /** Writes, lists, reads and deletes an object, each with a few retries. */
  async check(): Promise<void> {
    const { bucket } = this
    const key = `${this.options.prefix}mien-check-${randomUUID()}`
    const content = new TextEncoder().encode('Mien checks this storage.')
    const sha256 = createHash('sha256').update(content).digest('hex')
    await this.retry(() => bucket.put(key, content, undefined, sha256))
    try {
      const { objects } = await this.retry(() => bucket.list(key, null))
      const object = objects.length > 0 ? await this.retry(() => bucket.get(key)) : null
      if (!object || !Buffer.from(await arrayBuffer(object.body)).equals(content))
        throw new MienError('storage-damaged', { host: bucket.host })
    } finally {
      await this.retry(() => bucket.delete(key))
    }
    await this.abortLeftovers()
  }

  private async abortLeftovers(): Promise<void> {
    const uploads = await this.retry(() => this.bucket.uploads(this.options.prefix)).catch((error: unknown) => {
      // Some storages can't list them, but remove them automatically.
      if (hasCode(error, 'NotImplemented')) return []
      throw error
    })
    for (const { key, uploadId, startedAt } of uploads) {
      if (startedAt < Date.now() - leftoverMs) await this.retry(() => this.bucket.abort(key, uploadId))
    }
  }
}

/** @throws MienError `file-changed` if the file is too short; as `fileFailure` */
async function readPart(file: FileHandle, from: number, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes === 0) return new Uint8Array()
  const stream = file.createReadStream({ start: from, end: from + bytes - 1, autoClose: false })
  const read = new Uint8Array(await onFile(arrayBuffer(stream)))
  if (read.byteLength < bytes) throw new MienError('file-changed')
  return read
}
