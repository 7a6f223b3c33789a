/**
 * @file Sets: the swaps of one batch, listed as one. A set has the title, the time and so the place of its first swap.
 * A batch of which one swap is left is no set.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { LibraryQuery } from '@shared/tasks/library-query.ts'
import type { SetRow } from '@shared/tasks/library-view.ts'
import type { TaskRow } from '@shared/tasks/task-row.ts'
import { joined, sorts, type Found } from './library-query.ts'

const ofSets = 'FROM listed INDEXED BY listed_by_batch WHERE removed_at IS NULL AND batch IS NOT NULL'
/** Pictures of a set. */
const mostShown = 4

export interface SwapSet {
  number: number
  /** The first swap. */
  lead: number
  /** All swaps in the order of the view. */
  members: number[]
}

/** Whether sets are folded. By state, service, length or size, swaps of one set have different places. */
export const isFolded = ({ folded, search, filter, sort, filters = {} }: LibraryQuery): boolean =>
  folded === true &&
  sorts[sort].isFoldable === true &&
  search === '' &&
  filter === 'all' &&
  Object.values(filters).every((each) => each === false || (Array.isArray(each) && each.length === 0))

/** The swaps of a view with the first one of each set, and the sets among them. */
export function findFolded(
  db: DatabaseSync,
  { sort, limit = -1 }: LibraryQuery,
): Found & { sets: Map<number, SwapSet> } {
  const { index, by } = sorts[sort]
  const found = joined(
    db,
    `SELECT number, created_at FROM listed INDEXED BY ${index} WHERE removed_at IS NULL AND number NOT IN (
       SELECT number FROM listed INDEXED BY listed_by_batch
         JOIN (SELECT batch, min(number) AS lead ${ofSets} GROUP BY batch) USING (batch)
       WHERE removed_at IS NULL AND number <> lead)
     ORDER BY ${by} LIMIT ?`,
    [limit],
  )
  const ofPage = 'AND batch IN (SELECT batch FROM listed WHERE number IN (SELECT value FROM json_each(?)))'
  const rows = db
    .prepare(
      `SELECT batch, min(number) AS lead, group_concat(number ORDER BY ${by}) AS members ${ofSets}
       ${limit < 0 ? '' : ofPage} GROUP BY batch HAVING count(*) > 1`,
    )
    .all(...(limit < 0 ? [] : [`[${found.numbers}]`]))
  const sets = rows.map((row) => ({
    number: Number(row['batch']),
    lead: Number(row['lead']),
    members: String(row['members']).split(',').map(Number),
  }))
  return { ...found, sets: new Map(sets.map((set) => [set.lead, set])) }
}

/** The title of each batch, by id: that of its first swap. */
export function setTitles(db: DatabaseSync): Map<string, string> {
  const rows = db
    .prepare(
      `SELECT batches.id, data ->> '$.title' AS title FROM (SELECT batch AS of, min(number) AS first ${ofSets} GROUP BY batch)
       JOIN batches ON batches.number = of JOIN listed ON listed.number = first JOIN tasks ON tasks.id = task_id`,
    )
    .all()
  return new Map(rows.map((row) => [String(row['id']), String(row['title'])]))
}

/** The rows of sets. `rowsOf` reads the rows of swaps, in any order. */
export function setRows(
  db: DatabaseSync,
  numbers: Uint32Array,
  rowsOf: (numbers: readonly number[]) => TaskRow[],
): SetRow[] {
  const wanted = JSON.stringify([...numbers])
  const within = `${ofSets} AND batch IN (SELECT value FROM json_each(?))`
  const sums = db
    .prepare(
      `SELECT batches.id, of_batch.*, data ->> '$.title' AS title, listed.created_at FROM (
         SELECT batch AS of, count(*) AS n, min(number) AS first, max(number) AS last, max(ended_at) AS ended,
           sum(section = 'finished') AS finished, sum(state = 'failed') AS failed, sum(section = 'needs-you') AS asking,
           min(favourite) AS favourite ${within} GROUP BY batch) AS of_batch
       JOIN batches ON batches.number = of JOIN listed ON listed.number = first JOIN tasks ON tasks.id = task_id`,
    )
    .all(wanted)
  const contents = new Map(
    db
      .prepare(
        `SELECT batch, count(DISTINCT data ->> '$.face.id') AS faces, count(DISTINCT data ->> '$.video.id') AS targets
         FROM (SELECT batch, task_id ${within}) JOIN tasks ON tasks.id = task_id GROUP BY batch`,
      )
      .all(wanted)
      .map((row) => [Number(row['batch']), { faceCount: Number(row['faces']), targetCount: Number(row['targets']) }]),
  )
  const firsts = db
    .prepare(
      `SELECT batch, number FROM (SELECT batch, number, row_number() OVER (PARTITION BY batch ORDER BY number) AS at ${within})
       WHERE at <= ${String(mostShown)} ORDER BY number`,
    )
    .all(wanted)
  const needed = [...firsts.map((row) => Number(row['number'])), ...sums.map((row) => Number(row['last']))]
  const rows = new Map(rowsOf([...new Set(needed)]).map((row) => [row.number, row]))
  return sums.map((sum) => {
    const shown = firsts.flatMap((row) => (row['batch'] === sum['of'] ? (rows.get(Number(row['number'])) ?? []) : []))
    // The faces of a batch follow each other, so the last swap has another one if there are several.
    const faces = [shown[0], rows.get(Number(sum['last']))].flatMap((row) => row?.face ?? [])
    return {
      ...{ number: Number(sum['of']), id: String(sum['id']), title: String(sum['title']), shown },
      ...{ createdAt: Number(sum['created_at']), endedAt: sum['ended'] === null ? null : Number(sum['ended']) },
      ...(contents.get(Number(sum['of'])) ?? { faceCount: 0, targetCount: 0 }),
      ...{ count: Number(sum['n']), finished: Number(sum['finished']) },
      ...{ failed: Number(sum['failed']), asking: Number(sum['asking']), favourite: sum['favourite'] === 1 },
      faces: faces.filter(({ thumbnailId }, at) => at === 0 || thumbnailId !== faces[0]?.thumbnailId),
    }
  })
}
