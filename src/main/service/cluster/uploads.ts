/**
 * @file Resumable uploads. Each chunk is stored as a separate file, so that any server can accept the next one. The
 * server that gets the last chunk joins them.
 */
import { randomUUID } from 'node:crypto'
import { MienError } from '@shared/errors.ts'
import type { Asset, ClusterFiles } from './cluster-files.ts'
import type { Database, Row, Sql } from './database/database.ts'
import { drop } from './dropped-blobs.ts'
import { checkBytes, lockCreator, storedBytes } from './creators.ts'
import type { BlobStorage } from './storage/blob-storage.ts'

/** Max bytes of a chunk. */
export const maxChunkBytes = 16 * 2 ** 20

export interface Upload {
  id: string
  name: string
  size: number
  /** Bytes that were stored. If equal to `size`, the chunks are joined or about to be joined. */
  received: number
}

export class Uploads {
  /** Running joins by upload, because a client that lost its connection may ask again meanwhile. */
  readonly #joining = new Map<string, Promise<Asset>>()

  constructor(
    private readonly db: Database,
    private readonly storage: BlobStorage,
    private readonly files: ClusterFiles,
  ) {}

  /** @throws MienError `quota-reached` */
  begin(userId: string, name: string, size: number): Promise<Upload> {
    return this.db.transaction(async (sql) => {
      const id = randomUUID()
      const limits = await lockCreator(sql, userId)
      await sql.query(`INSERT INTO uploads (id, user_id, name, size, changed_at) VALUES ($1, $2, $3, $4, now_ms())`, [
        ...[id, userId, name, size],
      ])
      checkBytes(limits, await storedBytes(sql, userId))
      return { id, name, size, received: 0 }
    })
  }

  /** Null: unknown, another user's, or expired. */
  async find(userId: string, id: string): Promise<Upload | null> {
    const [upload] = await this.db.query<Upload>(
      'SELECT id, name, size, received FROM uploads WHERE id = $1 AND user_id = $2',
      [id, userId],
    )
    if (upload) return upload
    const asset = await this.files.asset(userId, id)
    return asset && { id, name: asset.name, size: asset.size, received: asset.size }
  }

  /** Appends a chunk. @returns the next byte; null: `start` isn't the next byte, and nothing is stored */
  async append(userId: string, id: string, start: number, chunks: AsyncIterable<Uint8Array>): Promise<number | null> {
    const { blob, size } = await this.files.store(chunks, null)
    const received = await this.db.transaction(async (sql) => {
      const [row] = await sql.query<Pick<Upload, 'received'>>(
        `UPDATE uploads SET received = received + $4, changed_at = now_ms()
           WHERE id = $1 AND user_id = $2 AND received = $3 AND received + $4 <= size AND $4 > 0 RETURNING received`,
        [id, userId, start, size],
      )
      if (!row) return null
      await sql.query('INSERT INTO upload_chunks (upload_id, start, blob, size) VALUES ($1, $2, $3, $4)', [
        ...[id, start, blob, size],
      ])
      return row.received
    })
    if (received === null) await this.storage.remove(blob)
    return received
  }

  /** Joins the chunks of a complete upload. Safe to repeat, because the asset has the upload's id. */
  finish(userId: string, upload: Upload): Promise<Asset> {
    const { id } = upload
    const joining =
      this.#joining.get(id) ??
      this.#join(userId, upload).finally(() => {
        this.#joining.delete(id)
      })
    this.#joining.set(id, joining)
    return joining
  }

  async #join(userId: string, { id, name, size }: Upload): Promise<Asset> {
    const earlier = await this.files.asset(userId, id)
    if (earlier) return earlier
    const rows = await this.db.query('SELECT blob FROM upload_chunks WHERE upload_id = $1 ORDER BY start', [id])
    const { blob } = await this.files.store(this.#contents(rows), size)
    try {
      return await this.files.add({ id, userId, name, size }, blob, (sql) => remove(sql, id))
    } catch (error) {
      // Another server has joined it.
      const asset = await this.files.asset(userId, id)
      if (asset) return asset
      throw error
    }
  }

  async *#contents(rows: readonly Row[]): AsyncGenerator<Uint8Array> {
    for (const row of rows) {
      const found = await this.storage.read(String(row['blob']))
      if (!found) throw new MienError('not-found')
      yield* found.body
    }
  }
}

/** @throws MienError `not-found`: it was removed in the meantime */
async function remove(sql: Sql, id: string): Promise<void> {
  await drop(sql, await sql.query('DELETE FROM upload_chunks WHERE upload_id = $1 RETURNING blob', [id]))
  const [row] = await sql.query('DELETE FROM uploads WHERE id = $1 RETURNING id', [id])
  if (!row) throw new MienError('not-found')
}
