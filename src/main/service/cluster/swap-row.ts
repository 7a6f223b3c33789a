/** @file A swap's row in the shared tables, for the routes and the workers: changes, and what it is as a job. */
import { jobSchema, wishSchema, type Job, type NewJob } from '../jobs/job.ts'
import { liveSchema, type Live } from '../jobs/task-item.ts'
import { placeColumns, type Place, type Row, type Sql, type Value } from './database/database.ts'

/** JSON of a column; null: empty. */
const json = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : null)

export const toJson = (value: unknown): Value => (value === null ? null : JSON.stringify(value))

/** @param row with `footage` */
export const footageOf = (row: Row): Job['footage'] => jobSchema.shape.footage.parse(json(row['footage']))

/** The columns of `swaps` that `jobOf` and `liveOf` read. */
export const jobColumns = `seq, object_id AS "objectId", user_id AS "userId", status, paused, created_at AS "createdAt",
  updated_at AS "updatedAt", ended_at AS "endedAt", deleted_at AS "deletedAt", footage, saved, live, result, error,
  checked, data`

/** SQL condition: a swap that failed can be resumed, from partial work or because its disk was full. */
export const hasWork = `(saved IS NOT NULL OR error LIKE '%"disk-full"%')`

/** @param row of `swaps`, with `jobColumns` */
export const jobOf = (row: Row): Job =>
  jobSchema.parse({
    ...wishSchema.parse(json(row['data'])),
    ...row,
    paused: row['paused'] === 1,
    footage: json(row['footage']),
    saved: json(row['saved']),
    result: json(row['result']),
    error: json(row['error']),
  })

/** Null: nothing is known yet. */
export const liveOf = (row: Row): Live | null => liveSchema.safeParse(json(row['live'])).data ?? null

export const wishOf = (job: NewJob): string => JSON.stringify(wishSchema.parse(job))

/** Changes a swap if `condition` is true; undefined: it isn't. Values of both begin with `$2`. */
export async function changeSwap(
  sql: Sql,
  objectId: string,
  set: string,
  condition = 'TRUE',
  values: readonly Value[] = [],
): Promise<(Place & { status: string; badResults: number }) | undefined> {
  const [row] = await sql.query<Place & { status: string; badResults: number }>(
    `UPDATE swaps SET ${set} WHERE object_id = $1 AND ${condition}
       RETURNING status, bad_results AS "badResults", ${placeColumns}`,
    [objectId, ...values],
  )
  return row
}
