/** @file Uploaded files of swaps and their progress, on disk, so that uploads resume after a restart. */
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { named, putRow } from '../../machine/disk/sqlite.ts'

const uploadRow = z.object({
  taskId: z.string(),
  mediaId: z.string(),
  profileId: z.string(),
  key: z.string(),
  /** Id of a multipart upload; null if none has started. */
  uploadId: z.string().nullable(),
  partBytes: z.number(),
  parts: z
    .string()
    .transform((text) => z.array(z.object({ number: z.int(), etag: z.string() })).parse(JSON.parse(text))),
  /** Size and modification time of the file, to detect changes. */
  sizeBytes: z.number(),
  modifiedMs: z.number(),
  /** Upload is complete. */
  done: z.number().transform((value) => value === 1),
})
export type UploadRow = z.infer<typeof uploadRow>

const read = (row: Record<string, unknown>): UploadRow => uploadRow.parse(named(row))

export class UploadStore {
  constructor(private readonly db: DatabaseSync) {}

  get(taskId: string, mediaId: string): UploadRow | null {
    const row = this.db.prepare('SELECT * FROM uploads WHERE task_id = ? AND media_id = ?').get(taskId, mediaId)
    return row ? read(row) : null
  }

  all(): UploadRow[] {
    return this.db.prepare('SELECT * FROM uploads').all().map(read)
  }

  ofTask(taskId: string): UploadRow[] {
    return this.db.prepare('SELECT * FROM uploads WHERE task_id = ?').all(taskId).map(read)
  }

  put(row: UploadRow): void {
    const columns = { ...row, parts: JSON.stringify(row.parts), done: Number(row.done) }
    putRow((sql) => this.db.prepare(sql), 'uploads', columns, ['taskId', 'mediaId'])
  }

  remove({ taskId, mediaId }: UploadRow): void {
    this.db.prepare('DELETE FROM uploads WHERE task_id = ? AND media_id = ?').run(taskId, mediaId)
  }
}
