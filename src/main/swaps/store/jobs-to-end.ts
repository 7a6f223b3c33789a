/** @file Jobs that no swap needs any more, until they have ended at their services. */
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { UnneededJob } from '../rules/links.ts'

/** A job to end at a service. */
export interface JobToEnd extends UnneededJob {
  profileId: string
  attempts: number
  notBefore: number
}

const jobRow = z.object({
  profile_id: z.string(),
  object_id: z.string(),
  end_by: z.enum(['cancel', 'delete']),
  attempts: z.number(),
  not_before: z.number(),
})

function jobOf(row: unknown): JobToEnd {
  const { profile_id, object_id, end_by, attempts, not_before } = jobRow.parse(row)
  return { profileId: profile_id, objectId: object_id, end: end_by, attempts, notBefore: not_before }
}

export class JobsToEnd {
  constructor(private readonly db: DatabaseSync) {}

  /** `delete` is never downgraded to `cancel`. */
  add(profileId: string, { objectId, end }: UnneededJob): void {
    this.db
      .prepare(
        `INSERT INTO jobs_to_end (profile_id, object_id, end_by) VALUES (?, ?, ?)
         ON CONFLICT (profile_id, object_id) DO UPDATE SET
           end_by = CASE end_by WHEN 'delete' THEN 'delete' ELSE excluded.end_by END, attempts = 0, not_before = 0`,
      )
      .run(profileId, objectId, end)
  }

  /** Removes a job, because it has ended or is needed again. */
  remove(profileId: string, objectId: string): void {
    this.db.prepare('DELETE FROM jobs_to_end WHERE profile_id = ? AND object_id = ?').run(profileId, objectId)
  }

  /** Counts a failed attempt; the next one is at `notBefore` (epoch ms). */
  delay(profileId: string, objectId: string, notBefore: number): void {
    this.db
      .prepare('UPDATE jobs_to_end SET attempts = attempts + 1, not_before = ? WHERE profile_id = ? AND object_id = ?')
      .run(notBefore, profileId, objectId)
  }

  get(profileId: string, objectId: string): JobToEnd | null {
    const row = this.db
      .prepare('SELECT * FROM jobs_to_end WHERE profile_id = ? AND object_id = ?')
      .get(profileId, objectId)
    return row ? jobOf(row) : null
  }

  /** Soonest first, at most `count`. */
  soonest(count: number): JobToEnd[] {
    return this.db.prepare('SELECT * FROM jobs_to_end ORDER BY not_before, rowid LIMIT ?').all(count).map(jobOf)
  }
}
