/**
 * @file Sort, filter and search columns of swaps: one narrow row per swap (`listed`), so that lists don't parse whole
 * swaps, a trigram index of their names (`listed_text`, FTS5), maintained by triggers, and the faces of swaps.
 */
import { hash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { z } from 'zod'
import { fold } from '@shared/fold.ts'
import { rangeSchema } from '@shared/people/people.ts'
import { defaultOptions, swapOptionsSchema } from '@shared/options/swap-options.ts'
import { parseJson } from '@shared/parse-json.ts'
import { sectionOf } from '@shared/tasks/task-row.ts'
import { pauseReasons, taskStates } from '@shared/tasks/task-states.ts'
import type { Task } from '@shared/tasks/task.ts'
import { preparer } from '../../machine/disk/sqlite.ts'
import { otherPictures } from '../rules/outbox-entry.ts'

const picture = z.object({ id: z.string(), thumbnailId: z.string() })
const number = z.number().nullable().catch(null)
const videoFacts = {
  address: z.string().nullable().catch(null),
  ...{ sizeBytes: number, durationMs: number, width: number, height: number, fps: number },
}

/** Fields needed for listing. A swap without them cannot be read at all. */
const listable = z.object({
  id: z.string(),
  profileId: z.string(),
  state: z.enum(taskStates),
  pause: z.enum(pauseReasons).nullable(),
  title: z.string(),
  face: picture.extend({ name: z.string() }),
  pictures: z.array(picture).default([]),
  cast: z
    .array(
      z.object({
        personId: z.string().catch(''),
        personName: z.string().nullable().catch(null),
        personFaceId: z.string(),
        face: picture.extend({ name: z.string().catch('') }),
        pictures: z.array(picture),
      }),
    )
    .default([]),
  video: z.object({ id: z.string(), name: z.string(), coverId: z.string(), ...videoFacts }),
  options: swapOptionsSchema.catch({ ...defaultOptions, keep: [...defaultOptions.keep] }),
  range: rangeSchema.nullable().catch(null),
  batch: z.object({ id: z.string() }).nullable().catch(null),
  result: z.object({ mediaId: z.string(), sizeBytes: number }).nullable(),
  coverId: z.string().nullable(),
  peopleIds: z.array(z.string()),
  createdAt: z.int(),
  endedAt: z.int().nullable(),
})
type Listable = z.infer<typeof listable>

/** Sort key with numeric order: "take 2" before "take 10". */
export const titleKey = (title: string): string => fold(title).replace(/\d+/g, (digits) => digits.padStart(16, '0'))

/** Columns since version 5 of the library, and since version 8. */
const oldColumns = [
  ...['profile_id', 'state', 'section', 'created_at', 'ended_at', 'title_key', 'text', 'face_id', 'video_id'],
] as const
const columns = [...oldColumns, 'length_ms', 'size_bytes'] as const

/** Values of `columns`. */
function valuesOf({ profileId, state, pause, title, face, cast, video, result, createdAt, endedAt }: Listable) {
  const others = cast.flatMap(({ personName, face: { name } }) => [personName, name].filter((each) => each !== null))
  const text = fold([...new Set([title, face.name, video.name, ...others])].join('\n'))
  const section = sectionOf({ state, pause }) ?? ''
  return [
    ...[profileId, state, section, createdAt, endedAt, titleKey(title), text, face.id, video.id],
    ...[video.durationMs, result?.sizeBytes ?? null],
  ]
}

const insertInto = (names: readonly string[]): string =>
  `INSERT INTO listed (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
const insert = insertInto(['task_id', ...columns])

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
  else {
    prepare(insert).run(task.id, ...values)
    addFixed(prepare, task)
    for (const { id } of otherPictures(task)) prepare(addPicture).run(task.id, id)
  }
  if (!row || task.state === 'kept') prepare(use).run(JSON.stringify(mediaOf(task)))
  return true
}

const contentOf = 'SELECT sha256 FROM media WHERE id = ?'
const addFace = 'INSERT OR IGNORE INTO faces (key) VALUES (?)'
const useFace = `INSERT OR IGNORE INTO listed_faces (face, number, face_id)
  SELECT faces.number, listed.number, ? FROM faces, listed WHERE key = ? AND task_id = ?`
const addBatch = 'INSERT OR IGNORE INTO batches (id) VALUES (?)'
const setFixed = 'UPDATE listed SET same_key = ?, batch = (SELECT number FROM batches WHERE id = ?) WHERE task_id = ?'

/** Adds what never changes: the faces, the batch, and the key that is the same in duplicates. */
function addFixed(prepare: (sql: string) => StatementSync, task: Listable): void {
  const { id, face, cast, batch } = task
  const keyOf = (mediaId: string): string => String(prepare(contentOf).get(mediaId)?.['sha256'] ?? mediaId)
  for (const mediaId of cast.length === 0 ? [face.id] : cast.map((each) => each.face.id)) {
    prepare(addFace).run(keyOf(mediaId))
    prepare(useFace).run(mediaId, keyOf(mediaId), id)
  }
  if (batch) prepare(addBatch).run(batch.id)
  prepare(setFixed).run(sameKey(task, keyOf), batch?.id ?? null, id)
}

/**
 * 48 bits that are the same for swaps of the same face, video and options. A video is taken for the same by its facts,
 * since the size in bytes, length and frame rate hardly agree by chance, and its content isn't read for a list.
 */
function sameKey({ face, pictures, cast, video, options, range }: Listable, keyOf: (id: string) => string): number {
  const who = cast.length === 0 ? [{ personId: '', face, pictures }] : cast
  const faces = who.map((each) => [each.personId, [each.face, ...each.pictures].map(({ id }) => keyOf(id)).sort()])
  const { address, sizeBytes, durationMs, width, height, fps } = video
  const isKnown = address !== null || sizeBytes !== null
  const target = isKnown ? [address, sizeBytes, durationMs, width, height, fps] : video.id
  const { keep, ...others } = options
  const same = [faces.sort(), target, Object.entries(others).sort(), keep.toSorted(), range]
  return hash('sha256', JSON.stringify(same), 'buffer').readUIntBE(0, 6)
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

/** Created after the rows, which is faster. */
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
  const add = db.prepare(insertInto(['removed_at', 'task_id', ...oldColumns]))
  const used = new Set<string>()
  for (const row of db.prepare('SELECT data, removed_at FROM tasks ORDER BY rowid').iterate()) {
    const data = String(row['data'])
    const task = readable(data)
    if (task) add.run(row['removed_at'] ?? null, task.id, ...valuesOf(task).slice(0, oldColumns.length))
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

const readable = (data: string): Listable | null => listable.safeParse(parseJson(data)).data ?? null

const newTables = `
  DROP INDEX listed_by_time;
  DROP INDEX listed_by_title;
  DROP INDEX listed_by_state;
  ALTER TABLE listed ADD COLUMN length_ms INTEGER;
  ALTER TABLE listed ADD COLUMN size_bytes INTEGER;
  ALTER TABLE listed ADD COLUMN same_key INTEGER;
  ALTER TABLE listed ADD COLUMN batch INTEGER;
  ALTER TABLE listed ADD COLUMN favourite INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE batches (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE faces (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE listed_faces (
    face INTEGER NOT NULL,
    number INTEGER NOT NULL REFERENCES listed (number) ON DELETE CASCADE,
    face_id TEXT NOT NULL,
    PRIMARY KEY (face, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE tags (
    tag INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE tagged (
    tag INTEGER NOT NULL REFERENCES tags (tag),
    number INTEGER NOT NULL REFERENCES listed (number) ON DELETE CASCADE,
    PRIMARY KEY (tag, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE notes (
    number INTEGER PRIMARY KEY REFERENCES listed (number) ON DELETE CASCADE,
    note TEXT NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE VIRTUAL TABLE notes_text USING fts5(
    text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
  );
  CREATE TRIGGER note_inserted AFTER INSERT ON notes BEGIN
    INSERT INTO notes_text (rowid, text) VALUES (new.number, new.text);
  END;
  CREATE TRIGGER note_deleted AFTER DELETE ON notes BEGIN
    DELETE FROM notes_text WHERE rowid = old.number;
  END;
`

/**
 * `listed_by_time` covers the columns of filters and searches. In the other orders a view is read from an index without
 * them, and what is found is looked up in it.
 */
const newIndexes = `
  CREATE INDEX listed_by_time ON listed (created_at, number, section, state, profile_id, batch, text)
    WHERE removed_at IS NULL;
  CREATE INDEX listed_by_title ON listed (title_key, created_at DESC, number) WHERE removed_at IS NULL;
  CREATE INDEX listed_by_state ON listed (state, created_at DESC, number) WHERE removed_at IS NULL;
  CREATE INDEX listed_by_service ON listed (profile_id, created_at DESC, number) WHERE removed_at IS NULL;
  CREATE INDEX listed_by_length ON listed (length_ms, created_at DESC, number) WHERE removed_at IS NULL;
  CREATE INDEX listed_by_size ON listed (size_bytes, created_at DESC, number) WHERE removed_at IS NULL;
  CREATE INDEX listed_by_same ON listed (same_key, created_at) WHERE removed_at IS NULL;
  CREATE INDEX listed_by_batch ON listed (batch, created_at) WHERE removed_at IS NULL AND batch IS NOT NULL;
  CREATE INDEX listed_favourites ON listed (number) WHERE favourite = 1;
  CREATE INDEX listed_faces_by_number ON listed_faces (number);
  CREATE INDEX tagged_by_number ON tagged (number);
`

/** Swaps read at once while all are read. */
const atOnce = 500

/** Migration: adds tags, notes, favourites, and the columns for more filters and orders. */
export function addLabels(db: DatabaseSync): void {
  db.exec('PRAGMA cache_size = -65536')
  db.exec(newTables)
  const prepare = preparer(db)
  const next = db.prepare(
    'SELECT number, data FROM listed JOIN tasks ON id = task_id WHERE number > ? ORDER BY number LIMIT ?',
  )
  for (let last = 0, rows = next.all(last, atOnce); rows.length > 0; rows = next.all(last, atOnce)) {
    for (const row of rows) {
      const task = readable(String(row['data']))
      if (task) {
        prepare(update).run(...valuesOf(task), task.id)
        addFixed(prepare, task)
      }
      last = Number(row['number'])
    }
  }
  db.exec(newIndexes)
  db.exec('PRAGMA cache_size = -2000')
}
