/**
 * @file Downloads finished results into the user's folder as soon as they exist (results may expire) and marks the
 * swaps as kept. A failed download never fails the swap: it is shown and retried with backoff. The next start
 * finishes downloads that a quit or a crash interrupted, see `fetchTable`.
 */
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MienError, toErrorBody, type ErrorCode } from '@shared/errors.ts'
import { defaultFileName } from '@shared/files/name-template.ts'
import { resultFormatOf } from '@shared/tasks/output.ts'
import type { CredentialsState, Task } from '@shared/tasks/task.ts'
import { removeFile, replaceFile, exists } from '../../machine/disk/files.ts'
import { nameDiskFull, saveFailure } from '../../machine/disk/disk-errors.ts'
import { removePart } from '../../remote/client/transport/download.ts'
import type { ServiceClient } from '../../remote/client/service-client.ts'
import type { ServiceTask } from '../../remote/client/parsing/read-task.ts'
import { backoffMs } from '../rules/backoff.ts'
import { atMostEvery } from '../../machine/transfer/throttle.ts'
import { fetchStills, resultOf, timingOf } from './result-facts.ts'
import { ensureWritable, placeFile, wasPlaced, fileNames, placeNames, resultName } from './place-file.ts'
import { isKeyProblem } from '../../remote/profiles/profile-keys.ts'
import type { Destination, Parts } from '../store/parts.ts'

type ResultDownloaderDeps = Pick<
  Parts,
  'board' | 'store' | 'services' | 'media' | 'mediaDir' | 'destination' | 'signer' | 'log' | 'clock'
>

/** Max parallel downloads. */
const atOnce = 3

interface Failures {
  count: number
  /** Code of the last failure; a repeated one is not logged again. */
  code: ErrorCode
  retry: NodeJS.Timeout | null
}

export class ResultDownloader {
  private readonly running = new Map<string, { abort: AbortController; ended: Promise<void> }>()
  private readonly failures = new Map<string, Failures>()
  /** Final answers of finished swaps. A result may expire, so it is downloaded without asking again. */
  private readonly fresh = new Map<string, ServiceTask>()
  private readonly background = new Set<Promise<void>>()
  private disposed = false
  /** Whether the failed write to the library was already logged. */
  private saidUnwritable = false

  /** @param onLearned called after a timing was added for a profile */
  constructor(
    private readonly deps: ResultDownloaderDeps,
    private readonly onLearned: (profileId: string) => void,
  ) {}

  /** Cleans up after the last run: leftovers of kept downloads and of cancelled swaps. */
  start(): void {
    const { board, store } = this.deps
    for (const record of store.fetches.all()) {
      const task = board.get(record.taskId)
      if (task?.state === 'succeeded') continue
      if (task?.state === 'kept') this.clearUp(task)
      else this.inBackground(this.discard(record.taskId), 'Removing an unfinished result failed')
    }
  }

  /** Stores the final answer of a swap. Must be called before the board changes. */
  finished(taskId: string, answer: ServiceTask): void {
    this.fresh.set(taskId, answer)
  }

  /** Starts downloads of finished swaps, except those running or waiting for a retry. */
  wake(): void {
    if (this.disposed) return
    // Swaps that have ended otherwise aren't in memory.
    for (const taskId of this.fresh.keys()) if (!this.deps.board.held.get(taskId)) this.fresh.delete(taskId)
    for (const task of this.deps.board.held.inStates('succeeded')) {
      if (this.running.size >= atOnce) return
      if (
        this.running.has(task.id) ||
        this.failures.get(task.id)?.retry ||
        task.pause === 'user' ||
        task.pause === 'key'
      )
        continue
      const abort = new AbortController()
      const ended = this.keep(task, abort.signal).finally(() => {
        this.running.delete(task.id)
        this.wake()
      })
      this.running.set(task.id, { abort, ended })
    }
  }

  /** Retries a failed download now. */
  tryNow(taskId: string): void {
    const failures = this.failures.get(taskId)
    if (failures?.retry) clearTimeout(failures.retry)
    if (failures) failures.retry = null
    this.wake()
  }

  /** Retries all failed downloads now, e.g. when the network is back. */
  tryAllNow(): void {
    for (const taskId of [...this.failures.keys()]) this.tryNow(taskId)
  }

  /** Aborts the download of a cancelled swap and removes its files from the user's folder. */
  interrupt(taskId: string): void {
    this.forget(taskId)
    this.fresh.delete(taskId)
    const running = this.running.get(taskId)
    running?.abort.abort()
    const work = (running?.ended ?? Promise.resolve()).then(() => this.discard(taskId))
    this.inBackground(work, 'Removing an unfinished result failed')
  }

  /** Aborts running downloads; the next start continues them. Waits for the removal of files. */
  async dispose(): Promise<void> {
    this.disposed = true
    for (const { retry } of this.failures.values()) if (retry) clearTimeout(retry)
    for (const { abort } of this.running.values()) abort.abort()
    await Promise.all([...this.running.values()].map(({ ended }) => ended))
    await Promise.all(this.background)
  }

  private forget(taskId: string): void {
    const retry = this.failures.get(taskId)?.retry
    if (retry) clearTimeout(retry)
    this.failures.delete(taskId)
  }

  private inBackground(work: Promise<void>, failed: string): void {
    const done = work
      .catch((error: unknown) => {
        this.deps.log(failed, error)
      })
      .finally(() => {
        this.background.delete(done)
      })
    this.background.add(done)
  }

  /** Never rejects. */
  private async keep(task: Task, signal: AbortSignal): Promise<void> {
    try {
      await this.fetch(task, signal)
      this.forget(task.id)
      this.saidUnwritable = false
    } catch (error) {
      // A run of the command line won't retry, so remove the partial file.
      if (this.deps.destination().fileName !== null) await this.discard(task.id).catch(() => undefined)
      if (signal.aborted) return
      this.failed(task, nameDiskFull(error))
    }
  }

  private failed({ id: taskId, profileId }: Task, thrown: unknown): void {
    const error = toErrorBody(thrown)
    const before = this.failures.get(taskId)
    const count = (before?.count ?? 0) + 1
    const wait = backoffMs(count + 2, this.deps.clock.random())
    const isKey = isKeyProblem(error.code)
    // Set the timer first: if a line below throws, `wake` must not retry at once. Another key resumes the swap.
    const retry = isKey
      ? null
      : setTimeout(() => {
          this.tryNow(taskId)
        }, wait)
    this.failures.set(taskId, { count, code: error.code, retry })
    if (before?.code !== error.code) this.deps.log(`Fetching a result failed (${error.code})`, thrown)
    try {
      this.deps.board.dispatch(taskId, { type: 'fetch-failed', error })
      if (isKeyProblem(error.code)) {
        this.deps.board.dispatch(taskId, { type: 'pause', reason: 'key', jobCanPause: false, error })
        this.deps.services.keyRefused(profileId, error.code)
      }
      if (error.code === 'certificate-changed') this.deps.services.certificateChanged(profileId)
    } catch (unwritten) {
      if (!this.saidUnwritable) this.deps.log('The library can’t be written', unwritten)
      this.saidUnwritable = true
    }
  }

  private async fetch(task: Task, signal: AbortSignal): Promise<void> {
    const { board, services, media, log } = this.deps
    const client = services.client(task.profileId)
    const destination = this.deps.destination()
    const placed = await this.placed(task.id)
    const answer = await this.answer(client, task, signal)
    if (!answer?.resultUrl && placed === null)
      throw new MienError('result-unreadable', { name: task.title, reason: 'no-address' })
    const part = placed === null && answer?.resultUrl ? await this.part(task, destination) : null
    // Whole: it gets this name when it is.
    const isSigned = part !== null && (await exists(signedOf(part)))
    if (part !== null && !isSigned && answer?.resultUrl)
      await client.downloadPart(answer.resultUrl, part, {
        ...{ signal, wanted: task.video.kind === 'picture' ? 'picture' : 'video', maxBytes: Infinity },
        onProgress: atMostEvery(100, this.deps.clock.ticks, ({ bytesDone, bytesTotal }) => {
          board.dispatch(task.id, { type: 'fetch-progress', bytesDone, bytesTotal })
        }),
      })
    // Stills first: once the video has its final name, nothing may be missing.
    const dir = this.deps.mediaDir(task.id)
    const addMedia = (file: string): string => media.addDerived(file)
    const stills = await fetchStills({ client, answer, dir, reuse: placed !== null, signal, addMedia, log })
    signal.throwIfAborted()
    const credentials =
      placed !== null || part === null
        ? await this.deps.signer.stateOf(placed ?? '')
        : isSigned
          ? 'signed'
          : await this.sign(task, answer, part, signal)
    const path = placed ?? (await this.place(task, part ?? '', credentials, destination))
    const { size } = await stat(path)
    // Cancelled meanwhile: discard the result.
    if (board.get(task.id)?.state !== 'succeeded') return
    const file = { ...placeNames(path, destination), mediaId: addMedia(path), sizeBytes: size, credentials }
    const kept = board.dispatch(task.id, { type: 'kept', result: resultOf(answer, file), ...stills })
    if (kept) this.learn(kept)
    this.clearUp(task)
  }

  /** Signs a whole download, in the results folder, and removes it then. */
  private async sign(
    task: Task,
    answer: ServiceTask | null,
    part: string,
    signal: AbortSignal,
  ): Promise<CredentialsState> {
    const { model = null, frames = null, swappedFrames = null } = answer?.work?.result ?? {}
    const target = signingOf(part)
    const state = await this.deps.signer.sign({
      task,
      result: { model, frames, swappedFrames },
      source: part,
      target,
      signal,
    })
    if (state !== 'signed') return state
    await replaceFile(target, signedOf(part))
    // Before it is moved: wasPlaced looks for what is left.
    await removePart(part)
    return state
  }

  /** The service's answer for a swap; null: the service doesn't list it. */
  private async answer(client: ServiceClient, task: Task, signal: AbortSignal): Promise<ServiceTask | null> {
    const objectId = task.objectId ?? ''
    const answer = this.fresh.get(task.id) ?? (await client.fetchTasks([objectId], signal)).get(objectId)
    // Use it once only. After a failure ask the service again, as a URL may have expired.
    this.fresh.delete(task.id)
    return answer ?? null
  }

  /** Path of a result that an earlier try moved into place but couldn't record; null: none. */
  private async placed(taskId: string): Promise<string | null> {
    const record = this.deps.store.fetches.get(taskId)
    if (!record?.path) return null
    return (await wasPlaced(await lastOf(record.part), record.path)) ? record.path : null
  }

  /** Path of the partial download. An earlier one is reused if the results folder is still the same. */
  private async part(task: Task, { folder, folderName }: Destination): Promise<string> {
    const { fetches } = this.deps.store
    await ensureWritable(folder, folderName)
    const part = join(folder, `mien-${task.id}.part`)
    const old = fetches.get(task.id)
    if (old && old.part !== part) await removeAll(old.part).catch(() => undefined)
    if (old?.part !== part || old.path !== null) fetches.put({ taskId: task.id, part, path: null })
    return part
  }

  private async place(
    task: Task,
    part: string,
    credentials: CredentialsState,
    destination: Destination,
  ): Promise<string> {
    const { folder, fileName, template = defaultFileName } = destination
    const from = credentials === 'signed' ? signedOf(part) : part
    const onTry = (path: string): void => {
      this.deps.store.fetches.put({ taskId: task.id, part, path })
    }
    try {
      if (fileName === null)
        return await placeFile({
          ...{ part: from, folder },
          names: fileNames(resultName(task, template, this.deps.clock.now()), resultFormatOf(task.video)),
          onTry,
        })
      const path = join(folder, fileName)
      onTry(path)
      await replaceFile(from, path)
      return path
    } catch (error) {
      throw await saveFailure(error, from)
    }
  }

  /** Removes partial or finished files of a result that is no longer wanted. */
  private async discard(taskId: string): Promise<void> {
    const { fetches } = this.deps.store
    const record = fetches.get(taskId)
    if (!record) return
    const { part, path } = record
    if (path !== null && (await wasPlaced(await lastOf(part), path))) await rm(path, { force: true })
    await removeAll(part)
    fetches.delete(taskId)
  }

  private learn(kept: Task): void {
    const { store, clock, log } = this.deps
    const timing = timingOf(kept)
    if (timing === null) return
    try {
      store.timings.add(kept.profileId, timing, clock.now())
      this.onLearned(kept.profileId)
    } catch (error) {
      log('How long a swap took could not be stored', error)
    }
  }

  /** Removes leftovers of the download and the previews. The next start retries what fails. */
  private clearUp({ id }: Task): void {
    const { fetches } = this.deps.store
    const work = async (): Promise<void> => {
      const record = fetches.get(id)
      if (record) await removeAll(record.part)
      await rm(join(this.deps.mediaDir(id), 'preview'), { recursive: true, force: true })
      if (!this.disposed) fetches.delete(id)
    }
    this.inBackground(work(), 'Clearing up after a download failed')
  }
}

/** The signed copy of a download: while it is written, and when it is whole. */
const signingOf = (part: string): string => part.replace(/part$/, 'signing.part')
const signedOf = (part: string): string => part.replace(/part$/, 'signed.part')

/** The file that is moved into place. */
const lastOf = async (part: string): Promise<string> => ((await exists(signedOf(part))) ? signedOf(part) : part)

async function removeAll(part: string): Promise<void> {
  for (const path of [signingOf(part), signedOf(part)]) await removeFile(path)
  await removePart(part)
}
