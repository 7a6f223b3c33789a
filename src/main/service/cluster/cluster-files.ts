/**
 * @file Stores and opens files in the shared storage, for the routes. Each chunk of a resumable upload is stored as a
 * separate file, so that any server can accept the next one. The server that gets the last chunk joins them.
 */
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { removeFile, reserveBytes, type FreeBytes } from '../../machine/disk/files.ts'
import type { ByteRange } from '../../machine/transfer/byte-range.ts'
import { saveStream } from '../../machine/transfer/save-stream.ts'
import { previewName, resultFiles } from './job.ts'
import type { Database, Sql } from './database/database.ts'
import { drop, blobName, hashed, type BlobStorage } from './storage/blob-storage.ts'
import { checkBytes, limitsOf, lockCreator, storedBytes } from './creators.ts'
import type { SwapFile } from './work-queue.ts'

export interface Asset {
  id: string
  userId: string
  name: string
  size: number
}

export interface Upload extends Asset {
  /** Bytes that were stored. If equal to `size`, the chunks are joined or about to be joined. */
  received: number
}

/** Max bytes of a chunk. */
export const maxChunkBytes = 16 * 2 ** 20

/** A file to serve. Its content never changes. */
export interface StoredFile {
  size: number
  /** With its quotes. */
  etag: string
  open(range: ByteRange): Promise<ReadableStream>
}

export interface ClusterFilesDeps {
  db: Database
  storage: BlobStorage
  /** This server's folder for uploads before they are in the storage. */
  tempDir: string
  /** Free bytes on the disk of `tempDir`. */
  freeBytes: FreeBytes
}

type Blob = Omit<SwapFile, 'name'>

export class ClusterFiles {
  /** Running joins by upload, because a client that lost its connection may ask again meanwhile. */
  readonly #joining = new Map<string, Promise<Asset>>()

  constructor(private readonly deps: ClusterFilesDeps) {}

  /** @param expected length if known; any other length is refused */
  async put(userId: string, name: string, chunks: AsyncIterable<Uint8Array>, expected: number | null): Promise<Asset> {
    const { db } = this.deps
    const [limits, used] = [await limitsOf(db, userId), await storedBytes(db, userId)]
    checkBytes(limits, used + (expected ?? 0))
    async function* counted(): AsyncGenerator<Uint8Array> {
      let bytes = used
      for await (const chunk of chunks) {
        bytes += chunk.byteLength
        checkBytes(limits, bytes)
        yield chunk
      }
    }
    const { blob, size } = await this.#store(counted(), expected)
    return this.#add({ id: randomUUID(), userId, name, size }, blob)
  }

  /** @throws MienError `request-refused` if the length isn't `expected`; as `saveStream` and `BlobStorage.put` */
  async #store(chunks: AsyncIterable<Uint8Array>, expected: number | null): Promise<Blob> {
    const { tempDir, freeBytes, storage } = this.deps
    const path = join(tempDir, randomUUID())
    const hash = createHash('sha256')
    try {
      const options = { total: expected, reserveBytes, freeBytes, sync: false }
      const size = await saveStream(hashed(chunks, hash), path, options)
      if (expected !== null && size !== expected) throw new MienError('request-refused')
      const blob = blobName(hash.digest('hex'))
      await storage.take(blob, path, { sync: true })
      return { blob, size }
    } finally {
      await removeFile(path)
    }
  }

  /** Adds the row of a stored file, or removes the file if that fails. @param more runs in the same transaction */
  async #add(asset: Asset, blob: string, more?: (sql: Sql) => Promise<void>): Promise<Asset> {
    const { id, userId, name, size } = asset
    try {
      await this.deps.db.transaction(async (sql) => {
        const limits = await lockCreator(sql, userId)
        await more?.(sql)
        await sql.query(
          `INSERT INTO assets (id, user_id, name, blob, size, created_at) VALUES ($1, $2, $3, $4, $5, now_ms())`,
          [id, userId, name, blob, size],
        )
        checkBytes(limits, await storedBytes(sql, userId))
      })
    } catch (error) {
      // If the connection was lost, the row may exist, so keep the file. Housekeeping removes a file without a row.
      if (error instanceof MienError) await this.deps.storage.remove(blob)
      throw error
    }
    return asset
  }

  /** Begins a resumable upload. @returns its id @throws MienError `quota-reached` */
  begin(userId: string, name: string, size: number): Promise<string> {
    return this.deps.db.transaction(async (sql) => {
      const id = randomUUID()
      const limits = await lockCreator(sql, userId)
      const row = [id, userId, name, size]
      await sql.query(
        'INSERT INTO uploads (id, user_id, name, size, changed_at) VALUES ($1, $2, $3, $4, now_ms())',
        row,
      )
      checkBytes(limits, await storedBytes(sql, userId))
      return id
    })
  }

  /** A resumable upload; null: unknown, another user's, or expired. */
  async findUpload(userId: string, id: string): Promise<Upload | null> {
    const [upload] = await this.deps.db.query<Upload>(
      'SELECT id, user_id AS "userId", name, size, received FROM uploads WHERE id = $1 AND user_id = $2',
      [id, userId],
    )
    const asset = upload ? null : await this.asset(userId, id)
    return upload ?? (asset && { ...asset, received: asset.size })
  }

  /** Appends a chunk. @returns the next byte; null: `start` isn't the next byte, and nothing is stored */
  async append({ id, userId }: Upload, start: number, chunks: AsyncIterable<Uint8Array>): Promise<number | null> {
    const { db, storage } = this.deps
    const { blob, size } = await this.#store(chunks, null)
    const received = await db.transaction(async (sql) => {
      const [row] = await sql.query<Pick<Upload, 'received'>>(
        `UPDATE uploads SET received = received + $4, changed_at = now_ms()
           WHERE id = $1 AND user_id = $2 AND received = $3 AND received + $4 <= size AND $4 > 0 RETURNING received`,
        [id, userId, start, size],
      )
      if (!row) return null
      const chunk = [id, start, blob, size]
      await sql.query('INSERT INTO upload_chunks (upload_id, start, blob, size) VALUES ($1, $2, $3, $4)', chunk)
      return row.received
    })
    if (received === null) await storage.remove(blob)
    return received
  }

  /** Joins the chunks of a complete upload. Safe to repeat, because the asset has the upload's id. */
  finish(upload: Upload): Promise<Asset> {
    const { id } = upload
    const joining = this.#joining.get(id) ?? this.#join(upload).finally(() => this.#joining.delete(id))
    this.#joining.set(id, joining)
    return joining
  }

  async #join({ id, userId, name, size }: Upload): Promise<Asset> {
    const earlier = await this.asset(userId, id)
    if (earlier) return earlier
    const chunks = await this.deps.db.query<Pick<Blob, 'blob'>>(
      'SELECT blob FROM upload_chunks WHERE upload_id = $1 ORDER BY start',
      [id],
    )
    const { blob } = await this.#store(this.#contents(chunks), size)
    try {
      return await this.#add({ id, userId, name, size }, blob, (sql) => removeUpload(sql, id))
    } catch (error) {
      // Another server has joined it.
      const asset = await this.asset(userId, id)
      if (asset) return asset
      throw error
    }
  }

  async *#contents(chunks: readonly Pick<Blob, 'blob'>[]): AsyncGenerator<Uint8Array> {
    for (const { blob } of chunks) yield* await this.#read(blob)
  }

  async #read(blob: string, range?: ByteRange): Promise<ReadableStream<Uint8Array>> {
    const found = await this.deps.storage.read(blob, range)
    if (!found) throw new MienError('not-found')
    return found.body
  }

  /** Null: unknown, or of another user. */
  async asset(userId: string, id: string): Promise<(Asset & StoredFile) | null> {
    const [row] = await this.deps.db.query<SwapFile>(
      'SELECT name, blob, size FROM assets WHERE id = $1 AND user_id = $2',
      [id, userId],
    )
    return row ? { id, userId, name: row.name, ...this.#stored(row) } : null
  }

  /** Null: there is none yet that was checked, or it is of another user. @param name in `/v1/results/<objectId>/` */
  async openResult(userId: string, objectId: string, name: string): Promise<StoredFile | null> {
    const path = previewName.test(name) ? name : resultFiles.get(name)
    if (path === undefined) return null
    const [row] = await this.deps.db.query<Blob>(
      `SELECT f.blob, f.size FROM swap_files f JOIN swaps s ON s.object_id = f.object_id
         WHERE f.object_id = $1 AND f.name = $2 AND s.user_id = $3 AND s.deleted_at IS NULL
           AND (f.name NOT LIKE 'result/%' OR s.checked = 1)`,
      [objectId, path, userId],
    )
    return row ? this.#stored(row) : null
  }

  /** Each name stands for one content that never changes, so the name is the ETag. */
  #stored({ blob, size }: Blob): StoredFile {
    return { size, etag: `"${blob}"`, open: (range) => this.#read(blob, range) }
  }
}

/** @throws MienError `not-found`: it was removed in the meantime */
async function removeUpload(sql: Sql, id: string): Promise<void> {
  await drop(sql, await sql.query('DELETE FROM upload_chunks WHERE upload_id = $1 RETURNING blob', [id]))
  const [row] = await sql.query('DELETE FROM uploads WHERE id = $1 RETURNING id', [id])
  if (!row) throw new MienError('not-found')
}
