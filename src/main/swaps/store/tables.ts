/** @file Tables of the library beside its swaps: what is on its way, what has to be ended, what was learned. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { z } from 'zod'
import { clipSchema } from '@shared/people/people.ts'
import { withRelaxedSync, named, putRow } from '../../machine/disk/sqlite.ts'
import type { UploadNote } from '../../remote/client/service-client.ts'
import type { UnneededJob } from '../rules/links.ts'

class Table {
  constructor(protected readonly db: DatabaseSync) {}

  protected readonly prepare = (sql: string): StatementSync => this.db.prepare(sql)
}

const begunRow = z.object({ uploadId: z.string(), sizeBytes: z.number(), modifiedMs: z.number() })

/** Uploads in chunks to services, by file, so that they continue after a restart and serve later swaps too. */
export class BegunUploads extends Table {
  /** The note of a file at a service. */
  note(profileId: string, mediaId: string): UploadNote {
    const where = 'begun_uploads WHERE profile_id = ? AND media_id = ?'
    return {
      get: () => {
        const row = this.prepare(`SELECT * FROM ${where}`).get(profileId, mediaId)
        if (!row) return null
        const { uploadId: id, ...file } = begunRow.parse(named(row))
        return { id, ...file }
      },
      set: (begun) => {
        withRelaxedSync(this.db, () => {
          if (begun === null) this.prepare(`DELETE FROM ${where}`).run(profileId, mediaId)
          else {
            const { id: uploadId, sizeBytes, modifiedMs } = begun
            const row = { profileId, mediaId, uploadId, sizeBytes, modifiedMs }
            putRow(this.prepare, 'begun_uploads', row, ['profileId', 'mediaId'])
          }
        })
      },
    }
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

/**
 * The clips of the people in a swap's video, as they were when it was submitted. Apart from the swap, which is parsed
 * often: an hour of one person has 9,000 places.
 */
export class CastClips extends Table {
  put(taskId: string, stored: StoredClips): void {
    this.prepare('INSERT INTO task_casts (task_id, clips) VALUES (?, ?)').run(taskId, JSON.stringify(stored))
  }

  /** Empty for a swap without a cast. */
  get(taskId: string): StoredClips {
    const stored = this.prepare('SELECT clips FROM task_casts WHERE task_id = ?').get(taskId)?.['clips']
    return typeof stored === 'string' ? storedClips.parse(JSON.parse(stored)) : { cast: {}, stay: [] }
  }
}

const fetchRecord = z.object({
  taskId: z.string(),
  /** Partial download, in the result's folder. */
  part: z.string(),
  /** Final path; set right before the file is moved there. */
  path: z.string().nullable(),
})
export type FetchRecord = z.infer<typeof fetchRecord>

/**
 * Files of results on their way into the user's folder, recorded before they are touched. A record stays until the
 * result is kept and its leftovers are removed, so that each start can finish what a quit or a crash interrupted.
 */
export class FetchRecords extends Table {
  all(): FetchRecord[] {
    return this.prepare('SELECT * FROM fetches')
      .all()
      .map((row) => fetchRecord.parse(named(row)))
  }

  get(taskId: string): FetchRecord | null {
    const row = this.prepare('SELECT * FROM fetches WHERE task_id = ?').get(taskId)
    return row ? fetchRecord.parse(named(row)) : null
  }

  put({ taskId, part, path }: FetchRecord): void {
    putRow(this.prepare, 'fetches', { taskId, part, path }, ['taskId'])
  }

  delete(taskId: string): void {
    this.prepare('DELETE FROM fetches WHERE task_id = ?').run(taskId)
  }
}

const jobRow = z.object({
  profileId: z.string(),
  objectId: z.string(),
  endBy: z.enum(['cancel', 'delete']),
  attempts: z.number(),
  notBefore: z.number(),
})

/** A job to end at a service. */
export interface JobToEnd extends UnneededJob, Omit<z.infer<typeof jobRow>, 'endBy'> {}

const jobOf = (row: Record<string, unknown>): JobToEnd => {
  const { endBy: end, ...job } = jobRow.parse(named(row))
  return { ...job, end }
}

/** Jobs that no swap needs any more, until they have ended at their services. */
export class JobsToEnd extends Table {
  /** `delete` is never downgraded to `cancel`. */
  add(profileId: string, { objectId, end }: UnneededJob): void {
    this.prepare(
      `INSERT INTO jobs_to_end (profile_id, object_id, end_by) VALUES (?, ?, ?)
         ON CONFLICT (profile_id, object_id) DO UPDATE SET
           end_by = CASE end_by WHEN 'delete' THEN 'delete' ELSE excluded.end_by END, attempts = 0, not_before = 0`,
    ).run(profileId, objectId, end)
  }

  /** Removes a job, because it has ended or is needed again. */
  remove(profileId: string, objectId: string): void {
    this.prepare('DELETE FROM jobs_to_end WHERE profile_id = ? AND object_id = ?').run(profileId, objectId)
  }

  /** Counts a failed attempt; the next one is at `notBefore` (epoch ms). */
  delay(profileId: string, objectId: string, notBefore: number): void {
    this.prepare(
      'UPDATE jobs_to_end SET attempts = attempts + 1, not_before = ? WHERE profile_id = ? AND object_id = ?',
    ).run(notBefore, profileId, objectId)
  }

  get(profileId: string, objectId: string): JobToEnd | null {
    const sql = 'SELECT * FROM jobs_to_end WHERE profile_id = ? AND object_id = ?'
    const row = this.prepare(sql).get(profileId, objectId)
    return row ? jobOf(row) : null
  }

  /** Soonest first, at most `count`. */
  soonest(count: number): JobToEnd[] {
    return this.prepare('SELECT * FROM jobs_to_end ORDER BY not_before, rowid LIMIT ?').all(count).map(jobOf)
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
export class Timings extends Table {
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
