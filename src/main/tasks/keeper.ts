/**
 * @file Fetches what a service finished, as soon as it exists (results may expire), into the user's
 * folder; then the swap is "kept". What goes wrong here never fails the swap: it is told and tried again.
 */
import { existsSync } from 'node:fs'
import { access, constants, mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MienError, toErrorBody } from '@shared/errors.ts'
import { embeddedProfileId, type Task, type TaskResult } from '@shared/task.ts'
import { timeHeldMs } from '@shared/time-held.ts'
import type { ServiceClient } from '../service-client/service-client.ts'
import type { ServiceTask } from '../service-client/types.ts'
import { backoffMs } from './backoff.ts'
import { atMostEvery } from './every.ts'
import type { Log, Services } from './ports.ts'
import { freeName, safeName } from './result-name.ts'
import type { TaskBoard } from './task-board.ts'
import type { TaskStore } from './task-store.ts'

/** Where results go. */
export interface Destination {
  folder: string
  /** The folder as a person says it. */
  folderName: string
  /** A name that was asked for, which may be written over; null: by the title, never over a file. */
  fileName: string | null
}

interface KeeperDeps {
  board: TaskBoard
  store: TaskStore
  services: Services
  destination: () => Destination
  /** Folder for what Mien keeps beside a swap (cover, people). */
  mediaDir: (taskId: string) => string
  /** Lists a file as a medium and returns its id. */
  addMedia: (path: string) => string
  /** A timing was added for a profile. */
  onLearned: (profileId: string) => void
  log: Log
  now: () => number
  random: () => number
}

/** So many are fetched at once; the rest wait for their turn. */
const atOnce = 3

export class Keeper {
  private readonly deps: KeeperDeps
  private readonly running = new Map<string, AbortController>()
  private readonly retries = new Map<string, NodeJS.Timeout>()
  private readonly attempts = new Map<string, number>()
  /** Answers in which they were finished: a result may expire, so it is fetched without asking again. */
  private readonly fresh = new Map<string, ServiceTask>()
  /** Paths that are being written, so that two swaps of one title do not meet. */
  private readonly taken = new Set<string>()

  constructor(deps: KeeperDeps) {
    this.deps = deps
  }

  /** The answer in which a swap is finished; told before the board. */
  finished(taskId: string, answer: ServiceTask): void {
    this.fresh.set(taskId, answer)
  }

  /** Fetches every finished swap that is not being fetched yet and is not waiting to be tried again. */
  wake(): void {
    for (const task of this.deps.board.inStates('succeeded')) {
      if (this.running.size >= atOnce) return
      if (this.running.has(task.id) || this.retries.has(task.id) || task.pause === 'user') continue
      const abort = new AbortController()
      this.running.set(task.id, abort)
      void this.keep(task, abort.signal).finally(() => {
        this.running.delete(task.id)
        this.wake()
      })
    }
  }

  /** Tries at once what waits to be tried again. */
  tryNow(taskId: string): void {
    clearTimeout(this.retries.get(taskId))
    this.retries.delete(taskId)
    this.wake()
  }

  /** The same for all; for when the network is back. */
  tryAllNow(): void {
    for (const taskId of [...this.retries.keys()]) this.tryNow(taskId)
  }

  interrupt(taskId: string): void {
    this.running.get(taskId)?.abort()
  }

  dispose(): void {
    for (const timer of this.retries.values()) clearTimeout(timer)
    for (const abort of this.running.values()) abort.abort()
  }

  private async keep(task: Task, signal: AbortSignal): Promise<void> {
    try {
      await this.fetch(task, signal)
      this.attempts.delete(task.id)
    } catch (error) {
      if (signal.aborted) return
      this.deps.log('Fetching a result failed', error)
      this.deps.board.tell(task.id, { type: 'fetch-failed', error: toErrorBody(error) })
      const attempts = (this.attempts.get(task.id) ?? 0) + 1
      this.attempts.set(task.id, attempts)
      const timer = setTimeout(
        () => {
          this.tryNow(task.id)
        },
        backoffMs(attempts + 2, this.deps.random()),
      )
      this.retries.set(task.id, timer)
    }
  }

  private async fetch(task: Task, signal: AbortSignal): Promise<void> {
    const { board, services } = this.deps
    const client = services.client(task.profileId)
    const objectId = task.objectId ?? ''
    const answer = this.fresh.get(task.id) ?? (await client.fetchTasks([objectId], signal)).found.get(objectId)
    // Once only: after a failure the service is asked anew, as an address may have run out.
    this.fresh.delete(task.id)
    if (!answer?.resultUrl) throw new MienError('result-unreadable', { name: task.title })
    const { folder, folderName, fileName } = this.deps.destination()
    await ensureWritable(folder, folderName)
    const path = join(folder, fileName ?? this.freeFileName(folder, task.title))
    this.taken.add(path)
    try {
      await client.download(answer.resultUrl, path, {
        ...{ signal, wanted: 'video' },
        onProgress: atMostEvery(100, this.deps.now, ({ bytesDone, bytesTotal }) => {
          board.tell(task.id, { type: 'fetch-progress', bytesDone, bytesTotal })
        }),
      })
      const stills = await this.fetchStills(client, task, answer, signal)
      const result = await this.result(path, folderName, answer)
      board.tell(task.id, { type: 'kept', result, ...stills })
    } finally {
      this.taken.delete(path)
    }
    this.learn(task)
    this.release(client, task.id, objectId)
  }

  private freeFileName(folder: string, title: string): string {
    return freeName(
      safeName(title),
      'mp4',
      (name) => existsSync(join(folder, name)) || this.taken.has(join(folder, name)),
    )
  }

  /** The cover and the people; a service that has none, or loses one, does not keep the video from being kept. */
  private async fetchStills(client: ServiceClient, task: Task, answer: ServiceTask, signal: AbortSignal) {
    const dir = this.deps.mediaDir(task.id)
    await mkdir(dir, { recursive: true })
    const still = async (url: string, name: string): Promise<string[]> => {
      try {
        await client.download(url, join(dir, name), { signal, wanted: 'picture' })
        return [this.deps.addMedia(join(dir, name))]
      } catch (error) {
        this.deps.log(`Fetching ${name} failed`, error)
        return []
      }
    }
    const covers = answer.coverUrl === null ? [] : await still(answer.coverUrl, 'cover.jpg')
    const peopleIds: string[] = []
    for (const [index, url] of answer.avatarUrls.slice(0, 10).entries()) {
      peopleIds.push(...(await still(url, `person-${String(index)}.jpg`)))
    }
    return { coverId: covers[0] ?? null, peopleIds }
  }

  private async result(path: string, folderName: string, answer: ServiceTask): Promise<TaskResult> {
    const facts = answer.work?.result
    return {
      mediaId: this.deps.addMedia(path),
      fileName: path.slice(dirname(path).length + 1),
      folderName,
      width: answer.width,
      height: answer.height,
      durationMs: answer.durationMs,
      sizeBytes: (await stat(path)).size,
      fps: facts?.fps ?? null,
      videoCodec: facts?.videoCodec ?? null,
      audioCodec: facts?.audioCodec ?? null,
      lostSound: facts?.lostSound ?? [],
      frames: facts?.frames ?? null,
      swappedFrames: facts?.swappedFrames ?? null,
      workFps: facts?.workFps ?? null,
      encoder: facts?.encoder ?? null,
      fellBack: facts?.fellBack ?? null,
      quality: facts?.quality ?? null,
    }
  }

  /**
   * How long it took: at a service from when it was sent, as its own queue counts too for who waits; here from when
   * it was taken up, without what it was held.
   */
  private learn(task: Task): void {
    const { board, store, now } = this.deps
    const kept = board.get(task.id)
    const at = (what: Task['events'][number]['what']) =>
      kept?.events.findLast((event) => event.what === what)?.at ?? null
    const isHere = task.profileId === embeddedProfileId
    const from = isHere ? task.startedAt : at('sent')
    const until = at('succeeded')
    if (!kept?.result || from === null || until === null || until <= from) return
    const heldMs = isHere ? timeHeldMs(kept.events, from, until) : 0
    // Much of it was done twice, which says nothing about the next one.
    if (kept.result.fellBack === 'failed') return
    const { durationMs, width, height } = task.video
    const timing = {
      frames: kept.result.frames,
      videoMs: durationMs,
      pixels: width * height,
      tookMs: until - from - heldMs,
    }
    store.addTiming(task.profileId, timing, now())
    this.deps.onLearned(task.profileId)
  }

  /** The service's copies are not needed any more, where it can delete them; and neither are the previews. */
  private release(client: ServiceClient, taskId: string, objectId: string): void {
    const work = async (): Promise<void> => {
      await rm(join(this.deps.mediaDir(taskId), 'preview'), { recursive: true, force: true })
      if ((await client.capabilities())?.delete) await client.delete(objectId)
    }
    work().catch((error: unknown) => {
      this.deps.log('Clearing up at the service failed', error)
    })
  }
}

/** @throws MienError `folder-missing` or `folder-read-only` */
async function ensureWritable(folder: string, folderName: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
  } catch (error) {
    throw new MienError('folder-missing', { folder: folderName }, { cause: error })
  }
  try {
    await access(folder, constants.W_OK)
  } catch (error) {
    throw new MienError('folder-read-only', { folder: folderName }, { cause: error })
  }
}
