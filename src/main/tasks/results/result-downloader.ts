/**
 * @file Fetches what a service finished, as soon as it exists (results may expire), into the user's folder; then the swap
 * is "kept". A failure here never fails the swap: it's shown, and tried again with growing pauses. What a quit or a crash
 * interrupts is finished by the next start, see fetch-records.ts.
 */
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MienError, toErrorBody, type ErrorCode } from '@shared/errors.ts'
import type { Task } from '@shared/task.ts'
import { replaceFile } from '../../data/busy-files.ts'
import { nameDiskFull } from '../../data/disk-full.ts'
import { saveFailure } from '../../data/save-failure.ts'
import { removePart } from '../../service-client/transport/download.ts'
import type { ServiceClient } from '../../service-client/service-client.ts'
import type { ServiceTask } from '../../service-client/types.ts'
import { backoffMs } from '../rules/backoff.ts'
import { atMostEvery } from '../rules/every.ts'
import { fetchStills } from './fetch-stills.ts'
import { ensureWritable, placeFile, wasPlaced } from './place-file.ts'
import type { Log, Services } from '../rules/ports.ts'
import { fileNames, placeNames, safeName } from './result-name.ts'
import { resultOf, timingOf } from './result-facts.ts'
import type { TaskBoard } from '../store/task-board.ts'
import type { TaskStore } from '../store/task-store.ts'

/** Where results go. */
export interface Destination {
  folder: string
  /** The folder as a person says it. */
  folderName: string
  /** A name that was asked for, which may be written over; null: by the title, never over a file. */
  fileName: string | null
}

interface ResultDownloaderDeps {
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
  ticks: () => number
  random: () => number
}

/** So many are fetched at once; the rest wait for their turn. */
const atOnce = 3

interface Failures {
  count: number
  /** The last one's, so that each is logged once. */
  code: ErrorCode
  retry: NodeJS.Timeout | null
}

export class ResultDownloader {
  private readonly deps: ResultDownloaderDeps
  private readonly running = new Map<string, { abort: AbortController; ended: Promise<void> }>()
  private readonly failures = new Map<string, Failures>()
  /** Answers in which they were finished: a result may expire, so it is fetched without asking again. */
  private readonly fresh = new Map<string, ServiceTask>()
  private disposed = false
  /** Whether it was logged that the library can't be written. */
  private saidUnwritable = false

  constructor(deps: ResultDownloaderDeps) {
    this.deps = deps
  }

  /** Finishes what the last run left: downloads, and parts of swaps that were cancelled. */
  start(): void {
    const { board, store } = this.deps
    for (const record of store.fetches.all()) {
      const task = board.get(record.taskId)
      if (task?.state === 'succeeded') continue
      if (task?.state === 'kept') this.clearUp(task)
      else this.inBackground(this.discard(record.taskId), 'Removing an unfinished result failed')
    }
  }

  /** The answer in which a swap is finished; told before the board. */
  finished(taskId: string, answer: ServiceTask): void {
    this.fresh.set(taskId, answer)
  }

  /** Fetches every finished swap that is not being fetched yet and is not waiting to be tried again. */
  wake(): void {
    if (this.disposed) return
    for (const task of this.deps.board.inStates('succeeded')) {
      if (this.running.size >= atOnce) return
      if (this.running.has(task.id) || this.failures.get(task.id)?.retry || task.pause === 'user') continue
      const abort = new AbortController()
      const ended = this.keep(task, abort.signal).finally(() => {
        this.running.delete(task.id)
        this.wake()
      })
      this.running.set(task.id, { abort, ended })
    }
  }

  /** Tries at once what waits to be tried again. */
  tryNow(taskId: string): void {
    const failures = this.failures.get(taskId)
    if (failures?.retry) clearTimeout(failures.retry)
    if (failures) failures.retry = null
    this.wake()
  }

  /** The same for all; for when the network is back. */
  tryAllNow(): void {
    for (const taskId of [...this.failures.keys()]) this.tryNow(taskId)
  }

  /** Ends the fetch of a swap that's cancelled now; nothing of it stays in the user's folder. */
  interrupt(taskId: string): void {
    this.forget(taskId)
    this.fresh.delete(taskId)
    const running = this.running.get(taskId)
    running?.abort.abort()
    const work = (running?.ended ?? Promise.resolve()).then(() => this.discard(taskId))
    this.inBackground(work, 'Removing an unfinished result failed')
  }

  /** Ends what is under way; the next start continues it. */
  async dispose(): Promise<void> {
    this.disposed = true
    for (const { retry } of this.failures.values()) if (retry) clearTimeout(retry)
    for (const { abort } of this.running.values()) abort.abort()
    await Promise.all([...this.running.values()].map(({ ended }) => ended))
  }

  private forget(taskId: string): void {
    const retry = this.failures.get(taskId)?.retry
    if (retry) clearTimeout(retry)
    this.failures.delete(taskId)
  }

  private inBackground(work: Promise<void>, failed: string): void {
    work.catch((error: unknown) => {
      this.deps.log(failed, error)
    })
  }

  /** Never rejects. */
  private async keep(task: Task, signal: AbortSignal): Promise<void> {
    try {
      await this.fetch(task, signal)
      this.forget(task.id)
      this.saidUnwritable = false
    } catch (error) {
      // A run from the command line doesn't come back for the rest.
      if (this.deps.destination().fileName !== null) await this.discard(task.id).catch(() => undefined)
      if (!signal.aborted) this.failed(task.id, nameDiskFull(error))
    }
  }

  private failed(taskId: string, thrown: unknown): void {
    const error = toErrorBody(thrown)
    const before = this.failures.get(taskId)
    const count = (before?.count ?? 0) + 1
    const wait = backoffMs(count + 2, this.deps.random())
    // First of all, as nothing that fails below may lead to another try at once.
    const retry = setTimeout(() => {
      this.tryNow(taskId)
    }, wait)
    this.failures.set(taskId, { count, code: error.code, retry })
    if (before?.code !== error.code) this.deps.log(`Fetching a result failed (${error.code})`, thrown)
    try {
      this.deps.board.dispatch(taskId, { type: 'fetch-failed', error })
    } catch (unwritten) {
      if (!this.saidUnwritable) this.deps.log('The library can’t be written', unwritten)
      this.saidUnwritable = true
    }
  }

  private async fetch(task: Task, signal: AbortSignal): Promise<void> {
    const { board, services, log, addMedia } = this.deps
    const client = services.client(task.profileId)
    const destination = this.deps.destination()
    const placed = await this.placed(task.id)
    const answer = await this.answer(client, task, signal)
    if (!answer?.resultUrl && placed === null) throw new MienError('result-unreadable', { name: task.title })
    const part = placed === null && answer?.resultUrl ? await this.part(task, destination) : null
    if (part !== null && answer?.resultUrl)
      await client.downloadPart(answer.resultUrl, part, {
        ...{ signal, wanted: 'video' },
        onProgress: atMostEvery(100, this.deps.ticks, ({ bytesDone, bytesTotal }) => {
          board.dispatch(task.id, { type: 'fetch-progress', bytesDone, bytesTotal })
        }),
      })
    // Before the video gets its name: from then on nothing may be missing.
    const dir = this.deps.mediaDir(task.id)
    const stills = await fetchStills({ client, answer, dir, reuse: placed !== null, signal, addMedia, log })
    signal.throwIfAborted()
    const path = placed ?? (await this.place(task, part ?? '', destination))
    const { size } = await stat(path)
    // Cancelled at the last moment: it's no result.
    if (board.get(task.id)?.state !== 'succeeded') return
    const file = { ...placeNames(path, destination), mediaId: addMedia(path), sizeBytes: size }
    const kept = board.dispatch(task.id, { type: 'kept', result: resultOf(answer, file), ...stills })
    if (kept) this.learn(kept)
    this.clearUp(task)
  }

  /** What the service says of a swap; null: nothing. */
  private async answer(client: ServiceClient, task: Task, signal: AbortSignal): Promise<ServiceTask | null> {
    const objectId = task.objectId ?? ''
    const answer = this.fresh.get(task.id) ?? (await client.fetchTasks([objectId], signal)).found.get(objectId)
    // Once only: after a failure the service is asked anew, as an address may have run out.
    this.fresh.delete(task.id)
    return answer ?? null
  }

  /** Where a result is that an earlier try put in its place, but couldn't store; null: there is none. */
  private async placed(taskId: string): Promise<string | null> {
    const record = this.deps.store.fetches.get(taskId)
    return record?.path && (await wasPlaced(record.part, record.path)) ? record.path : null
  }

  /** What the result is downloaded into: what an earlier try left, if results still go there. */
  private async part(task: Task, { folder, folderName }: Destination): Promise<string> {
    const { fetches } = this.deps.store
    await ensureWritable(folder, folderName)
    const part = join(folder, `mien-${task.id}.part`)
    const old = fetches.get(task.id)
    if (old && old.part !== part) await removePart(old.part).catch(() => undefined)
    if (old?.part !== part || old.path !== null) fetches.put({ taskId: task.id, part, path: null })
    return part
  }

  private async place(task: Task, part: string, { folder, fileName }: Destination): Promise<string> {
    const onTry = (path: string): void => {
      this.deps.store.fetches.put({ taskId: task.id, part, path })
    }
    try {
      if (fileName === null)
        return await placeFile({ part, folder, names: fileNames(safeName(task.title), 'mp4'), onTry })
      const path = join(folder, fileName)
      onTry(path)
      await replaceFile(part, path)
      return path
    } catch (error) {
      throw await saveFailure(error, part)
    }
  }

  /** Removes what there is of a result that nobody wants any more. */
  private async discard(taskId: string): Promise<void> {
    const { fetches } = this.deps.store
    const record = fetches.get(taskId)
    if (!record) return
    const { part, path } = record
    if (path !== null && (await wasPlaced(part, path))) await rm(path, { force: true })
    await removePart(part)
    fetches.delete(taskId)
  }

  private learn(kept: Task): void {
    const { store, now, log, onLearned } = this.deps
    const timing = timingOf(kept)
    if (timing === null) return
    try {
      store.addTiming(kept.profileId, timing, now())
      onLearned(kept.profileId)
    } catch (error) {
      log('How long a swap took could not be stored', error)
    }
  }

  /** Removes what is left of the download, and the previews. What can't be done now is done by the next start. */
  private clearUp({ id }: Task): void {
    const { fetches } = this.deps.store
    const work = async (): Promise<void> => {
      const record = fetches.get(id)
      if (record) await removePart(record.part)
      await rm(join(this.deps.mediaDir(id), 'preview'), { recursive: true, force: true })
      if (!this.disposed) fetches.delete(id)
    }
    this.inBackground(work(), 'Clearing up after a download failed')
  }
}
