/**
 * @file Fills a library with a swap in every state that cannot be reached quickly by itself, through the app's own
 * stores. Pictures and videos are made from the finished sample swap by ffmpeg, which the product never uses.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Task, VideoMedia } from '../../src/shared/tasks/task.ts'
import { MediaStore } from '../../src/main/media/media-store.ts'
import { openLibrary } from '../../src/main/swaps/store/library-db.ts'
import { TaskStore } from '../../src/main/swaps/store/task-store.ts'
import { clip, progress } from '../fixtures/fake-tasks.ts'

/** Looks of a frame, as ffmpeg filters, so that a library of one clip does not look like one. */
const looks = {
  plain: 'null',
  close: 'crop=iw*0.62:ih*0.62:iw*0.2:ih*0.3,scale=1280:720',
  mirror: 'hflip',
  grey: 'hue=s=0',
  warm: 'colorbalance=rs=0.25:bs=-0.2',
  cool: 'colorbalance=rs=-0.2:bs=0.25',
  wide: 'scale=900:506,pad=1280:720:190:107:0xb9aea8',
  dark: 'eq=brightness=-0.12:contrast=1.1',
  upright: 'crop=ih*9/16:ih,scale=720:1280',
} as const
type Look = keyof typeof looks

interface Profiles {
  /** Ids of the services, as the app gave them. */
  cloud: string
  agency: string
}

/** @param dataDir of an app that is not running and has one finished swap */
export function seed(dataDir: string, profiles: Profiles): void {
  const { db } = openLibrary(join(dataDir, 'library.db'), Date.now())
  const media = new MediaStore(db)
  const store = new TaskStore(db, console.error)
  const [sample] = store.all()
  if (sample?.result == null || sample.coverId === null) throw new Error('The sample swap is not finished')
  const paths = { before: media.path(sample.video.id) ?? '', after: media.path(sample.result.mediaId) ?? '' }
  const folder = join(dataDir, 'media', sample.id)
  mkdirSync(folder, { recursive: true })
  const base = sample
  const { result } = sample

  /** A frame of one of the two videos, in a look. Returns its media id. */
  const still = (of: 'before' | 'after', look: Look, second: number): string => {
    const path = join(folder, `${of}-${look}-${String(second)}.jpg`)
    const args = ['-v', 'error', '-y', '-ss', String(second), '-i', paths[of], '-frames:v', '1', '-vf', looks[look], path]
    execFileSync('ffmpeg', args)
    return media.addDerived(path)
  }
  const footage = (look: Look, seconds: number, second: number): VideoMedia => ({
    ...base.video,
    ...(look === 'upright' ? { width: 720, height: 1280 } : {}),
    durationMs: seconds * 1000,
    coverId: still('before', look, second),
    faces: clip().faces,
  })
  const now = Date.now()
  const minutes = (count: number): number => now - count * 60_000
  let made = 0

  const add = (title: string, look: Look, seconds: number, ago: number, change: Partial<Task>): void => {
    made += 1
    const second = made % 5
    const finished = change.state === undefined
    const createdAt = minutes(ago)
    const told = change.state === 'processing' ? 'working' : change.state === 'missing' ? 'gone' : 'waiting'
    const objectId = `${told}-${String(made)}`
    store.putWithOutbox(
      {
        ...base,
        id: `seeded-${String(made)}`,
        title,
        objectId: change.profileId === undefined ? base.objectId : objectId,
        serviceTaskId: change.profileId === undefined ? base.serviceTaskId : objectId,
        video: footage(look, seconds, second),
        coverId: finished ? still('after', look, second) : null,
        result: finished ? result : null,
        peopleIds: finished ? base.peopleIds : [],
        serviceStatus: finished ? base.serviceStatus : null,
        createdAt,
        updatedAt: createdAt,
        startedAt: createdAt + 1000,
        endedAt: finished ? createdAt + 30_000 : null,
        events: base.events.slice(0, 2).map((event) => ({ ...event, at: createdAt })),
        ...change,
      },
      null,
    )
  }

  const { cloud, agency } = profiles
  const sentAt = minutes(3)
  const unfinished = { endedAt: null } as const
  add('Interview, take 3', 'warm', 68, 3, {
    ...unfinished,
    ...{ profileId: cloud, state: 'processing', progress: progress({ share: 0.4, etaMs: 170_000 }) },
  })
  add('Interview, take 2', 'cool', 51, 4, { ...unfinished, profileId: cloud, state: 'waiting' })
  add('Gallery loop', 'dark', 20, 6, {
    ...unfinished,
    ...{ profileId: cloud, state: 'unconfirmed', objectId: null },
    events: [{ at: sentAt, what: 'unconfirmed', details: { seconds: 30 } }],
  })
  add('Launch day interview', 'wide', 42, 10, {})
  add('Portrait in motion', 'mirror', 12, 15, {})
  add('Gallery pan', 'dark', 33, 20, { ...unfinished, profileId: agency, state: 'waiting' })
  add('Launch pad insert', 'close', 9, 25, {
    ...{ state: 'failed', error: { code: 'no-face-in-video', details: {} }, endedAt: minutes(24) },
  })
  add('Archive, black and white', 'grey', 18, 30, {})
  const day = 24 * 60
  add('Helmet close-up', 'close', 11, day, { profileId: cloud, state: 'missing', endedAt: minutes(day - 5) })
  add('Reel, 9:16', 'upright', 15, day + 5, {})
  add('Gallery close-up', 'close', 8, day + 15, {})
  add('Take 1, first try', 'warm', 6, day + 30, { state: 'cancelled', endedAt: minutes(day + 29) })
  db.close()
}
