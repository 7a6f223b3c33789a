/**
 * @file Sort, filter and search columns of swaps: one narrow row per swap (`listed`), so that lists don't parse whole
 * swaps, and a trigram index of their names (`listed_text`, FTS5), maintained by triggers.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { z } from 'zod'
import { sectionOf } from '@shared/task-row.ts'
import { pauseReasons, taskStates } from '@shared/task-states.ts'
import type { Task } from '@shared/task.ts'
import { otherPictures } from '../rules/extras.ts'

const picture = z.object({ id: z.string(), thumbnailId: z.string() })

/** Fields needed for listing. A swap without them cannot be read at all. */
const listable = z.object({
  id: z.string(),
  profileId: z.string(),
  state: z.enum(taskStates),
  pause: z.enum(pauseReasons).nullable(),
  title: z.string(),
  face: picture.extend({ name: z.string() }),
  pictures: z.array(picture).default([]),
  cast: z.array(z.object({ personFaceId: z.string(), face: picture, pictures: z.array(picture) })).default([]),
  video: z.object({ id: z.string(), name: z.string(), coverId: z.string() }),
  result: z.object({ mediaId: z.string() }).nullable(),
  coverId: z.string().nullable(),
  peopleIds: z.array(z.string()),
  createdAt: z.int(),
  endedAt: z.int().nullable(),
})
type Listable = z.infer<typeof listable>

/** Normalises text for search: removes case and accents. */
export const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Sort key with numeric order: "take 2" before "take 10". */
export const titleKey = (title: string): string => fold(title).replace(/\d+/g, (digits) => digits.padStart(16, '0'))

const columns = [
  ...['profile_id', 'state', 'section', 'created_at', 'ended_at', 'title_key', 'text', 'face_id', 'video_id'],
] as const

/** Values of `columns`. */
function valuesOf({ profileId, state, pause, title, face, video, createdAt, endedAt }: Listable) {
  const text = fold(`${title}\n${face.name}\n${video.name}`)
  const section = sectionOf({ state, pause }) ?? ''
  return [profileId, state, section, createdAt, endedAt, titleKey(title), text, face.id, video.id]
}

const insert = `INSERT INTO listed (task_id, ${columns.join(', ')}) VALUES (?, ${columns.map(() => '?').join(', ')})`

const read = `SELECT ${columns.join(', ')} FROM listed WHERE task_id = ?`
const update = `UPDATE listed SET ${columns.map((name) => `${name} = ?`).join(', ')} WHERE task_id = ?`
const addPicture = 'INSERT OR IGNORE INTO task_pictures (task_id, media_id) VALUES (?, ?)'
const use = 'UPDATE media SET used = 1 WHERE id IN (SELECT value FROM json_each(?)) AND used = 0'

/** Inserts or updates a swap's row. Returns false if nothing changed. */
export function list(prepare: (sql: string) => StatementSync, task: Task): boolean {
  const values = valuesOf(task)
  const row = prepare(read).get(task.id)
  if (row && columns.every((name, index) => row[name] === values[index])) return false
  if (row) prepare(update).run(...values, task.id)
  else prepare(insert).run(task.id, ...values)
  if (!row) for (const { id } of otherPictures(task)) prepare(addPicture).run(task.id, id)
  if (!row || task.state === 'kept') prepare(use).run(JSON.stringify(mediaOf(task)))
  return true
}

/** All media that a swap refers to. */
function mediaOf(task: Listable): string[] {
  const { face, video, cast, result, coverId, peopleIds } = task
  const faces = [face, ...otherPictures(task)].flatMap(({ id, thumbnailId }) => [id, thumbnailId])
  const people = [...peopleIds, ...cast.map(({ personFaceId }) => personFaceId)]
  const ids = [...faces, video.id, video.coverId, result?.mediaId, coverId, ...people]
  return ids.filter((id) => id != null)
}

const tables = `
  CREATE TABLE listed (
    number INTEGER PRIMARY KEY,
    task_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    profile_id TEXT NOT NULL,
    state TEXT NOT NULL,
    section TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at INTEGER,
    title_key TEXT NOT NULL,
    text TEXT NOT NULL,
    face_id TEXT NOT NULL,
    video_id TEXT NOT NULL,
    removed_at INTEGER
  ) STRICT;
  CREATE VIRTUAL TABLE listed_text USING fts5(
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
  );
  CREATE TRIGGER listed_inserted AFTER INSERT ON listed BEGIN
    INSERT INTO listed_text (rowid, text) VALUES (new.number, new.text);
  END;
  CREATE TRIGGER listed_updated AFTER UPDATE OF text ON listed WHEN old.text <> new.text BEGIN
    UPDATE listed_text SET text = new.text WHERE rowid = new.number;
  END;
  CREATE TRIGGER listed_deleted AFTER DELETE ON listed BEGIN
    DELETE FROM listed_text WHERE rowid = old.number;
  END;
`

/** Created after the rows, which is faster. The two sort indexes cover all filter columns. */
const indexes = `
  CREATE UNIQUE INDEX listed_by_task ON listed (task_id);
  CREATE INDEX listed_by_state ON listed (state) WHERE removed_at IS NULL;
  CREATE INDEX listed_by_section ON listed (section, ended_at) WHERE removed_at IS NULL;
  CREATE INDEX listed_by_time ON listed (created_at, number, section, profile_id, text) WHERE removed_at IS NULL;
  CREATE INDEX listed_by_title ON listed (title_key, created_at DESC, number, section, profile_id, text)
    WHERE removed_at IS NULL;
  CREATE INDEX listed_by_face ON listed (face_id);
  CREATE INDEX listed_by_video ON listed (video_id);
  CREATE INDEX listed_removed ON listed (removed_at) WHERE removed_at IS NOT NULL;
  CREATE INDEX media_unused ON media (created_at) WHERE used = 0;
  DROP INDEX tasks_by_state;
`

/** Matches media ids anywhere in the text of an unreadable swap. */
const idLike = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

/**
 * Migration: lists every readable swap and marks unused media. From this version `removed_at` of `tasks` is unused;
 * removing changes the narrow row.
 */
export function listAll(db: DatabaseSync): void {
  // 64 MiB: with the default 2 MiB, index pages would be written and read many times.
  db.exec('PRAGMA cache_size = -65536')
  db.exec(tables)
  db.exec('ALTER TABLE media ADD COLUMN used INTEGER NOT NULL DEFAULT 1')
  const add = db.prepare(insert.replace('task_id', 'removed_at, task_id').replace('(?', '(?, ?'))
  const used = new Set<string>()
  for (const row of db.prepare('SELECT data, removed_at FROM tasks ORDER BY rowid').iterate()) {
    const data = String(row['data'])
    const task = readable(data)
    if (task) add.run(row['removed_at'] ?? null, task.id, ...valuesOf(task))
    for (const id of task ? mediaOf(task) : (data.match(idLike) ?? [])) used.add(id)
  }
  db.exec(indexes)
  const unused = db.prepare('UPDATE media SET used = 0 WHERE id = ?')
  for (const row of db.prepare('SELECT id FROM media').all()) {
    const id = String(row['id'])
    if (!used.has(id)) unused.run(id)
  }
  db.exec('PRAGMA cache_size = -2000')
}

function readable(data: string): Listable | null {
  try {
    return listable.safeParse(JSON.parse(data)).data ?? null
  } catch {
    return null
  }
}
