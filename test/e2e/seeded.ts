/** @file The app with a swap in each state in its library and two services, and what brings it to a place and a size. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll } from 'vitest'
import { MediaStore } from '../../src/main/media/media-store.ts'
import { openLibrary } from '../../src/main/swaps/store/library-db.ts'
import { TaskStore } from '../../src/main/swaps/store/task-store.ts'
import type { ProfileView } from '../../src/shared/service/profile.ts'
import { taskSchema, type Task, type VideoMedia } from '../../src/shared/tasks/task.ts'
import type { Page } from 'playwright-core'
import { clips, sample } from '../fixtures/clip.ts'
import { sharedDir } from '../fixtures/temp-dir.ts'
import { clip, monaLisa, outline, progress, swap } from '../fixtures/fake-tasks.ts'
import { refusingService, slowService } from '../shots/remote.ts'
import { dropFiles, type LaunchOptions, type Studio, windowOf } from './app.ts'
import { launchWarm } from './warm.ts'

const longTitle = 'An interview with a title that is far too long for any line of this window '.repeat(3).trim()

/** Options of `openStudio`. */
interface OpenOptions extends LaunchOptions {
  /** Of the page in the window's pixels. */
  size?: readonly [width: number, height: number]
}

/** Opens the app before the tests of a file or block, and closes it after them. `reopen` starts it again with its data. */
export function openStudio({ size, ...options }: OpenOptions = {}): Studio & { reopen: () => Promise<void> } {
  const open = async (dataDir = options.dataDir): Promise<void> => {
    Object.assign(studio, await launchWarm({ ...options, ...(dataDir !== undefined && { dataDir }) }))
    if (size) await resize(studio, ...size)
  }
  const reopen = async (): Promise<void> => {
    await studio.quit({ keep: true })
    await open(studio.dataDir)
  }
  // The rest is there before the first test.
  const studio = { reopen } as ReturnType<typeof openStudio>
  beforeAll(() => open())
  afterAll(() => studio.quit())
  return studio
}

/** Ids of the two services in the settings file. */
const services = { cloud: 'cloud', agency: 'agency' } as const

/**
 * The same with a swap in each state in the library, and two services: `cloud` takes its time, `agency` refuses its key,
 * which it has done before the first test.
 */
export function openSeeded(size?: OpenOptions['size']): ReturnType<typeof openStudio> {
  const dataDir = sharedDir()
  let stop: () => Promise<unknown>
  beforeAll(async () => {
    const [cloud, agency] = await Promise.all([slowService(), refusingService()])
    stop = () => Promise.all([cloud.stop(), agency.stop()])
    const profiles = [
      { id: services.cloud, name: 'Studio Cloud', baseUrl: cloud.baseUrl },
      { id: services.agency, name: 'Agency', baseUrl: agency.baseUrl },
    ].map((profile) => ({ ...profile, keyHeader: 'X-Service-Apikey', durationUnit: 'ms', allowHttp: true }))
    writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ version: 2, profiles }))
    fillLibrary(dataDir, addEachState)
  })
  const studio = openStudio({ dataDir, ...(size && { size }) })
  beforeAll(async () => {
    const { page } = studio
    for (const profileId of Object.values(services))
      await page.evaluate(
        (id) => window.mien.profiles.setKey({ profileId: id, key: `sk-${id}-8f2c`, keep: 'session' }),
        profileId,
      )
    const refused = page.getByText(/doesn’t accept the key/)
    await refused.first().waitFor()
  })
  afterAll(() => stop())
  return studio
}

/** The swaps in a library, as main stores them. */
export function storedTasks(dataDir: string): Task[] {
  const db = new DatabaseSync(join(dataDir, 'library.db'), { readOnly: true })
  const rows = db.prepare('SELECT data FROM tasks ORDER BY rowid').all()
  db.close()
  return rows.map(({ data }) => taskSchema.parse(JSON.parse(String(data))))
}

/** Puts swaps and media into a library while no app has it open. */
export function fillLibrary(dataDir: string, fill: (store: TaskStore, media: MediaStore) => void): void {
  const { db } = openLibrary(join(dataDir, 'library.db'), Date.now())
  fill(new TaskStore(db, console.error), new MediaStore(db))
  db.close()
}

type Change = Partial<Omit<Task, 'video' | 'result'>> & {
  video?: Partial<VideoMedia>
  result?: Partial<NonNullable<Task['result']>>
}

/** A finished swap for a library. @param files paths of the video and of the result, which need not be there */
export function finished(
  media: MediaStore,
  title: string,
  files: readonly [string, string],
  change: Change = {},
): Task {
  const picture = media.addDerived(sample.face)
  const { video, result, ...more } = change
  const task = swap(title, Date.now(), {
    ...{ title, coverId: picture, peopleIds: [], face: { ...monaLisa(Date.now()), id: picture, thumbnailId: picture } },
    video: clip({ id: media.addDerived(files[0]), coverId: picture, ...video }),
    ...more,
  })
  return { ...task, result: task.result && { ...task.result, mediaId: media.addDerived(files[1]), ...result } }
}

function addEachState(store: TaskStore, media: MediaStore): void {
  const [picture, video] = [media.addDerived(sample.face), media.addDerived(clips.small)]
  const face = { ...monaLisa(Date.now()), id: picture, thumbnailId: picture }
  const footage = clip({ id: video, coverId: picture, faces: [outline(652, 492, 446, 508)] })
  const now = Date.now()
  const running: Partial<Task> = { result: null, coverId: null, peopleIds: [], endedAt: null, serviceStatus: null }
  const add = (minutesAgo: number, state: Task['state'], title: string, change: Partial<Task>): void => {
    const createdAt = now - minutesAgo * 60_000
    const base = swap(`seeded-${state}-${String(minutesAgo)}`, now, { createdAt, title, face, video: footage })
    const result = base.result === null ? null : { ...base.result, mediaId: video }
    const finished: Partial<Task> = state === 'kept' ? { result, coverId: picture, peopleIds: [picture] } : running
    store.putWithOutbox({ ...base, ...finished, state, ...change }, null)
  }
  const there = (id: string): Partial<Task> => ({ profileId: services.cloud, objectId: id, serviceTaskId: id })
  add(1, 'processing', 'Interview, take 3', {
    ...there('working-1'),
    progress: progress({ share: 0.4, etaMs: 170_000 }),
  })
  add(2, 'waiting', 'Interview, take 2', there('waiting-1'))
  add(3, 'unconfirmed', 'Gallery loop', {
    ...{ profileId: services.cloud, objectId: null },
    events: [{ at: now - 180_000, what: 'unconfirmed', details: { seconds: 30 } }],
  })
  add(4, 'waiting', 'Gallery pan', { ...there('waiting-2'), profileId: services.agency })
  add(5, 'kept', 'Launch day interview', {})
  add(6, 'failed', longTitle, { error: { code: 'no-face-in-video', details: {} }, endedAt: now })
  add(7, 'missing', 'Helmet close-up', { ...there('gone-1'), endedAt: now })
  add(8, 'cancelled', 'First try', { ...there('waiting-3'), serviceStatus: 'queued', endedAt: now })
  add(9, 'kept', 'مقابلة 😀 أغنية جميلة', {})
}

/** Ids of the sample in a library, for `tasks.submit`. */
export const sampleIds = { faceId: 'sample-face', videoId: 'sample-video' } as const

/** Puts the sample's face and a video into a library as if they had been read: for what is sent to a service. */
export function seedSample(dataDir: string, video = clips.small): void {
  fillLibrary(dataDir, (_store, media) => {
    const { faceId, videoId } = sampleIds
    const picture = media.addDerived(sample.face)
    media.addFace(sample.face, 'sample', { ...monaLisa(null), id: faceId, thumbnailId: picture, origin: 'sample' })
    media.addVideo(video, clip({ id: videoId, coverId: picture }))
  })
}

/** Sets the size of the page in the window's pixels, and its zoom. */
export async function resize(studio: Studio, width: number, height: number, zoom = 1): Promise<void> {
  const shown = await windowOf(studio)
  await studio.app.evaluate(
    (_electron, wanted) => {
      wanted.shown.setMinimumSize(0, 0)
      wanted.shown.setContentSize(wanted.width, wanted.height)
    },
    { shown, width, height },
  )
  await studio.page.evaluate((zoomFactor) => window.mien.settings.set({ zoomFactor }), zoom)
  await studio.page.waitForFunction(
    (wanted) => Math.abs(innerWidth - wanted.width) <= 1 && Math.abs(innerHeight - wanted.height) <= 1,
    { width: width / zoom, height: height / zoom },
  )
}

/** Goes to a place from wherever the window is. */
export async function go(page: Page, key: string): Promise<void> {
  await page.keyboard.press('Escape')
  await page.keyboard.press(`Control+${key}`)
}

/** Puts a face, that of the sample, and a video, its own in small, into the slots. */
export async function fillSlots(page: Page, video = clips.small, face = sample.face): Promise<void> {
  await dropFiles(page, '[data-slot=face]', [face])
  await page.getByText('1 face found').waitFor()
  await dropFiles(page, '[data-slot=video]', [video])
  await page.getByText('1 person').waitFor()
}

/** Adds a service with a key. @returns its id */
export const addService = (
  page: Page,
  baseUrl: string,
  keep: 'session' | 'keychain' = 'session',
  key = 'sk-of-the-agency-8f2c',
): Promise<string> =>
  page.evaluate(
    async (given) => {
      const { mien } = window
      const saved = await mien.profiles.save({ name: 'Agency', baseUrl: given.baseUrl })
      if (!saved.ok) throw new Error(saved.error.code)
      const set = await mien.profiles.setKey({ profileId: saved.value.id, key: given.key, keep: given.keep })
      if (!set.ok) throw new Error(set.error.code)
      return saved.value.id
    },
    { baseUrl, key, keep },
  )

/** The services but the one on this computer. If the keyring takes longer than a second, their keys count as missing. */
export const servicesOf = (page: Page): Promise<ProfileView[]> =>
  page.evaluate(async () => {
    const list = await window.mien.profiles.list()
    return list.ok ? list.value.filter(({ embedded }) => !embedded) : []
  })

/** Sends the sample to a service. @returns the swap's id */
export const submitSample = (
  page: Page,
  title: string,
  profileId: string,
  videoId: string = sampleIds.videoId,
): Promise<string> =>
  page.evaluate(
    async (draft) => {
      const sent = await window.mien.tasks.submit(draft)
      if (!sent.ok) throw new Error(sent.error.code)
      return sent.value.taskId
    },
    { ...sampleIds, videoId, title, profileId },
  )

/** A swap as main tells it. @param taskId else the newest one */
export async function taskOf(page: Page, taskId?: string): Promise<Task> {
  const json = await page.evaluate(async (wanted) => {
    const { library, tasks } = window.mien
    const view = await library.view({ search: '', filter: 'all', sort: 'newest' })
    const rows = view.ok ? await library.rows({ numbers: Uint32Array.from(view.value.order) }) : view
    const id = wanted ?? (rows.ok ? (JSON.parse(rows.value.json) as { id: string }[])[0]?.id : undefined)
    const task = await tasks.get({ taskId: id ?? '' })
    return task.ok ? task.value.json : null
  }, taskId)
  if (json === null) throw new Error('There is no such swap')
  return JSON.parse(json) as Task // what main wrote
}
