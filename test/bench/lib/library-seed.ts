/**
 * @file Makes a library of a number of swaps as the version before left one: `node main.mjs DATA-FOLDER COUNT COVER FACE`,
 * pictures of videos and of faces. Then opens it with Mien's own code, which brings it to the newest version, and says how
 * long that took.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inTransaction } from '../../../src/main/machine/disk/sqlite.ts'
import { openLibrary } from '../../../src/main/swaps/store/library-db.ts'
import type { Task } from '../../../src/shared/tasks/task.ts'
import { clip, eileen, monaLisa, swap } from '../../fixtures/fake-tasks.ts'

const [dir = '', count = '100', cover = '', thumbnail = ''] = process.argv.slice(2)
const path = join(dir, 'library.db')
const subjects = [
  'Launch day',
  'Interview',
  'Gallery loop',
  'Portrait in motion',
  'Helmet close-up',
  'Archive',
  '婚礼 视频',
]
const now = Date.now()
const apart = 20 * 60_000

mkdirSync(join(dir, 'media'), { recursive: true })
openLibrary(path, now).db.close()
let db = new DatabaseSync(path)
db.exec(`
  DROP TABLE consents; DROP INDEX media_by_content;
  CREATE TABLE confirmed_faces (sha256 TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;
  DROP TABLE tagged; DROP TABLE tags; DROP TABLE notes; DROP TABLE notes_text; DROP TABLE listed_faces;
  DROP TABLE faces; DROP TABLE batches; DROP TABLE listed; DROP TABLE listed_text; DROP INDEX media_unused; ALTER TABLE media DROP COLUMN used;
  DROP TABLE fetches; DROP TABLE jobs_to_end; DROP INDEX outbox_unanswered; DROP TABLE task_pictures;
  DROP TABLE people; DROP TABLE begun_uploads; DROP TABLE task_casts; ALTER TABLE outbox DROP COLUMN picture_urls;
  CREATE INDEX tasks_by_state ON tasks (state, profile_id) WHERE removed_at IS NULL; PRAGMA user_version = 2
`)
const addTask = db.prepare(
  'INSERT INTO tasks (id, profile_id, object_id, state, created_at, updated_at, data) VALUES (?, ?, ?, ?, ?, ?, ?)',
)
const addMedium = db.prepare("INSERT INTO media (id, kind, path, created_at) VALUES (?, 'derived', ?, ?)")
const medium = (at: number, file = cover): string => {
  const id = randomUUID()
  addMedium.run(id, file, at)
  return id
}

/** About as large as a real one: 5 kB of JSON. */
function task(index: number, faces: readonly Task['face'][]): Task {
  const createdAt = now - (Number(count) - index) * apart
  const state = index % 20 === 7 ? 'failed' : index % 50 === 3 ? 'cancelled' : 'kept'
  const face = faces[index % faces.length] ?? monaLisa(createdAt)
  const name = `clip-${String(index)}.mp4`
  // Every hundredth is the one before again.
  const content = index % 100 === 1 ? index - faces.length : index
  const facts = { sizeBytes: 1_000_000 + content, durationMs: 2000 + ((content * 37) % 60_000) }
  const group = Math.floor(index / 24)
  const batch = { id: `batch-${String(group)}`, number: (index % 24) + 1, count: 24 }
  const made = swap(randomUUID(), createdAt, {
    ...{ face, state, title: `${subjects[index % subjects.length] ?? ''}, take ${String(index)}` },
    ...{ profileId: index % 5 === 0 ? 'cloud' : 'this-computer', batch: group % 4 === 0 ? batch : null },
    video: clip({ id: medium(createdAt), coverId: medium(createdAt), name, ...facts }),
    coverId: state === 'kept' ? medium(createdAt) : null,
    ...(state === 'kept' ? {} : { result: null }),
    ...(state === 'failed' ? { error: { code: 'no-face-in-video', details: {} } as const } : {}),
  })
  return { ...made, serviceTaskId: 'x'.repeat(Math.max(0, 4900 - JSON.stringify(made).length)) }
}

inTransaction(db, () => {
  const faces = Array.from({ length: 20 }, () => [monaLisa(now), eileen(now)])
    .flat()
    .map((face) => ({ ...face, id: medium(now), thumbnailId: medium(now, thumbnail) }))
  for (let index = 0; index < Number(count); index += 1) {
    const { id, profileId, objectId, state, createdAt, updatedAt, ...rest } = task(index, faces)
    const data = JSON.stringify({ id, profileId, objectId, state, createdAt, updatedAt, ...rest })
    addTask.run(id, profileId, objectId, state, createdAt, updatedAt, data)
  }
})
db.close()
const began = performance.now()
db = openLibrary(path, now).db
const migrationMs = Math.round(performance.now() - began)
db.close()
rmSync(`${path}.v2-backup`)
process.stdout.write(`${JSON.stringify({ migrationMs, mb: Math.round(statSync(path).size / 1e6) })}\n`)
