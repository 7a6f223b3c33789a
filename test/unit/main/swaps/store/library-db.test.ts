import { mkdirSync, readdirSync, readFileSync, rmdirSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { MediaStore } from '../../../../../src/main/media/media-store.ts'
import {
  libraryVersion,
  nameDamage,
  openForReading,
  openLibrary,
} from '../../../../../src/main/swaps/store/library-db.ts'
import { inTransaction } from '../../../../../src/main/machine/disk/sqlite.ts'
import { newEntry } from '../../../../../src/main/swaps/rules/outbox-entry.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { face, makeTask, video } from '../../../../fixtures/tasks.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'
import { tempLibrary } from '../../../../fixtures/temp-library.ts'

const inDir = tempPaths()
let path: string
beforeEach(() => {
  path = inDir('library.db')
})

const entry = {
  ...newEntry('task-1', 3),
  ...{ videoUrl: 'http://127.0.0.1/v', pictureUrls: ['http://127.0.0.1/p'], sentAt: 5, attempts: 1, notBefore: 9 },
}

describe('the library on disk', () => {
  it('has what was put in it after it was opened again', () => {
    const first = openLibrary(path, 1)
    const task = makeTask({ state: 'submitting', title: 'Übung 日本' })
    new TaskStore(first.db, () => undefined).putWithOutbox(task, entry)
    first.db.close()
    const second = openLibrary(path, 2)
    const store = new TaskStore(second.db, () => undefined)
    expect(second.backup).toBeNull()
    expect(store.all()).toEqual([task])
    expect(store.entry('task-1')).toEqual(entry)
    second.db.close()
  })

  it('moves a broken file aside, whole, and begins a new one', () => {
    writeFileSync(path, 'this is no database, but somebody may still want it')
    const { db, backup } = openLibrary(path, 42)
    expect(backup).toBe('library.db.broken-42')
    expect(readFileSync(inDir('library.db.broken-42'), 'utf8')).toContain('somebody may still want it')
    expect(new TaskStore(db, () => undefined).all()).toEqual([])
  })

  it.each(['media', 'service'])('moves a file aside that lost all that was in it (%s is there)', (folder) => {
    openLibrary(path, 1).db.close()
    mkdirSync(inDir(folder, 'x'), { recursive: true })
    writeFileSync(path, '')
    expect(openLibrary(path, 42).backup).toBe('library.db.broken-42')
    expect(readFileSync(inDir('library.db.broken-42'), 'utf8')).toBe('')
  })

  it('takes an empty file for a new library where nothing was ever made', () => {
    mkdirSync(inDir('media'))
    writeFileSync(path, '')
    expect(openForReading(path)).toBeNull()
    expect(openLibrary(path, 42).backup).toBeNull()
  })

  it.each([
    ['another file', () => writeFileSync(path, 'this is no database, but somebody may still want it')],
    ['cut off', () => truncateSync(path, 5000)],
    ['cut off in its first page', () => truncateSync(path, 100)],
    ['empty', () => truncateSync(path, 0)],
  ])('is said to be damaged when it is only read, and left where it is: %s', (_what, damage) => {
    const db = tempLibrary(inDir())
    new TaskStore(db, () => undefined).put(makeTask())
    db.close()
    mkdirSync(inDir('service'))
    damage()
    const read = () => {
      try {
        const opened = openForReading(path)
        return opened && new TaskStore(opened, () => undefined).all()
      } catch (error) {
        throw nameDamage(error)
      }
    }
    expect(read).toThrow('data-damaged')
    expect(readdirSync(inDir()).some((name) => name.includes('broken'))).toBe(false)
  })

  it('leaves a sound file where it is that only cannot be opened now', () => {
    openLibrary(path, 1).db.close()
    // In the place of what SQLite writes beside it, as on a full disk.
    mkdirSync(`${path}-wal`)
    expect(() => openLibrary(path, 2)).toThrow('unable to open')
    expect(readdirSync(inDir()).sort()).toEqual(['library.db', 'library.db-wal'])
    rmdirSync(`${path}-wal`)
    expect(openLibrary(path, 3).backup).toBeNull()
  })

  it('tells of a full disk what it is, in a transaction too', () => {
    const db = tempLibrary(inDir())
    db.exec('PRAGMA max_page_count = 20')
    const fill = (): unknown => db.prepare('INSERT INTO timings VALUES (?, 1, 1, 1, 1, 1)').run('x'.repeat(1_000_000))
    expect(() => inTransaction(db, fill)).toThrow('disk is full')
    expect(db.isTransaction).toBe(false)
  })

  it('refuses a library of a newer Mien and leaves it as it is', () => {
    const newer = new DatabaseSync(path)
    newer.exec(`CREATE TABLE precious (x); PRAGMA user_version = ${String(libraryVersion + 1)}`)
    newer.close()
    expect(() => openForReading(path)).toThrow('data-newer')
    expect(() => openLibrary(path, 1)).toThrow('data-newer')
    const after = new DatabaseSync(path)
    expect(after.prepare('PRAGMA user_version').get()).toEqual({ user_version: libraryVersion + 1 })
    expect(after.prepare("SELECT count(*) AS n FROM sqlite_master WHERE name = 'precious'").get()).toEqual({ n: 1 })
    after.close()
    expect(readdirSync(inDir()).some((name) => name.includes('broken'))).toBe(false)
  })

  it('leaves out a row that cannot be read, says so, and keeps the row', () => {
    const db = tempLibrary(inDir())
    const said: string[] = []
    const store = new TaskStore(db, (message) => said.push(message))
    store.put(makeTask())
    store.put(makeTask({ id: 'task-2' }))
    store.put(makeTask({ id: 'task-3' }))
    db.exec(`UPDATE tasks SET data = '{"id": 4' WHERE id = 'task-1'`)
    db.exec(`UPDATE tasks SET data = '{"id": 4}' WHERE id = 'task-3'`)
    expect(store.all().map((task) => task.id)).toEqual(['task-2'])
    expect(said).toHaveLength(2)
    expect(db.prepare('SELECT count(*) AS n FROM tasks').get()).toEqual({ n: 3 })
  })

  it('removes, restores, and forgets for good', () => {
    const db = tempLibrary(inDir())
    const store = new TaskStore(db, () => undefined)
    store.putWithOutbox(makeTask(), entry)
    store.setRemoved('task-1', 7)
    expect(store.all()).toEqual([])
    store.setRemoved('task-1', null)
    expect(store.all()).toHaveLength(1)
    store.setRemoved('task-1', 8)
    expect(store.removedBefore(8, 10)).toEqual([])
    store.putEntry({ ...entry, sentAt: 5 })
    expect(store.removedBefore(9, 10)).toEqual([])
    store.putEntry({ ...entry, sentAt: null })
    const [removed] = store.removedBefore(9, 10)
    if (!removed) throw new Error('it is not removed')
    expect(store.purge(removed)).toEqual(['face-1', 'thumb-1', 'video-1', 'cover-1'])
    expect(store.get('task-1')).toBeNull()
    expect(store.entry('task-1')).toBeNull()
  })
})

describe('media by id', () => {
  let media: MediaStore
  beforeEach(() => {
    media = new MediaStore(tempLibrary(inDir()))
  })

  it('keeps a confirmation by the content of the picture, so once per face', () => {
    media.addFace('/pictures/a.jpg', 'same-content', { ...face, id: 'a' })
    media.addFace('/pictures/copy.jpg', 'same-content', { ...face, id: 'b' })
    media.addFace('/pictures/c.jpg', 'other-content', { ...face, id: 'c' })
    expect(media.face('b').sha256).toBe('same-content')
    expect(media.face('a').confirmedAt).toBeNull()
    media.confirmFace('a', true, 99)
    expect(media.face('b').confirmedAt).toBe(99)
    expect(media.face('c').confirmedAt).toBeNull()
    media.confirmFace('b', false, 100)
    expect(media.face('a').confirmedAt).toBeNull()
  })

  it('knows no path but of what is listed', () => {
    media.addVideo('/videos/v.mp4', video)
    const derived = media.addDerived('/data/100%_x/cover.jpg')
    const passing = media.addTemporary('/data/p.jpg')
    expect(media.path(video.id)).toBe('/videos/v.mp4')
    expect(media.path(derived)).toBe('/data/100%_x/cover.jpg')
    expect(media.path(passing)).toBe('/data/p.jpg')
    expect(media.path('/etc/passwd')).toBeNull()
    expect(media.path('../library.db')).toBeNull()
    expect(media.uses('/data/100%_x')).toBe(true)
    expect(media.uses('/data/100_zz')).toBe(false)
    media.dropTemporary(passing)
    expect(media.path(passing)).toBeNull()
    expect(() => media.face(video.id)).toThrow(/not-found/)
    media.drop([derived])
    expect(media.path(derived)).toBeNull()
    expect(media.path(video.id)).toBe('/videos/v.mp4')
  })
})
