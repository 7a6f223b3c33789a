/** @file Uploaded files of swaps and their progress, on disk, so that uploads resume after a restart. */
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { booleanColumn, jsonColumn, Table } from '../../machine/disk/sqlite.ts'

const uploadRow = z.object({
  taskId: z.string(),
  mediaId: z.string(),
  profileId: z.string(),
  key: z.string(),
  /** Id of a multipart upload; null if none has started. */
  uploadId: z.string().nullable(),
  partBytes: z.number(),
  parts: jsonColumn(z.array(z.object({ number: z.int(), etag: z.string() }))),
  /** Size and modification time of the file, to detect changes. */
  sizeBytes: z.number(),
  modifiedMs: z.number(),
  /** Upload is complete. */
  done: booleanColumn,
})
export type UploadRow = z.infer<typeof uploadRow>

export const uploadTable = (db: DatabaseSync): Table<UploadRow> =>
  new Table(db, 'uploads', uploadRow, ['taskId', 'mediaId'])
