/**
 * @file Schemas of what the library stores: swaps, whose row has the whole Task as JSON text; and the tables beside them: what
 * is on its way, what has to be ended, what was learned.
 */
import { z } from 'zod'
import { faceOutlineSchema } from '@shared/engine/engine.ts'
import { faceMediaSchema, taskResultSchema, taskSchema, videoMediaSchema } from '@shared/tasks/task.ts'
import type { DatabaseSync } from 'node:sqlite'
import { clipSchema } from '@shared/people/people.ts'
import { jsonColumn, named, preparer, Table, withRelaxedSync } from '../../machine/disk/sqlite.ts'
import type { UploadNote } from '../../remote/client/transport/upload.ts'
import type { UnneededJob } from '../rules/links.ts'
import type { OutboxEntry } from '../rules/outbox-entry.ts'

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue('not JSON')
    return z.NEVER
  }
})
/** A swap from a row's `data`. */
export const storedTask = json.pipe(taskSchema)
/** The part of a swap that a row shows; skips the rest, mostly face outlines. */
export const storedRow = json.pipe(
  taskSchema.extend({
    face: faceMediaSchema.pick({ name: true, thumbnailId: true }),
    video: videoMediaSchema
      .pick({ name: true, durationMs: true, width: true, height: true, coverId: true })
      .extend({ faces: z.array(faceOutlineSchema.pick({ box: true })) }),
    result: taskResultSchema.pick({ folderName: true, sizeBytes: true }).nullable(),
  }),
)

const outboxRow = z.object({
  taskId: z.string(),
  position: z.number(),
  idempotencyKey: z.string(),
  imageUrl: z.string().nullable(),
  videoUrl: z.string().nullable(),
  pictureUrls: jsonColumn(z.array(z.string())).nullable(),
  sentAt: z.number().nullable(),
  attempts: z.number(),
  notBefore: z.number(),
})
/** What is still to be sent. */
export const outboxTable = (db: DatabaseSync): Table<OutboxEntry> => new Table(db, 'outbox', outboxRow, ['taskId'])

const begunRow = z.object({
  profileId: z.string(),
  mediaId: z.string(),
  uploadId: z.string(),
  sizeBytes: z.number(),
  modifiedMs: z.number(),
})

/**
 * The note of an upload in chunks of a file to a service, so that it continues after a restart and serves later swaps
 * too.
 */
export function uploadNote(db: DatabaseSync, profileId: string, mediaId: string): UploadNote {
  const table = new Table(db, 'begun_uploads', begunRow, ['profileId', 'mediaId'])
  return {
    get: () => {
      const row = table.get(profileId, mediaId)
      return row && { ...row, id: row.uploadId }
    },
    set: (begun) => {
      withRelaxedSync(db, () => {
        if (begun === null) table.delete(profileId, mediaId)
        else table.put({ ...begun, profileId, mediaId, uploadId: begun.id })
      })
    },
  }
}

const clips = z.array(clipSchema)
const storedClips = z.object({
  /** Of the people of the cast, by their id. */
  cast: z.record(z.string(), clips),
  /** Of everybody else. */
  stay: clips,
})
export type StoredClips = z.infer<typeof storedClips>

const castRow = z.object({ taskId: z.string(), clips: jsonColumn(storedClips) })
/**
 * The clips of the people in a swap's video, as they were when it was submitted. Apart from the swap, which is parsed
 * often: an hour of one person has 9,000 places.
 */
export const castTable = (db: DatabaseSync): Table<z.infer<typeof castRow>> =>
  new Table(db, 'task_casts', castRow, ['taskId'])

const fetchRow = z.object({
  taskId: z.string(),
  /** Partial download, in the result's folder. */
  part: z.string(),
  /** Final path; set right before the file is moved there. */
  path: z.string().nullable(),
})
/**
 * Files of results on their way into the user's folder, recorded before they are touched. A record stays until the
 * result is kept and its leftovers are removed, so that each start can finish what a quit or a crash interrupted.
 */
export const fetchTable = (db: DatabaseSync): Table<z.infer<typeof fetchRow>> =>
  new Table(db, 'fetches', fetchRow, ['taskId'])

const jobRow = z.object({
  profileId: z.string(),
  objectId: z.string(),
  endBy: z.enum(['cancel', 'delete']),
  attempts: z.number(),
  notBefore: z.number(),
})
export type JobToEnd = z.infer<typeof jobRow>

/** Jobs that no swap needs any more, until they have ended at their services. */
export class JobsToEnd extends Table<JobToEnd> {
  constructor(db: DatabaseSync) {
    super(db, 'jobs_to_end', jobRow, ['profileId', 'objectId'])
  }

  /** `delete` is never downgraded to `cancel`. */
  add(profileId: string, { objectId, endBy }: UnneededJob): void {
    const isDeleted = this.get(profileId, objectId)?.endBy === 'delete'
    this.put({ profileId, objectId, endBy: isDeleted ? 'delete' : endBy, attempts: 0, notBefore: 0 })
  }

  /** Soonest first, at most `count`. */
  soonest(count: number): JobToEnd[] {
    return this.all('ORDER BY not_before, rowid LIMIT ?', count)
  }
}

const timing = z.object({
  frames: z.number().nullable(),
  videoMs: z.number(),
  pixels: z.number(),
  tookMs: z.number(),
})
/** Duration of a swap from start to finish. */
export type Timing = z.infer<typeof timing>

/** How long finished swaps took, by service. */
export class Timings {
  private readonly prepare: ReturnType<typeof preparer>

  constructor(db: DatabaseSync) {
    this.prepare = preparer(db)
  }

  /** `at`: epoch ms. */
  add(profileId: string, { frames, videoMs, pixels, tookMs }: Timing, at: number): void {
    this.prepare(
      'INSERT INTO timings (profile_id, frames, video_ms, pixels, took_ms, at) VALUES (?, ?, ?, ?, ?, ?)',
    ).run(profileId, frames, videoMs, pixels, tookMs, at)
  }

  /** Newest first, at most `count`, of the 24 hours before the newest: older ones may be of other circumstances. */
  newest(profileId: string, count: number): Timing[] {
    const rows = this.prepare(
      `SELECT * FROM timings WHERE profile_id = ?1
         AND at > (SELECT MAX(at) FROM timings WHERE profile_id = ?1) - ${String(24 * 3_600_000)} ORDER BY at DESC LIMIT ?2`,
    )
    return rows.all(profileId, count).map((row) => timing.parse(named(row)))
  }
}
