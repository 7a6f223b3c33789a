/**
 * @file The clips of the people in a swap's video, as they were when it was submitted. Apart from the swap, which is
 * parsed often: an hour of one person has 9,000 places.
 */
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { clipSchema } from '@shared/people/people.ts'

const clips = z.array(clipSchema)
const storedClips = z.object({
  /** Of the people of the cast, by their id. */
  cast: z.record(z.string(), clips),
  /** Of everybody else. */
  stay: clips,
})
export type StoredClips = z.infer<typeof storedClips>

export class CastClips {
  constructor(private readonly db: DatabaseSync) {}

  put(taskId: string, stored: StoredClips): void {
    this.db.prepare('INSERT INTO task_casts (task_id, clips) VALUES (?, ?)').run(taskId, JSON.stringify(stored))
  }

  /** Empty for a swap without a cast. */
  get(taskId: string): StoredClips {
    const stored = this.db.prepare('SELECT clips FROM task_casts WHERE task_id = ?').get(taskId)?.['clips']
    return typeof stored === 'string' ? storedClips.parse(JSON.parse(stored)) : { cast: {}, stay: [] }
  }
}
