/**
 * @file Interface of a cluster's storage, and how both kinds of it write files of this computer. Removes stored files that
 * are no longer used: their names are recorded in the transaction that removes their rows, so that none is left over if the
 * process ends before it removes the files.
 */
import { createHash, randomUUID, type Hash } from 'node:crypto'
import { stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { removeFile, replaceFile, sha256Of, syncNames } from '../../../machine/disk/files.ts'
import { onDisk } from '../../../machine/disk/disk-errors.ts'
import type { ByteRange } from '../../../machine/transfer/byte-range.ts'
import { saveStream } from '../../../machine/transfer/save-stream.ts'
import { listOf, type Database, type Row, type Sql } from '../database/database.ts'

/** Age of leftovers that are removed: far longer than any put takes, and than the difference between two clocks. */
export const leftoverMs = 24 * 3_600_000

/** Format of file names: they begin with the SHA-256 of the content. */
export const isBlobName = (name: string): boolean => /^[0-9a-f]{64}[0-9a-z-]{0,40}$/.test(name)

/** A new name for a stored file: the content's hash and a random part, so that owners never share a file. */
export const blobName = (sha256: string): string => `${sha256}-${randomUUID().slice(-12)}`

/** The SHA-256 in a file's name. */
export const hashOf = (name: string): string => name.slice(0, 64)

/** `size` is that of the whole file. */
export interface Content {
  size: number
  body: ReadableStream<Uint8Array>
}

export interface TakeOptions {
  /** Whether a linked file has to survive a power failure. */
  sync: boolean
  signal?: AbortSignal
}

/**
 * Stores files under names that begin with the SHA-256 of their content (see `blobName`). A stored file never changes.
 * Several processes and machines may use it at the same time.
 *
 * All methods reject with a MienError: `storage-unreachable` (trying again may help), `storage-refused` (`reason`),
 * `disk-full`, `folder-missing`, `folder-read-only`, `save-failed`, `cancelled`.
 */
export interface BlobStorage {
  /** Stores a file of this computer. Safe to repeat. @throws MienError `file-changed`: another hash; as `fileFailure` */
  put(name: string, path: string, signal?: AbortSignal): Promise<void>
  /** Like `put`, for a file that never changes again: on the same disk it is linked instead of copied. */
  take(name: string, path: string, options: TakeOptions): Promise<void>
  /** Path of a stored file, which must not be changed; null: the storage is no folder. */
  pathOf(name: string): string | null
  has(name: string): Promise<boolean>
  /** A part of a file, whose end may be past its end, or all. Null: not stored. Doesn't check the content. */
  read(name: string, range?: ByteRange): Promise<Content | null>
  /**
   * Downloads to a file, which appears only when it is complete. False: it isn't stored.
   * @throws MienError `storage-damaged` if the content's hash is different
   */
  fetch(name: string, path: string, signal?: AbortSignal): Promise<boolean>
  /** Does nothing if the file isn't stored. */
  remove(name: string): Promise<void>
  /** All names, with the time they were stored (epoch ms). */
  list(): AsyncIterable<{ name: string; storedAt: number }>
  /** Call this first. Fails if the storage can't be used. Also removes leftovers of interrupted puts. */
  check(): Promise<void>
}

/** Only the owner may read the files, because they show faces. */
const mode = 0o600

/**
 * Writes a file of this name to `temp`, then renames it to `path`. False: it had another hash, and no file is left.
 * `total`: length in bytes; null: unknown. `sync`: it has to survive a power failure. Errors as of `saveStream`.
 */
export async function copyChecked(
  stream: AsyncIterable<Uint8Array>,
  name: string,
  path: string,
  { total, temp = `${path}.${randomUUID()}`, sync = false }: { total: number | null; temp?: string; sync?: boolean },
): Promise<boolean> {
  const hash = createHash('sha256')
  try {
    await onDisk(writeFile(temp, '', { flag: 'wx', mode }), temp)
    await saveStream(hashed(stream, hash), temp, { total, sync })
    if (hash.digest('hex') !== hashOf(name)) return false
    await onDisk(replaceFile(temp, path), path)
    if (sync) await syncNames(dirname(path))
    return true
  } finally {
    await removeFile(temp)
  }
}

/** Passes a stream on and hashes it. */
export async function* hashed(stream: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    hash.update(chunk)
    yield chunk
  }
}

/** Stores a file that never changes again. @throws as `BlobStorage.put` */
export async function storeFile(
  storage: BlobStorage,
  name: string,
  path: string,
  options: TakeOptions,
): Promise<{ name: string; blob: string; size: number }> {
  const file = { name, blob: blobName(await sha256Of(path)), size: (await stat(path)).size }
  await storage.take(file.blob, path, options)
  return file
}

/** Max files in a statement. */
const batchSize = 500

/** Records the files of removed rows. @returns their names */
export async function drop(sql: Sql, rows: readonly Row[]): Promise<string[]> {
  const blobs = rows.map((row) => String(row['blob']))
  for (let from = 0; from < blobs.length; from += batchSize) {
    const some = blobs.slice(from, from + batchSize)
    const values = some.map((_, at) => `($${String(at + 1)})`).join(', ')
    await sql.query(`INSERT INTO dropped_blobs (blob) VALUES ${values} ON CONFLICT (blob) DO NOTHING`, some)
  }
  return blobs
}

/** Removes recorded files. @param blobs only these; absent: all */
export async function removeDropped(db: Database, storage: BlobStorage, blobs?: readonly string[]): Promise<void> {
  for (;;) {
    const rows = blobs ? [] : await db.query(`SELECT blob FROM dropped_blobs LIMIT ${String(batchSize)}`)
    const names = blobs ?? rows.map((row) => String(row['blob']))
    for (const name of names) await storage.remove(name)
    const done = (sql: Sql): Promise<Row[]> =>
      sql.query(`DELETE FROM dropped_blobs WHERE blob IN (${listOf(names)})`, names)
    if (names.length > 0) await db.transaction(done, { isRecoverable: true })
    if (rows.length < batchSize) return
  }
}
