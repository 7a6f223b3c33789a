/** @file What swaps can be filtered by, with the number of swaps. Removed swaps don't count. */
import type { DatabaseSync } from 'node:sqlite'
import type { LibraryFacets } from '@shared/tasks/library-view.ts'
import { taskStates } from '@shared/tasks/task-states.ts'

/** Most faces and batches; the newest ones are offered. */
const most = 100

/** Number of swaps for each value in a table of values and swaps, and the newest swap. Few swaps are removed. */
const countOf = (name: string, table: string): string => `
  SELECT ${name}, total - coalesce(removed, 0) AS n, newest
  FROM (SELECT ${name}, count(*) AS total, max(number) AS newest FROM ${table} GROUP BY ${name})
    LEFT JOIN (SELECT ${name}, count(*) AS removed FROM listed INDEXED BY listed_removed CROSS JOIN ${table} USING (number)
      WHERE removed_at IS NOT NULL GROUP BY ${name}) USING (${name})
  WHERE n > 0`

export function facetsOf(db: DatabaseSync): LibraryFacets {
  const all = (sql: string): Record<string, unknown>[] => db.prepare(sql).all()
  const number = (sql: string): number => Number(all(sql)[0]?.['n'])
  const states = all('SELECT state, count(*) AS n FROM listed WHERE removed_at IS NULL GROUP BY state')
  return {
    states: taskStates.flatMap((state) => {
      const row = states.find((each) => each['state'] === state)
      return row ? [{ state, count: Number(row['n']) }] : []
    }),
    tags: all(`SELECT name, n FROM (${countOf('tag', 'tagged')}) JOIN tags USING (tag) ORDER BY text`).map((row) => ({
      name: String(row['name']),
      count: Number(row['n']),
    })),
    faces: all(
      `SELECT key, n, used.face_id, data
       FROM (${countOf('face', 'listed_faces')} ORDER BY newest DESC LIMIT ${String(most)}) AS newest_faces
         JOIN faces ON faces.number = newest_faces.face
         JOIN listed_faces AS used ON used.face = newest_faces.face AND used.number = newest
         JOIN listed ON listed.number = newest
         JOIN tasks ON id = task_id
       ORDER BY newest DESC`,
    ).map((row) => ({ key: String(row['key']), count: Number(row['n']), ...pictureOf(row) })),
    profiles: all('SELECT profile_id, count(*) AS n FROM listed WHERE removed_at IS NULL GROUP BY profile_id').map(
      (row) => ({ profileId: String(row['profile_id']), count: Number(row['n']) }),
    ),
    batches: all(
      `SELECT batches.id, n, at, data ->> '$.title' AS title FROM
         (SELECT batch AS of, count(*) AS n, max(created_at) AS at, min(number) AS first FROM listed INDEXED BY listed_by_batch
          WHERE removed_at IS NULL AND batch IS NOT NULL GROUP BY batch ORDER BY at DESC LIMIT ${String(most)})
         JOIN batches ON batches.number = of JOIN listed ON listed.number = first JOIN tasks ON tasks.id = task_id`,
    ).map((row) => ({
      ...{ id: String(row['id']), title: String(row['title']) },
      ...{ count: Number(row['n']), createdAt: Number(row['at']) },
    })),
    favourites: number('SELECT count(*) AS n FROM listed WHERE favourite = 1 AND removed_at IS NULL'),
    duplicates: number(
      `SELECT coalesce(sum(same), 0) AS n FROM (SELECT count(*) AS same FROM listed INDEXED BY listed_by_same
         WHERE removed_at IS NULL GROUP BY same_key HAVING same > 1)`,
    ),
  }
}

interface Picture {
  id: string
  name: string
  thumbnailId: string
}

/** Name and picture of a face as in a swap. */
function pictureOf({ face_id: id, data }: Record<string, unknown>): { name: string; thumbnailId: string } {
  // Safe: only readable swaps are listed (see listed.ts).
  const { face, cast = [] } = JSON.parse(String(data)) as { face: Picture; cast?: { face: Picture }[] }
  const { name, thumbnailId } = cast.map((each) => each.face).find((each) => each.id === id) ?? face
  return { name, thumbnailId }
}
