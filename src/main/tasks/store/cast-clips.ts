/**
 * @file The clips of the people whom a swap replaces, as they were when it was submitted. Apart from the swap, which is
 * parsed often: an hour of one person has 9,000 places.
 */
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { clipSchema, type Clip } from '@shared/people.ts'

/** By person id. */
export type ClipsByPerson = Record<string, Clip[]>
const clipsByPerson = z.record(z.string(), z.array(clipSchema))

export class CastClips {
  constructor(private readonly db: DatabaseSync) {}

  put(taskId: string, clips: ClipsByPerson): void {
    this.db.prepare('INSERT INTO task_casts (task_id, clips) VALUES (?, ?)').run(taskId, JSON.stringify(clips))
  }

  /** Empty for a swap without a cast. */
  get(taskId: string): ClipsByPerson {
    const clips = this.db.prepare('SELECT clips FROM task_casts WHERE task_id = ?').get(taskId)?.['clips']
    return typeof clips === 'string' ? clipsByPerson.parse(JSON.parse(clips)) : {}
  }
}
