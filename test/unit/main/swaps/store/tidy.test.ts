import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, expect, it } from 'vitest'
import type { Task } from '@shared/tasks/task.ts'
import { MediaStore } from '../../../../../src/main/media/media-store.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { tidy } from '../../../../../src/main/swaps/store/tidy.ts'
import { face, makeTask, video } from '../../../../fixtures/tasks.ts'
import { tempDir } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

let mediaDir: string
let db: DatabaseSync
let store: TaskStore
let media: MediaStore
beforeEach(() => {
  const dir = tempDir()
  mediaDir = join(dir, 'media')
  db = tempLibrary(dir)
  store = new TaskStore(db, () => undefined)
  media = new MediaStore(db)
})

/** A folder of an earlier run with a file in it. */
function folder(name: string): string {
  mkdirSync(join(mediaDir, name), { recursive: true })
  const path = join(mediaDir, name, 'cover.jpg')
  writeFileSync(path, 'x')
  utimesSync(join(mediaDir, name), 1, 1)
  return path
}
/** A swap with a face and a video of these names, each in a folder, and a cover. */
function swap(id: string, faceId: string, videoId: string): Task {
  const insert = db.prepare("INSERT INTO media (id, kind, path, created_at, used) VALUES (?, 'derived', ?, 1, 0)")
  for (const name of [faceId, videoId]) if (!media.has(name)) insert.run(name, folder(name))
  const task = makeTask({
    ...{ id, state: 'kept', coverId: media.addDerived(folder(id)) },
    face: { ...face, id: faceId, thumbnailId: `${faceId}-crop` },
    video: { ...video, id: videoId, coverId: `${videoId}-cover` },
  })
  store.put(task)
  return task
}
const run = (before = Date.now() + 1000): Promise<void> => {
  const deps = { store, media, mediaDir, onForgotten: () => undefined, log: () => undefined }
  return tidy(deps, before, new AbortController().signal)
}
const there = (...names: string[]): boolean[] => names.map((name) => existsSync(join(mediaDir, name)))

it('forgets what was removed with its media, but not what another swap uses too', async () => {
  const gone = swap('gone', 'face-a', 'video-a')
  swap('stays', 'face-a', 'video-b')
  store.setRemoved('gone', 1)
  await run()
  expect([store.get('gone'), store.all().map(({ id }) => id)]).toEqual([null, ['stays']])
  expect(media.path(gone.coverId ?? '')).toBeNull()
  expect([media.has('face-a'), media.has('video-a'), media.has('video-b')]).toEqual([true, false, true])
  expect(there('gone', 'video-a', 'stays', 'face-a', 'video-b')).toEqual([false, false, true, true, true])
})

it('keeps the media of a swap that cannot be read', async () => {
  const broken = swap('broken', 'face-a', 'video-a')
  db.exec(`UPDATE tasks SET data = '{"id": 4' WHERE id = 'broken'`)
  swap('gone', 'face-a', 'video-a')
  store.setRemoved('gone', 1)
  await run()
  expect(media.path(broken.coverId ?? '')).toBe(join(mediaDir, 'broken', 'cover.jpg'))
  expect([media.has('face-a'), media.has('video-a')]).toEqual([true, true])
  expect(there('broken', 'face-a', 'video-a', 'gone')).toEqual([true, true, true, false])
})

it('keeps them too when it could not be read since the library was listed', async () => {
  swap('broken', 'face-a', 'video-a')
  db.exec("DELETE FROM listed WHERE task_id = 'broken'")
  db.exec("UPDATE tasks SET data = substr(data, 1, 400) WHERE id = 'broken'")
  swap('gone', 'face-a', 'video-c')
  store.setRemoved('gone', 1)
  await run()
  expect([media.has('face-a'), ...there('broken', 'face-a', 'video-c')]).toEqual([true, true, true, false])
})

it('drops what was taken in and never used, and folders that belong to nothing', async () => {
  media.addVideo(folder('unused'), { ...video, id: 'unused' })
  folder('stray')
  media.addVideo(folder('pasted-1'), { ...video, id: 'pasted' })
  store.put(makeTask({ id: 'user', video: { ...video, id: 'pasted' } }))
  await run()
  expect([media.has('unused'), media.has('pasted')]).toEqual([false, true])
  expect(there('unused', 'stray', 'pasted-1')).toEqual([false, false, true])
})

it('leaves alone what is taken in, removed or made in this run', async () => {
  media.addVideo(folder('new'), { ...video, id: 'new' })
  mkdirSync(join(mediaDir, 'half'), { recursive: true })
  swap('removed now', 'face-a', 'video-a')
  store.setRemoved('removed now', Date.now() + 60_000)
  await run(Date.now() - 60_000)
  expect([media.has('new'), store.has('removed now')]).toEqual([true, true])
  expect(there('new', 'half', 'removed now')).toEqual([true, true, true])
})
