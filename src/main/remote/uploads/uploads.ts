/**
 * @file Uploads files of swaps to the bucket of their profile's upload target, where services can fetch them. Small
 * files in one piece, large ones in parts; each part is recorded on disk before the next one is sent.
 */
import { randomUUID } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { MienError, toErrorBody, type ErrorBody } from '@shared/errors.ts'
import { Turns } from '@shared/turns.ts'
import type { Task } from '@shared/tasks/task.ts'
import type { UploadCredentials, UploadTarget, UploadTargetView } from '@shared/service/upload-target.ts'
import type { KeyVault } from '../../machine/keychain/key-vault.ts'
import type { TransferOptions } from '../client/transport/http.ts'
import type { Log } from '../../machine/log/log.ts'
import { checkedTarget } from '../../machine/settings/base-url.ts'
import { isForgotten, UploadBucket } from './upload-bucket.ts'
import type { Table } from '../../machine/disk/sqlite.ts'
import type { UploadRow } from './upload-table.ts'

/** S3 allows 10,000 parts of at least 5 MB. */
const usualMinPartBytes = 16 << 20
const maxParts = 9000

/** What swaps need for services that only accept URLs. */
export type Uploads = Pick<BucketUploads, 'has' | 'upload' | 'address' | 'ended' | 'sweep'>

interface UploadsDeps {
  table: Table<UploadRow>
  targets: {
    get: (profileId: string) => UploadTarget | null
    set: (profileId: string, target: UploadTarget | null) => void
    /** Whether the target is set by policy. */
    isLocked: (profileId: string) => boolean
  }
  vault: Pick<KeyVault, 'read' | 'set' | 'clear'>
  fetch: typeof globalThis.fetch
  log: Log
  /** Of large files. Defaults to 16 MiB. */
  minPartBytes?: number | undefined
}

interface LocalFile {
  mediaId: string
  path: string
  name: string
}

const account = (profileId: string): string => `upload-target.${profileId}`

/** Splits `id:secret`. An access key id contains no colon. */
function split(kept: string): { accessKeyId: string; secretAccessKey: string } {
  const at = kept.indexOf(':')
  return { accessKeyId: kept.slice(0, at), secretAccessKey: kept.slice(at + 1) }
}

export class BucketUploads {
  /** By swap: a file must not be deleted and taken for uploaded at once. */
  private readonly turns = new Turns()

  constructor(private readonly deps: UploadsDeps) {}

  /** Whether a profile has an upload target. */
  has(profileId: string): boolean {
    return this.deps.targets.get(profileId) !== null
  }

  async view(profileId: string): Promise<UploadTargetView | null> {
    const target = this.deps.targets.get(profileId)
    if (!target) return null
    const kept = await this.deps.vault.read(account(profileId))
    const view = { target, accessKeyId: kept === null ? null : split(kept).accessKeyId }
    return this.deps.targets.isLocked(profileId) ? { ...view, locked: true } : view
  }

  /** @throws MienError `address-invalid`, `no-keychain` */
  async save(profileId: string, target: UploadTarget, credentials: UploadCredentials | null): Promise<void> {
    const checked = checkedTarget(target)
    if (credentials) {
      const { accessKeyId, secretAccessKey, keep } = credentials
      await this.deps.vault.set(account(profileId), `${accessKeyId}:${secretAccessKey}`, keep)
    }
    this.deps.targets.set(profileId, checked)
  }

  async remove(profileId: string): Promise<void> {
    this.deps.targets.set(profileId, null)
    // Without a keychain, nothing was stored.
    await this.deps.vault.clear(account(profileId)).catch(() => undefined)
  }

  private async bucket(profileId: string): Promise<{ bucket: UploadBucket; target: UploadTarget }> {
    const target = this.deps.targets.get(profileId)
    if (!target) throw new MienError('needs-upload-target')
    const kept = await this.deps.vault.read(account(profileId))
    if (kept === null)
      throw new MienError('upload-refused', { host: new URL(target.endpoint).host, reason: 'credentials' })
    return { bucket: new UploadBucket(target, split(kept), this.deps.fetch), target }
  }

  /** Uploads a small file, downloads it by the URL that a service would get, and deletes it. Null: success. */
  async test(profileId: string): Promise<ErrorBody | null> {
    try {
      const { bucket, target } = await this.bucket(profileId)
      const key = `${target.prefix}mien-test-${randomUUID()}.txt`
      const content = new TextEncoder().encode('Mien tests this upload target.')
      await bucket.put(key, content)
      try {
        const address = await bucket.address(key)
        const { host } = new URL(address)
        const answer = await this.deps.fetch(address, { redirect: 'manual', credentials: 'omit' }).catch(() => null)
        const found = answer?.ok === true && (await answer.text()) === new TextDecoder().decode(content)
        if (!found) throw new MienError('upload-refused', { host, reason: 'unreadable', status: answer?.status ?? 0 })
      } finally {
        await bucket.delete(key)
      }
      return null
    } catch (error) {
      return toErrorBody(error)
    }
  }

  /**
   * Uploads a file, or resumes its upload, and returns the URL for the service.
   * @throws MienError `file-missing`, `upload-refused`, `cancelled`, and transient errors
   */
  upload(task: Pick<Task, 'id' | 'profileId'>, file: LocalFile, options: TransferOptions): Promise<string> {
    return this.turns.run(task.id, () => this.uploadNow(task, file, options))
  }

  private async uploadNow(
    task: Pick<Task, 'id' | 'profileId'>,
    file: LocalFile,
    options: TransferOptions,
  ): Promise<string> {
    const { bucket, target } = await this.bucket(task.profileId)
    const facts = await stat(file.path).catch((cause: unknown) => {
      throw new MienError('file-missing', { name: file.name }, { cause })
    })
    const known = this.deps.table.get(task.id, file.mediaId)
    const same = known?.sizeBytes === facts.size && known.modifiedMs === Math.floor(facts.mtimeMs)
    const row: UploadRow =
      known && same && known.profileId === task.profileId && known.key.startsWith(target.prefix)
        ? known
        : {
            taskId: task.id,
            mediaId: file.mediaId,
            profileId: task.profileId,
            // Must not be guessable, because it may be public, and must not contain the user's file name.
            key: `${target.prefix}${randomUUID()}${extname(file.name)
              .toLowerCase()
              .replace(/[^.a-z0-9]/g, '')}`,
            uploadId: null,
            partBytes: Math.max(this.deps.minPartBytes ?? usualMinPartBytes, Math.ceil(facts.size / maxParts)),
            parts: [],
            sizeBytes: facts.size,
            modifiedMs: Math.floor(facts.mtimeMs),
            done: false,
          }
    this.deps.table.put(row)
    if (!row.done) {
      await this.send(bucket, row, file.path, options).catch(async (error: unknown) => {
        if (!isForgotten(error)) throw error
        // Storages delete unfinished multipart uploads after some days, so start over.
        await this.send(bucket, { ...row, uploadId: null, parts: [] }, file.path, options)
      })
    }
    return bucket.address(row.key)
  }

  /** A fresh URL of an uploaded file, because signed URLs expire; null: not uploaded there. */
  address(task: Pick<Task, 'id' | 'profileId'>, mediaId: string): Promise<string | null> {
    return this.turns.run(task.id, async () => {
      const row = this.deps.table.get(task.id, mediaId)
      if (!row?.done || row.profileId !== task.profileId) return null
      return (await this.bucket(row.profileId)).bucket.address(row.key)
    })
  }

  private async send(bucket: UploadBucket, start: UploadRow, path: string, { signal, onProgress }: TransferOptions) {
    const { table } = this.deps
    const { key, sizeBytes, partBytes } = start
    const file = await open(path, 'r')
    try {
      const piece = async (from: number): Promise<Uint8Array<ArrayBuffer>> => {
        const buffer = new Uint8Array(Math.min(partBytes, sizeBytes - from))
        const { bytesRead } = await file.read(buffer, 0, buffer.length, from)
        if (bytesRead !== buffer.length) throw new MienError('file-changed')
        return buffer
      }
      if (sizeBytes <= partBytes) {
        await bucket.put(key, await piece(0), signal)
        table.put({ ...start, done: true })
        onProgress?.({ bytesDone: sizeBytes, bytesTotal: sizeBytes })
        return
      }
      const uploadId = start.uploadId ?? (await bucket.begin(key, signal))
      let row: UploadRow = { ...start, uploadId }
      table.put(row)
      for (let from = row.parts.length * partBytes; from < sizeBytes; from += partBytes) {
        onProgress?.({ bytesDone: from, bytesTotal: sizeBytes })
        const part = await bucket.putPart(key, uploadId, row.parts.length + 1, await piece(from), signal)
        row = { ...row, parts: [...row.parts, part] }
        table.put(row)
      }
      await bucket.complete(key, uploadId, row.parts, signal)
      table.put({ ...row, uploadId: null, done: true })
      onProgress?.({ bytesDone: sizeBytes, bytesTotal: sizeBytes })
    } finally {
      await file.close()
    }
  }

  /** Cleans up after a swap: aborts unfinished uploads, and deletes files if the user wants that. */
  ended(taskId: string): Promise<void> {
    return this.turns.run(taskId, () => this.cleanUp(taskId))
  }

  private async cleanUp(taskId: string): Promise<void> {
    for (const row of this.deps.table.all('WHERE task_id = ?', taskId)) {
      try {
        const { bucket, target } = await this.bucket(row.profileId)
        if (row.uploadId !== null) await bucket.abort(row.key, row.uploadId)
        else if (target.deleteAfter) {
          // Before the request: without an answer, the file may be gone.
          this.deps.table.put({ ...row, done: false })
          await bucket.delete(row.key)
        }
        this.deps.table.delete(row.taskId, row.mediaId)
      } catch (error) {
        // Keep the row to retry at the next start; without a target there is nothing to retry.
        if (!this.has(row.profileId)) this.deps.table.delete(row.taskId, row.mediaId)
        this.deps.log('Clearing up after an upload failed', error)
      }
    }
  }

  /** At startup: cleans up after swaps that have ended or were deleted. */
  async sweep(isActive: (taskId: string) => boolean): Promise<void> {
    for (const taskId of new Set(this.deps.table.all().map((row) => row.taskId))) {
      if (!isActive(taskId)) await this.ended(taskId)
    }
  }
}
