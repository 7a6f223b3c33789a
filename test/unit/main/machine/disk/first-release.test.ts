/** Data of the first release, as its own stores wrote it (test/fixtures/versions), under the Mien of today. */
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { jobSchema } from '../../../../../src/main/service/cluster/job.ts'
import { EmbeddedService } from '../../../../../src/main/service/embedded/embedded-service.ts'
import { MediaStore } from '../../../../../src/main/media/media-store.ts'
import { SettingsStore } from '../../../../../src/main/machine/settings/settings-store.ts'
import { openLibrary } from '../../../../../src/main/swaps/store/library-db.ts'
import { countByFilter, find } from '../../../../../src/main/swaps/store/library-query.ts'
import type { OutboxEntry } from '../../../../../src/main/swaps/rules/outbox-entry.ts'
import { TaskStore } from '../../../../../src/main/swaps/store/task-store.ts'
import { SteadyEngine } from '../../../../contract/steady-engine.ts'
import { makeResult } from '../../../../fixtures/cluster-database.ts'
import { makeClient } from '../../../../fixtures/task-service.ts'
import { tempPaths } from '../../../../fixtures/temp-dir.ts'

const fixture = (name: string): URL => new URL(`../../../../fixtures/versions/${name}`, import.meta.url)

const inDir = tempPaths()

function restore(name: string, path: string): void {
  const db = new DatabaseSync(path)
  db.exec(readFileSync(fixture(name), 'utf8'))
  db.close()
}

const counts = (db: DatabaseSync, tables: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    tables.map((table) => [table, Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'])]),
  )

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

it('a library has every swap, medium, letter and number that it had', () => {
  const path = inDir('library.db')
  restore('library-v1.sql', path)
  const { db, backup } = openLibrary(path, 1)
  expect(backup).toBeNull()
  expect(counts(db, ['tasks', 'outbox', 'media', 'consents', 'timings'])).toEqual({
    ...{ tasks: 7, outbox: 2, media: 3, consents: 1, timings: 1 },
  })
  const said: string[] = []
  const store = new TaskStore(db, (line) => said.push(line))
  const media = new MediaStore(db)
  const tasks = store.all().toSorted((a, b) => a.id.localeCompare(b.id))
  expect(said).toEqual([])
  // What the first release knew of a swap; later versions may know more.
  const knownThen = (entry: OutboxEntry | null) => entry && { ...entry, pictureUrls: undefined }
  const contents = tasks.map((task) => [
    ...[task.id, task.profileId, task.title, task.state, task.pause, task.objectId, task.serviceStatus, task.error],
    ...[task.face.name, task.video.name, task.video.durationMs, task.createdAt, task.updatedAt, task.endedAt],
    ...[task.result?.fileName, task.result?.swappedFrames, task.result && media.path(task.result.mediaId)],
    ...[task.progress?.share, task.events.length, store.record(task.id)],
    ...[knownThen(store.entry(task.id))],
  ])
  expect(hash(contents)).toBe('aa6f84dd3a32b3cd1a0612f48bf97854c3cf9feed2002d5eda5da7bd80a48cc7')
  expect(media.face('face-1').confirmedAt).toBe(1_700_000_000_000)
  expect(media.consents.of(media.faceKey('face-1'))).toMatchObject({
    name: media.face('face-1').name,
    withdrawnAt: null,
  })
  db.close()
})

it('a library is listed, searched and filtered as one of today', () => {
  const path = inDir('library.db')
  restore('library-v1.sql', path)
  // As a row that cannot be read, with media that only its text names.
  const old = new DatabaseSync(path)
  const [used, unused] = ['0f0e0d0c-0000-4000-8000-000000000001', '0f0e0d0c-0000-4000-8000-000000000002']
  const task = old.prepare('INSERT INTO tasks VALUES (?, ?, NULL, ?, ?, 1, 1, ?, NULL)')
  task.run('broken', 'here', 'kept', null, `{"coverId": "${used}", "na`)
  for (const id of [used, unused]) old.prepare("INSERT INTO media VALUES (?, 'derived', '/x', NULL, NULL, 1)").run(id)
  old.close()
  const { db } = openLibrary(path, 1)
  const found = (search: string): number =>
    find(db, { search, filter: 'all', sort: 'newest' }, new Map()).numbers.split(',').filter(Boolean).length
  expect([countByFilter(db).all, found(''), found('nothing like it')]).toEqual([6, 6, 0])
  const [{ title } = { title: '' }] = new TaskStore(db, () => undefined).all()
  expect(found(title)).toBeGreaterThan(0)
  expect(new MediaStore(db).unusedBefore(2, 10)).toContain(unused)
  expect(new MediaStore(db).unusedBefore(2, 10)).not.toContain(used)
  expect(new TaskStore(db, () => undefined).removedBefore(Date.now(), 10).map(({ id }) => id)).toEqual(['removed'])
  expect(new TaskStore(db, () => undefined).has('broken')).toBe(true)
  db.close()
})

it('a library that was not brought to this version yet can be read beside it', () => {
  const path = inDir('library.db')
  restore('library-v1.sql', path)
  const db = new DatabaseSync(path, { readOnly: true })
  const store = new TaskStore(db, () => undefined)
  const [first] = store.all()
  expect([store.all().length, store.named(first?.id ?? '').map(({ id }) => id)]).toEqual([6, [first?.id]])
  db.close()
})

it('the embedded service has every upload, swap and result that it had, and goes on with its work', async () => {
  restore('service-v1.sql', inDir('service.db'))
  const old = new DatabaseSync(inDir('service.db'))
  const data = jobSchema.parse(JSON.parse(String(old.prepare('SELECT data FROM jobs').get()?.['data'])))
  const result = { ...makeResult(), faces: 0 }
  old
    .prepare('INSERT INTO jobs (object_id, user_id, status, request_hash, data) VALUES (?, ?, ?, ?, ?)')
    .run(
      'job-done',
      '1',
      'completed',
      'hash',
      JSON.stringify({ ...data, objectId: 'job-done', status: 'completed', result }),
    )
  old.close()
  const put = (path: string, content: string): void => {
    mkdirSync(dirname(inDir(path)), { recursive: true })
    writeFileSync(inDir(path), content)
  }
  put('assets/4018cb06-1042-409a-8504-b31b825b478d', 'HOLD!')
  put('jobs/job-working/work/segment-0000.json', 'a segment')
  put('jobs/job-done/result/output.mp4', 'a film')
  const engine = new SteadyEngine()
  const fetch = async () => new Response('a face', { headers: { 'content-type': 'image/jpeg' } })
  const service = new EmbeddedService({ dir: inDir(), engine, fetch, log: () => undefined })
  const { baseUrl } = await service.start()
  const key = await service.createKey('1')
  const client = makeClient(baseUrl, { readKey: () => Promise.resolve(key), gapMs: 0 })
  const ids = ['job-queued', 'job-working', 'job-failed', 'job-done']
  await expect.poll(() => engine.swaps).toEqual(['HOLD!'])
  const found = await client.fetchTasks(ids)
  expect(ids.map((id) => [found.get(id)?.status, found.get(id)?.error?.code])).toEqual([
    ['processing', undefined],
    ['waiting', undefined],
    ['failed', 'no-face-in-video'],
    ['succeeded', undefined],
  ])
  await client.download(found.get('job-done')?.resultUrl ?? '', inDir('film.mp4'))
  expect(readFileSync(inDir('film.mp4'), 'utf8')).toBe('a film')
  // The work of a swap that waits stays, with its upload at the place of uploads.
  await expect.poll(() => readdirSync(inDir('jobs')).sort()).toEqual(['job-queued', 'job-working'])
  expect(existsSync(inDir('jobs/job-working/work/segment-0000.json'))).toBe(true)
  expect(existsSync(inDir('assets'))).toBe(false)
  expect(existsSync(inDir('service.db.v1-backup'))).toBe(true)
  engine.release()
  await service.dispose()
})

it('settings and services are what they were, and the old file stays beside the new one', () => {
  copyFileSync(fixture('settings-v1.json'), inDir('settings.json'))
  const store = new SettingsStore(inDir(), 1)
  expect(store.backup).toBeNull()
  expect(store.install).toBe('d813efb7-003e-4eb8-94e3-8af023bf1038')
  expect(store.settings).toMatchObject({ theme: 'light', libraryView: 'list', lastProfileId: 'studio' })
  expect(store.profiles).toMatchObject([
    { id: 'studio', name: 'Studio', baseUrl: 'https://swap.example/api', durationUnit: 's', allowHttp: false },
  ])
  expect(store.resultsFolder).toBe('/videos/Mien')
  expect(store.window).toEqual({ x: 1, y: 2, width: 1280, height: 800, maximized: false })
  expect(readFileSync(inDir('settings.json.v1-backup'), 'utf8')).toBe(readFileSync(fixture('settings-v1.json'), 'utf8'))
})
