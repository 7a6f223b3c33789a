/** @file Stores and opens files in the shared storage, for the routes. */
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { removeFile, reserveBytes, type FreeBytes } from '../../machine/disk/files.ts'
import { saveStream } from '../../machine/transfer/save-stream.ts'
import { previewName, resultFiles } from '../jobs/job.ts'
import type { Database, Sql } from './database/database.ts'
import { checkBytes, limitsOf, lockCreator, storedBytes } from './creators.ts'
import { blobName, hashed, type BlobStorage } from './storage/blob-storage.ts'
import type { SwapFile } from './work-queue.ts'

/** An uploaded file. */
export interface Asset {
  id: string
  userId: string
  name: string
  size: number
}

/** A file to serve. Its content never changes. */
export interface StoredFile {
  size: number
  /** With its quotes. */
  etag: string
  /** @param end inclusive */
  open(start: number, end: number): Promise<ReadableStream>
}

export interface ClusterFilesDeps {
  db: Database
  storage: BlobStorage
  /** This server's folder for uploads before they are in the storage. */
  tempDir: string
  /** Free bytes on the disk of `tempDir`. */
  freeBytes: FreeBytes
}

export class ClusterFiles {
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
    const { blob, size } = await this.store(counted(), expected)
    return this.add({ id: randomUUID(), userId, name, size }, blob)
  }

  /**
   * Stores a stream.
   * @throws MienError `request-refused` if the length isn't `expected`; as `saveStream` and `BlobStorage.put`
   */
  async store(chunks: AsyncIterable<Uint8Array>, expected: number | null): Promise<{ blob: string; size: number }> {
    const { tempDir, freeBytes } = this.deps
    const path = join(tempDir, randomUUID())
    const hash = createHash('sha256')
    try {
      const size = await saveStream(hashed(chunks, hash), path, {
        total: expected,
        reserveBytes,
        freeBytes,
        sync: false,
      })
      if (expected !== null && size !== expected) throw new MienError('request-refused')
      const blob = blobName(hash.digest('hex'))
      await this.deps.storage.take(blob, path, { sync: true })
      return { blob, size }
    } finally {
      await removeFile(path)
    }
  }

  /** Adds the row of a stored file, or removes the file if that fails. @param more runs in the same transaction */
  async add(asset: Asset, blob: string, more?: (sql: Sql) => Promise<void>): Promise<Asset> {
    const { db, storage } = this.deps
    try {
      await db.transaction(async (sql) => {
        const limits = await lockCreator(sql, asset.userId)
        await more?.(sql)
        await sql.query(
          `INSERT INTO assets (id, user_id, name, blob, size, created_at) VALUES ($1, $2, $3, $4, $5, now_ms())`,
          [asset.id, asset.userId, asset.name, blob, asset.size],
        )
        checkBytes(limits, await storedBytes(sql, asset.userId))
      })
    } catch (error) {
      // If the connection was lost, the row may exist, so keep the file. Housekeeping removes a file without a row.
      if (error instanceof MienError) await storage.remove(blob)
      throw error
    }
    return asset
  }

  /** Null: unknown, or of another user. */
  async asset(userId: string, id: string): Promise<(Asset & StoredFile) | null> {
    const [row] = await this.deps.db.query<SwapFile>(
      'SELECT name, blob, size FROM assets WHERE id = $1 AND user_id = $2',
      [id, userId],
    )
    return row ? { id, userId, name: row.name, ...this.#stored(row) } : null
  }

  /**
   * Doesn't serve a result before it was checked.
   * @param name in `/v1/results/<objectId>/`. Null: there is none, or it is of another user.
   */
  async openResult(userId: string, objectId: string, name: string): Promise<StoredFile | null> {
    const path = previewName.test(name) ? name : resultFiles.get(name)
    if (path === undefined) return null
    const [row] = await this.deps.db.query<Omit<SwapFile, 'name'>>(
      `SELECT f.blob, f.size FROM swap_files f JOIN swaps s ON s.object_id = f.object_id
         WHERE f.object_id = $1 AND f.name = $2 AND s.user_id = $3 AND s.deleted_at IS NULL
           AND (f.name NOT LIKE 'result/%' OR s.checked = 1)`,
      [objectId, path, userId],
    )
    return row ? this.#stored(row) : null
  }

  /** Each name stands for one content that never changes, so the name is the ETag. */
  #stored({ blob, size }: Omit<SwapFile, 'name'>): StoredFile {
    return {
      size,
      etag: `"${blob}"`,
      open: async (start, end) => {
        const found = await this.deps.storage.read(blob, { start, end })
        if (!found) throw new MienError('not-found')
        return found.body
      },
    }
  }
}
