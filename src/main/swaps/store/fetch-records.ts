/**
 * @file Files of results on their way into the user's folder, recorded before they are touched. A record stays until
 * the result is kept and its leftovers are removed, so that each start can finish what a quit or a crash interrupted.
 */
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'

const row = z.object({ task_id: z.string(), part: z.string(), path: z.string().nullable() })

export interface FetchRecord {
  taskId: string
  /** Partial download, in the result's folder. */
  part: string
  /** Final path; set right before the file is moved there. */
  path: string | null
}

export class FetchRecords {
  constructor(private readonly db: DatabaseSync) {}

  all(): FetchRecord[] {
    return this.db.prepare('SELECT task_id, part, path FROM fetches').all().map(recordOf)
  }

  get(taskId: string): FetchRecord | null {
    const found = this.db.prepare('SELECT task_id, part, path FROM fetches WHERE task_id = ?').get(taskId)
    return found ? recordOf(found) : null
  }

  put({ taskId, part, path }: FetchRecord): void {
    this.db
      .prepare(
        `INSERT INTO fetches (task_id, part, path) VALUES (?, ?, ?)
         ON CONFLICT (task_id) DO UPDATE SET part = excluded.part, path = excluded.path`,
      )
      .run(taskId, part, path)
  }

  delete(taskId: string): void {
    this.db.prepare('DELETE FROM fetches WHERE task_id = ?').run(taskId)
  }
}

function recordOf(value: unknown): FetchRecord {
  const { task_id: taskId, part, path } = row.parse(value)
  return { taskId, part, path }
}
