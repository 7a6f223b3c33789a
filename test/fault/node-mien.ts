/** @file The life of swaps without Electron: the real outbox, watcher, downloader, database and client, over Node's fetch. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Task } from '@shared/task.ts'
import { ServiceClient } from '../../src/main/service-client/service-client.ts'
import { MediaStore } from '../../src/main/media/media-store.ts'
import { openLibrary } from '../../src/main/tasks/store/library-db.ts'
import { TaskService } from '../../src/main/tasks/task-service.ts'
import { TaskStore } from '../../src/main/tasks/store/task-store.ts'
import { face, video } from '../fixtures/tasks.ts'
import type { Mien, Row, ServiceSpec } from './driver.ts'

/** Makes the two files that every swap of these runs is of, once per folder. */
export function ensureMedia(media: MediaStore, dir: string): void {
  writeFileSync(join(dir, 'face.jpg'), 'face')
  writeFileSync(join(dir, 'clip.mp4'), 'video!')
  if (media.path(face.id) === null) media.addFace(join(dir, 'face.jpg'), 'hash', face)
  if (media.path(video.id) === null) media.addVideo(join(dir, 'clip.mp4'), video)
  media.confirmFace(face.id, true, 1)
}

export const submission = (profileId: string, title: string) => ({
  faceId: face.id,
  videoId: video.id,
  title,
  profileId,
})

export const rowOf = (task: Task): Row => ({
  id: task.id,
  title: task.title,
  state: task.state,
  pause: task.pause,
  objectId: task.objectId,
  error: task.error?.code ?? null,
  fileName: task.result?.fileName ?? null,
})

export interface NodeMien extends Mien {
  dispose(): void
}

/** Opens a library in `dir` as it is, and goes on with what is in it. Services are remembered in a file. */
export async function openNodeMien(dir: string): Promise<NodeMien> {
  const resultsDir = join(dir, 'results')
  mkdirSync(resultsDir, { recursive: true })
  const file = join(dir, 'services.json')
  const services = readServices(file)
  const save = (): void => {
    writeFileSync(file, JSON.stringify([...services]))
  }
  const clients = new Map<string, ServiceClient>()
  const client = (profileId: string): ServiceClient => {
    const known = clients.get(profileId)
    if (known) return known
    const made = new ServiceClient({
      baseUrl: services.get(profileId)?.baseUrl ?? 'http://127.0.0.1:1',
      keyHeader: 'X-Service-Apikey',
      durationUnit: 'ms',
      readKey: () => Promise.resolve(services.get(profileId)?.key ?? null),
      fetch: globalThis.fetch,
    })
    clients.set(profileId, made)
    return made
  }
  const library = openLibrary(join(dir, 'library.db'), Date.now())
  const media = new MediaStore(library.db)
  ensureMedia(media, dir)
  const tasks: TaskService = new TaskService({
    store: new TaskStore(library.db, () => undefined),
    services: {
      client,
      inFlightLimit: () => Infinity,
      keyRefused: (profileId) => {
        void tasks.pauses.pauseForKey(profileId)
      },
    },
    media: {
      path: (id) => media.path(id),
      face: (id) => media.face(id),
      video: (id) => media.video(id),
      addDerived: (path) => media.addDerived(path),
      addTemporary: (path) => media.addTemporary(path),
      dropTemporary: (id) => {
        media.dropTemporary(id)
      },
    },
    mediaDir: (id) => join(dir, 'media', id),
    destination: () => ({ folder: resultsDir, folderName: 'results', fileName: null }),
    log: () => undefined,
  })
  let uncaught = 0
  const onUncaught = (): void => {
    uncaught += 1
  }
  process.on('uncaughtException', onUncaught)
  process.on('unhandledRejection', onUncaught)
  await tasks.start()
  const change = (profileId: string, patch: Partial<ServiceSpec>): void => {
    const old = services.get(profileId)
    if (!old) throw new Error(`There is no service ${profileId}`)
    services.set(profileId, { ...old, ...patch })
    clients.delete(profileId)
    save()
  }
  return {
    resultsDir,
    addService: async (service) => {
      services.set(service.name, service)
      save()
      return service.name
    },
    setKey: async (profileId, key) => {
      change(profileId, { key })
      tasks.pauses.keyChanged(profileId)
    },
    setBase: async (profileId, baseUrl) => {
      change(profileId, { baseUrl })
    },
    submit: async (profileId, title) => tasks.submit(submission(profileId, title)).taskId,
    rows: async () => tasks.snapshot().tasks.map(rowOf),
    crashes: async () => uncaught,
    dispose: () => {
      void tasks.dispose()
      library.db.close()
      process.off('uncaughtException', onUncaught)
      process.off('unhandledRejection', onUncaught)
    },
  }
}

function readServices(file: string): Map<string, ServiceSpec> {
  try {
    // Written by `save` above.
    return new Map(JSON.parse(readFileSync(file, 'utf8')) as [string, ServiceSpec][])
  } catch {
    return new Map()
  }
}
