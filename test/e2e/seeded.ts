/** @file The app with a swap in each state in its library and two services, and what brings it to a place and a size. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MediaStore } from '../../src/main/media/media-store.ts'
import { openLibrary } from '../../src/main/swaps/store/library-db.ts'
import { TaskStore } from '../../src/main/swaps/store/task-store.ts'
import type { Task } from '../../src/shared/tasks/task.ts'
import type { Page } from 'playwright-core'
import { clips, sample } from '../fixtures/clip.ts'
import { clip, monaLisa, outline, progress, swap } from '../fixtures/fake-tasks.ts'
import { refusingService, slowService } from '../shots/remote.ts'
import { dropFiles, type Studio } from './app.ts'
import { launchWarm } from './warm.ts'

const longTitle = 'An interview with a title that is far too long for any line of this window '.repeat(3).trim()

/** Ids of the two services in the settings file: `cloud` takes its time, `agency` refuses its key. */
const services = { cloud: 'cloud', agency: 'agency' } as const

export interface SeededStudio {
  studio: Studio
  end: () => Promise<void>
}

/** Starts the app with that library, and waits until the service that refuses its key has done so. */
export async function launchSeeded(): Promise<SeededStudio> {
  const [cloud, agency] = await Promise.all([slowService(), refusingService()])
  const studio = await launchWarm({ dataDir: seededData({ cloud: cloud.baseUrl, agency: agency.baseUrl }) })
  await studio.page.evaluate(async (ids) => {
    for (const profileId of ids) {
      await window.mien.profiles.setKey({ profileId, key: `sk-${profileId}-8f2c`, keep: 'session' })
    }
  }, Object.values(services))
  await studio.page
    .getByText(/doesn’t accept the key/)
    .first()
    .waitFor()
  return {
    studio,
    end: async () => {
      await studio.quit()
      await Promise.all([cloud.stop(), agency.stop()])
    },
  }
}

/** @returns a data folder to launch the app with */
function seededData(urls: { cloud: string; agency: string }): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'mien-e2e-'))
  const profile = (id: string, name: string, baseUrl: string): object => ({
    ...{ id, name, baseUrl, keyHeader: 'X-Service-Apikey', durationUnit: 'ms', allowHttp: true },
  })
  const profiles = [
    profile(services.cloud, 'Studio Cloud', urls.cloud),
    profile(services.agency, 'Agency', urls.agency),
  ]
  writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ version: 2, profiles }))
  fillLibrary(dataDir, addEachState)
  return dataDir
}

/** Puts swaps and media into a library while no app has it open. */
export function fillLibrary(dataDir: string, fill: (store: TaskStore, media: MediaStore) => void): void {
  const { db } = openLibrary(join(dataDir, 'library.db'), Date.now())
  fill(new TaskStore(db, console.error), new MediaStore(db))
  db.close()
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
  await studio.app.evaluate(
    ({ BrowserWindow }, wanted) => {
      const window = BrowserWindow.getAllWindows().find((each) => each.webContents.getURL().startsWith('app://studio'))
      window?.setMinimumSize(0, 0)
      window?.setContentSize(wanted.width, wanted.height)
    },
    { width, height },
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

/** Puts the sample's face and a video, its own in small, into the slots. */
export async function fillSlots(page: Page, video = clips.small): Promise<void> {
  await dropFiles(page, '[data-slot=face]', [sample.face])
  await page.getByText('1 face found').waitFor()
  await dropFiles(page, '[data-slot=video]', [video])
  await page.getByText('1 person').waitFor()
}
