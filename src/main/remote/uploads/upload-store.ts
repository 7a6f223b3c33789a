/** @file Uploaded files of swaps and their progress, on disk, so that uploads resume after a restart. */
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { Part } from '../s3/s3-bucket.ts'

export interface UploadRow {
  taskId: string
  mediaId: string
  profileId: string
  key: string
  /** Id of a multipart upload; null if none has started. */
  uploadId: string | null
  partBytes: number
  parts: Part[]
  /** Size and modification time of the file, to detect changes. */
  sizeBytes: number
  modifiedMs: number
  /** Upload is complete. */
  done: boolean
}

const rowSchema = z.object({
  task_id: z.string(),
  media_id: z.string(),
  profile_id: z.string(),
  key: z.string(),
  upload_id: z.string().nullable(),
  part_bytes: z.number(),
  parts: z.string(),
  size_bytes: z.number(),
  modified_ms: z.number(),
  done: z.number(),
})
const partsSchema = z.array(z.object({ number: z.int(), etag: z.string() }))

const read = (value: unknown): UploadRow => {
  const row = rowSchema.parse(value)
  return {
    taskId: row.task_id,
    mediaId: row.media_id,
    profileId: row.profile_id,
    key: row.key,
    uploadId: row.upload_id,
    partBytes: row.part_bytes,
    parts: partsSchema.parse(JSON.parse(row.parts)),
    sizeBytes: row.size_bytes,
    modifiedMs: row.modified_ms,
    done: row.done === 1,
  }
}

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
    this.db
      .prepare(
        `INSERT OR REPLACE INTO uploads
         (task_id, media_id, profile_id, key, upload_id, part_bytes, parts, size_bytes, modified_ms, done)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        ...[row.taskId, row.mediaId, row.profileId, row.key, row.uploadId, row.partBytes, JSON.stringify(row.parts)],
        ...[row.sizeBytes, row.modifiedMs, row.done ? 1 : 0],
      )
  }

  remove({ taskId, mediaId }: UploadRow): void {
    this.db.prepare('DELETE FROM uploads WHERE task_id = ? AND media_id = ?').run(taskId, mediaId)
  }
}
