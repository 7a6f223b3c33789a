/** @file The life of swaps without Electron: the real outbox, watcher, downloader, database and client, over Node's fetch. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Task } from '@shared/tasks/task.ts'
import type { ServiceClient } from '../../src/main/remote/client/service-client.ts'
import { MediaStore } from '../../src/main/media/media-store.ts'
import { openLibrary } from '../../src/main/swaps/store/library-db.ts'
import { TaskStore } from '../../src/main/swaps/store/task-store.ts'
import { systemClock, type Clock } from '../../src/main/swaps/store/parts.ts'
import type { TaskService } from '../../src/main/swaps/task-service.ts'
import { addMedia, makeClient, makeTaskService } from '../fixtures/task-service.ts'
import { makeDraft } from '../fixtures/tasks.ts'
import type { Mien, Row, ServiceSpec } from './driver.ts'

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
export async function openNodeMien(dir: string, clock: Clock = systemClock): Promise<NodeMien> {
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
    const made = makeClient(services.get(profileId)?.baseUrl ?? 'http://127.0.0.1:1', {
      readKey: () => Promise.resolve(services.get(profileId)?.key ?? null),
    })
    clients.set(profileId, made)
    return made
  }
  const library = openLibrary(join(dir, 'library.db'), Date.now())
  const media = new MediaStore(library.db)
  addMedia(media, dir)
  const store = new TaskStore(library.db, () => undefined)
  const tasks: TaskService = makeTaskService({
    ...{ db: library.db, dir, store, media, clock },
    services: {
      client,
      inFlightLimit: () => Infinity,
      keyRefused: (profileId, code) => {
        void tasks.pauses.pauseAll(profileId, code)
      },
    },
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
    submit: async (profileId, title) => tasks.submit(makeDraft({ profileId, title })).taskId,
    rows: async () => store.all().map(rowOf),
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
