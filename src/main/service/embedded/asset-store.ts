/** @file Uploaded files: streamed to disk; partial and unused ones are removed. */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { MienError } from '@shared/errors.ts'
import { removeFile, replaceFile } from '../../data/busy-files.ts'
import type { Asset } from '../backend.ts'
import { reserveBytes, type FreeBytes } from '../../data/free-bytes.ts'
import { saveStream } from '../../transfer/save-stream.ts'

const dayMs = 86_400_000

export class AssetStore {
  readonly dir: string

  constructor(
    dir: string,
    private readonly db: DatabaseSync,
    private readonly now: () => number,
    private readonly freeBytes: FreeBytes,
  ) {
    this.dir = join(dir, 'assets')
  }

  path(id: string): string {
    return join(this.dir, id)
  }

  /** @param expected length if known; any other length is refused */
  async put(userId: string, name: string, chunks: AsyncIterable<Uint8Array>, expected: number | null): Promise<Asset> {
    await mkdir(this.dir, { recursive: true })
    const id = randomUUID()
    const part = `${this.path(id)}.part`
    try {
      const { freeBytes } = this
      const size = await saveStream(chunks, part, { total: expected, reserveBytes, freeBytes, sync: true })
      if (expected !== null && size !== expected) throw new MienError('request-refused')
      await replaceFile(part, this.path(id))
      this.db
        .prepare('INSERT INTO assets (id, user_id, name, size, created_at) VALUES (?, ?, ?, ?, ?)')
        .run(id, userId, name, size, this.now())
      return { id, userId, name, size }
    } catch (error) {
      await removeFile(part)
      throw error
    }
  }

  get(id: string, userId: string): Asset | null {
    const row = this.db.prepare('SELECT name, size FROM assets WHERE id = ? AND user_id = ?').get(id, userId)
    return row === undefined ? null : { id, userId, name: String(row['name']), size: Number(row['size']) }
  }

  async remove(id: string): Promise<void> {
    await removeFile(this.path(id))
    this.db.prepare('DELETE FROM assets WHERE id = ?').run(id)
  }

  /** Removes unused assets older than a day, unknown files, and partial files. Returns the number of removed assets. */
  async sweep(inUse: ReadonlySet<string>): Promise<number> {
    await mkdir(this.dir, { recursive: true })
    let swept = 0
    const known = new Set<string>()
    for (const row of this.db.prepare('SELECT id, created_at FROM assets').all()) {
      const id = String(row['id'])
      const there = await stat(this.path(id)).catch(() => null)
      if (there && (inUse.has(id) || this.now() - Number(row['created_at']) < dayMs)) known.add(id)
      else if (!inUse.has(id)) {
        await this.remove(id)
        swept++
      }
    }
    for (const name of await readdir(this.dir)) if (!known.has(name)) await removeFile(join(this.dir, name))
    return swept
  }
}
