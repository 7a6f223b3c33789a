/**
 * @file Mien's swaps with the real library, the real embedded service and an online one, on a clock of the test's own.
 * It can be quit, killed at any moment, and started again on the same folder.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inspect } from 'node:util'
import { embeddedProfileId, type Task } from '@shared/tasks/task.ts'
import { EmbeddedService } from '../../src/main/service/embedded/embedded-service.ts'
import { MediaStore } from '../../src/main/media/media-store.ts'
import type { ServiceClient } from '../../src/main/remote/client/service-client.ts'
import { paceMs } from '../../src/main/swaps/rules/backoff.ts'
import { openLibrary, type OpenedLibrary } from '../../src/main/swaps/store/library-db.ts'
import type { TaskService } from '../../src/main/swaps/task-service.ts'
import { TaskStore } from '../../src/main/swaps/store/task-store.ts'
import { tidy } from '../../src/main/swaps/store/tidy.ts'
import { addMedia, makeClient, makeTaskService } from '../fixtures/task-service.ts'
import { makeDraft } from '../fixtures/tasks.ts'
import { Clock } from './clock.ts'
import { ModelEngine } from './engine.ts'
import { OnlineService, type OnlineExtras } from './online-service.ts'

export const online = 'online'
export const onlineLimit = 2

/** One run of Mien, from a start to a quit or a kill. */
interface Run {
  library: OpenedLibrary
  store: TaskStore
  tasks: TaskService
  media: MediaStore
  local: EmbeddedService
  isDead: boolean
}

const never = (): Promise<never> => new Promise(() => undefined)

export class World {
  readonly dir = mkdtempSync(join(tmpdir(), 'mien-model-'))
  readonly results = join(this.dir, 'results')
  readonly service = join(this.dir, 'service')
  readonly clock = new Clock()
  readonly engine = new ModelEngine()
  readonly online: OnlineService
  readonly pausedQueues = new Set<string>()
  readonly logged: string[] = []
  private key: string | null = null
  private run: Run | null = null

  constructor(extras: OnlineExtras) {
    this.online = new OnlineService(extras)
    mkdirSync(this.results)
  }

  get tasks(): TaskService {
    return this.now.tasks
  }

  get store(): TaskStore {
    return this.now.store
  }

  private get now(): Run {
    if (!this.run) throw new Error('Mien is not running')
    return this.run
  }

  async open(): Promise<void> {
    const startedAt = Date.now()
    const library = openLibrary(join(this.dir, 'library.db'), Date.now())
    const media = new MediaStore(library.db)
    const store = new TaskStore(library.db, (line) => this.logged.push(line))
    const run = { library, store, media, isDead: false } as Run // completed below
    run.local = new EmbeddedService({
      dir: this.service,
      engine: { swap: (job) => this.alive(run, this.engine.swap(job)) },
      freeBytes: () => Promise.resolve(2 ** 40),
      log: (message) => this.logged.push(message),
    })
    const { baseUrl, adminToken } = await run.local.start()
    const client = this.client(run, baseUrl, () => this.key, adminToken)
    this.key = (await client.newKey(1n)).shown
    const clients = new Map([
      [embeddedProfileId, client],
      [online, this.client(run, this.online.baseUrl, () => 'a-key')],
    ])
    run.tasks = makeTaskService({
      ...{ db: library.db, dir: this.dir, store, media },
      services: {
        client: (id) => clients.get(id) ?? client,
        inFlightLimit: (id) => (id === embeddedProfileId ? 2 : onlineLimit),
        isLocal: (id) => id === embeddedProfileId,
        isPaused: (id) => this.pausedQueues.has(id),
      },
      log: (message, error) => this.logged.push(`${message} ${error instanceof Error ? error.message : ''}`),
      clock: { random: () => 0.5, paceMs, ticks: () => Date.now() },
    })
    this.run = run
    await this.clock.until(run.tasks.start())
    const mediaDir = join(this.dir, 'media')
    mkdirSync(mediaDir, { recursive: true })
    await tidy(
      {
        ...{ store, media, mediaDir, log: () => undefined },
        onForgotten: () => {
          run.tasks.wake()
        },
      },
      startedAt,
      new AbortController().signal,
    )
    // What no swap used was forgotten with the last run.
    this.giveConsent()
    await this.clock.settle()
  }

  /** Nothing reaches a run that was killed any more. */
  private async alive<T>(run: Run, work: Promise<T>): Promise<T> {
    try {
      const value = await work
      return run.isDead ? await never() : value
    } catch (error) {
      if (run.isDead) return never()
      throw error
    }
  }

  private client(run: Run, baseUrl: string, key: () => string | null, adminToken?: string): ServiceClient {
    const { clock } = this
    // A body that is still arriving counts as under way, too.
    const withBody = (response: Response): Response => {
      if (response.body === null) return response
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(undefined, undefined, {
        highWaterMark: Infinity,
      })
      clock.track(response.body.pipeTo(writable), `body of ${response.url}`).catch(() => undefined)
      return new Response(readable, response)
    }
    const fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      const request = new Request(input, init)
      if (run.isDead) return never()
      const isOnline = request.url.startsWith(this.online.baseUrl)
      const answer = isOnline ? this.askOnline(request) : globalThis.fetch(request)
      return this.alive(run, clock.track(answer, request.url).then(withBody))
    }
    const client = makeClient(baseUrl, {
      ...{ gapMs: 0, fetch },
      readKey: () => Promise.resolve(key()),
      ...(adminToken === undefined ? {} : { adminToken }),
    })
    // Uploads go by Node's own HTTP, not by fetch.
    const upload = client.uploadAsset.bind(client)
    const isOnline = baseUrl === this.online.baseUrl
    client.uploadAsset = (...input) =>
      this.alive(run, clock.track(isOnline ? this.online.upload(input[1]) : upload(...input), 'upload'))
    return client
  }

  private async askOnline(request: Request): Promise<Response> {
    const aborted = new Promise<never>((_resolve, reject) => {
      request.signal.addEventListener('abort', () => {
        reject(request.signal.reason as Error) // of an AbortController
      })
    })
    const waits = (): (() => void) => {
      this.clock.pending -= 1
      let isWaiting = true
      const goesOn = (): void => {
        if (isWaiting) this.clock.pending += 1
        isWaiting = false
      }
      request.signal.addEventListener('abort', goesOn)
      return goesOn
    }
    return Promise.race([this.online.answer(request, waits), aborted])
  }

  /** The face may no longer be used. */
  withdraw(): void {
    this.now.media.consents.withdraw('hash', Date.now())
    this.tasks.stopWithdrawn()
  }

  /** Registers the media where they are not, and gives the consent again. */
  private giveConsent(): void {
    const { media } = this.now
    media.consents.give({ face: 'hash', name: 'Mona' }, Date.now(), {})
    addMedia(media, this.dir)
  }

  submit(profileId: string): string {
    this.giveConsent()
    const addresses = { imageUrl: 'http://web.test/face.jpg', videoUrl: 'http://web.test/clip.mp4' }
    return this.tasks.submit(makeDraft({ profileId }), profileId === online ? addresses : {}).taskId
  }

  async quit(): Promise<void> {
    const { tasks, local, library } = this.now
    this.online.release()
    await this.clock.until(tasks.dispose())
    await this.clock.until(local.dispose())
    library.db.close()
    this.run = null
    await this.clock.settle()
  }

  /** As SIGKILL does: nothing is finished, nothing is written any more. */
  async kill(): Promise<void> {
    const run = this.now
    run.isDead = true
    this.clock.forgetTimers()
    this.online.release()
    this.engine.release()
    run.library.db.close()
    await this.clock.until(run.local.dispose())
    this.run = null
    await this.clock.settle()
  }

  async close(): Promise<void> {
    try {
      if (this.run) await this.quit()
    } finally {
      this.clock.stop()
      rmSync(this.dir, { recursive: true, force: true })
    }
  }

  /** What there is, for a person who looks into a failure. */
  async report(): Promise<string> {
    const tasks = this.run
      ? this.all().map((task) => ({ ...task, face: 0, video: 0, entry: this.store.entry(task.id) }))
      : []
    const toEnd = this.run ? this.store.jobsToEnd.soonest(9) : []
    if (this.run) await this.quit()
    const db = new DatabaseSync(join(this.service, 'service.db'), { readOnly: true })
    const jobs = db.prepare('SELECT * FROM swaps').all()
    db.close()
    return inspect({ tasks, toEnd, jobs, online: this.online.jobs, log: this.logged }, { depth: 6, breakLength: 160 })
  }

  /** Every swap of the library, removed ones too. */
  all(): Task[] {
    return [...this.store.all(), ...this.store.removedBefore(Infinity, 1000)]
  }

  /** Names of everything below a folder of the world; none when it is not there. */
  files(folder: string): string[] {
    return existsSync(folder) ? readdirSync(folder) : []
  }
}
