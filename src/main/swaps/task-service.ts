/** @file Operations on swaps. Wires board, outbox, watcher and downloader: each delta of the board wakes the others. */
import { randomUUID } from 'node:crypto'
import { basename, parse } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { defaultFileName } from '@shared/files/name-template.ts'
import type { Capabilities } from '@shared/service/wire.ts'
import { embeddedProfileId, type Draft, type Task } from '@shared/tasks/task.ts'
import { DurationEstimator } from './estimate.ts'
import { systemClock, type Parts, type TaskServiceDeps } from './store/parts.ts'
import { PauseController } from './pause-controller.ts'
import { ResultDownloader } from './results/result-downloader.ts'
import { renameResult, resultName } from './results/place-file.ts'
import { JobCleanup } from './sending/job-cleanup.ts'
import { JobOrder, JobPauses } from './sending/job-control.ts'
import type { Command } from './rules/links.ts'
import { newTask, readDraft, type DraftContent } from './drafts.ts'
import { otherPictures, refusalOf, newEntry, type Addresses } from './rules/outbox-entry.ts'
import type { VersionAction } from './rules/versions.ts'
import { Outbox } from './sending/outbox.ts'
import { clearUploads } from './sending/upload-media.ts'
import { reordered, type Move } from './store/order.ts'
import { Previews } from './watching/previews.ts'
import { TaskBoard, type TaskDelta } from './store/task-board.ts'
import { Watcher } from './watching/watcher.ts'

/** States of swaps that may be moved on this computer. */
const openStates = ['queued', 'uploading', 'submitting', 'waiting', 'processing'] as const

export class TaskService {
  readonly durationEstimator: DurationEstimator
  readonly pauses: PauseController
  private readonly board: TaskBoard
  private readonly outbox: Outbox
  private readonly watcher: Watcher
  private readonly downloader: ResultDownloader
  private readonly previews: Previews
  private readonly cleanup: JobCleanup
  private readonly jobPauses: JobPauses
  private readonly jobOrder: JobOrder
  private stopListening: (() => void) | null = null
  private isDisposed = false

  constructor(
    private readonly deps: TaskServiceDeps,
    private readonly clock = systemClock,
  ) {
    const { store, services, systemStatus, log } = deps
    const board = new TaskBoard(store, clock.now, log)
    this.board = board
    const parts: Parts = { ...deps, board, clock }
    this.durationEstimator = new DurationEstimator(store.timings, deps.measured)
    this.previews = new Previews(parts)
    this.cleanup = new JobCleanup(parts)
    this.jobPauses = new JobPauses(parts)
    this.jobOrder = new JobOrder(parts)
    this.outbox = new Outbox(parts, this.cleanup)
    this.downloader = new ResultDownloader(parts, (profileId) => {
      this.durationEstimator.learned(profileId)
    })
    this.watcher = new Watcher({
      ...parts,
      expect: (task) => this.durationEstimator.of(task),
      onAnswer: (task, answer) => {
        store.putRecord(task.id, answer.raw)
        if (answer.resultUrl !== null) this.downloader.finished(task.id, answer)
        this.previews.heard(task, answer)
      },
    })
    const { outbox, watcher, downloader } = this
    const wake = (): void => {
      this.wake()
    }
    this.pauses = new PauseController({ board, services, systemStatus, outbox, watcher, downloader, wake })
    board.onCommand((task, command) => {
      this.carryOut(task.id, command)
    })
  }

  /** Does nothing after `dispose`: a quit may come while the embedded service starts. */
  async start(): Promise<void> {
    if (this.isDisposed) return
    // One each, so that a failure of one doesn't stop the others.
    clearUploads({ ...this.deps, board: this.board })
    this.board.onDelta((delta) => {
      this.previews.follow(delta)
    })
    this.board.onDelta(({ changed }) => {
      this.watcher.wake(changed)
    })
    for (const part of [this.outbox, this.jobOrder, this.downloader, this.cleanup])
      this.board.onDelta(() => {
        part.wake()
      })
    this.stopListening = this.deps.systemStatus.onChange((event) => {
      this.pauses.systemChanged(event).catch((error: unknown) => {
        this.deps.log('Following the network failed', error)
      })
    })
    this.downloader.start()
    // The outbox checks the others before it sends them.
    this.stopWithdrawn(this.board.held.inStates('waiting', 'missing'))
    this.outbox.start()
    this.jobPauses.start()
    this.jobOrder.start()
    if (!this.deps.systemStatus.isOnline()) await this.pauses.systemChanged('offline')
    this.wake()
  }

  async dispose(): Promise<void> {
    this.isDisposed = true
    this.stopListening?.()
    this.watcher.dispose()
    this.jobOrder.dispose()
    await this.downloader.dispose()
    await Promise.all([this.outbox.dispose(), this.cleanup.dispose(), this.jobPauses.dispose()])
  }

  /** Wakes all parts, e.g. when a network, a key or a folder is back. */
  wake(): void {
    this.outbox.wake()
    this.watcher.wake()
    this.downloader.wake()
    this.cleanup.wake()
  }

  private carryOut(taskId: string, command: Command): void {
    switch (command) {
      case 'stop-sending':
        this.outbox.interrupt(taskId)
        return
      case 'stop-download':
        this.downloader.interrupt(taskId)
        return
      case 'download-now':
        this.downloader.tryNow(taskId)
        return
      case 'look-again':
        this.watcher.lookAgain(taskId)
        return
      case 'pause-job':
      case 'resume-job':
        this.jobPauses.sync(taskId)
    }
  }

  /** Polls every service now, e.g. after a change of how answers are interpreted. */
  lookNow(): void {
    this.watcher.lookNow()
  }

  onDelta(listener: (delta: TaskDelta) => void): () => void {
    return this.board.onDelta(listener)
  }

  /** Sequence number of the last delta. */
  get seq(): number {
    return this.board.lastSeq
  }

  /** Swaps in memory (see TaskBoard): all, or the given one if it is there. */
  held(taskId?: string): Task[] {
    if (taskId === undefined) return this.board.held.all()
    const task = this.board.held.get(taskId)
    return task ? [task] : []
  }

  /** At most two swaps whose id starts with `id`, and one with this object id at its service. */
  named(id: string): Task[] {
    return this.deps.store.named(id).flatMap((task) => this.held(task.id)[0] ?? task)
  }

  /** @throws MienError `not-found` */
  get(taskId: string): Task {
    const task = this.board.get(taskId)
    if (!task) throw new MienError('not-found', { id: taskId })
    return task
  }

  record(taskId: string): string | null {
    return this.deps.store.record(taskId)
  }

  looking(taskId: string | null): void {
    this.previews.looking(taskId)
    this.watcher.looking(taskId)
  }

  setWindowVisible(visible: boolean): void {
    this.watcher.setWindowVisible(visible)
  }

  /**
   * Checks that the service can swap the draft's people and range, and pictures. A service that can't be reached is asked again
   * before the swap is sent.
   * @throws MienError `target-unsupported`, `cast-unsupported`, `range-unsupported`
   */
  async checkService(draft: Draft): Promise<void> {
    await this.serviceCheck()(draft)
  }

  /** `checkService` for many drafts: each service is asked once, also one that doesn't answer. */
  serviceCheck(): (draft: Draft) => Promise<void> {
    const asked = new Map<string, Promise<Capabilities | null>>()
    return async ({ profileId, videoId, cast = [], range = null }) => {
      if (profileId === embeddedProfileId) return
      const video = this.deps.media.video(videoId)
      if (video.kind === 'video' && cast.length === 0 && range === null) return
      const answer = asked.get(profileId) ?? this.deps.services.client(profileId).capabilities()
      asked.set(profileId, answer)
      const capabilities = await answer.catch(() => undefined)
      const refusal = capabilities === undefined ? null : refusalOf({ cast, range, video }, capabilities)
      if (refusal !== null) throw refusal
    }
  }

  /**
   * Stores a swap with its outbox entry. Media with a URL in `addresses` need no upload.
   * @throws MienError as `readDraft`
   */
  submit(draft: Draft, addresses: Partial<Addresses> = {}): { taskId: string } {
    return { taskId: this.add(this.readAll([draft]), addresses)[0] ?? '' }
  }

  /** Stores several swaps at once, in this order: all or none. @throws MienError as `readDraft` */
  submitAll(drafts: readonly Draft[]): { taskIds: string[] } {
    const all = this.readAll(drafts)
    let taskIds: string[] = []
    this.board.batch(() => {
      taskIds = this.add(all)
    })
    return { taskIds }
  }

  /** @throws MienError as `readDraft` */
  checkDraft(draft: Draft): void {
    this.readAll([draft])
  }

  private readAll(drafts: readonly Draft[]): { draft: Draft; content: DraftContent }[] {
    return drafts.map((draft) => {
      const content = readDraft(draft, this.deps.media, this.deps.people)
      // That of this computer is always there, but may still start: the swap waits for it.
      if (draft.profileId !== embeddedProfileId) this.deps.services.client(draft.profileId)
      return { draft, content }
    })
  }

  private add(all: readonly { draft: Draft; content: DraftContent }[], addresses: Partial<Addresses> = {}): string[] {
    const batchId = randomUUID()
    return all.map(({ draft, content: { clips, ...content } }, index) => {
      const paused = this.deps.services.isPaused(draft.profileId)
      const batch = all.length > 1 ? { id: batchId, number: index + 1, count: all.length } : null
      const added = newTask(draft, content, { paused, now: this.clock.now(), batch })
      const isHere = added.profileId === embeddedProfileId
      const task = isHere ? { ...added, options: this.deps.labelled(added.options) } : added
      this.board.add(task, { ...newEntry(task.id, this.board.nextPosition()), ...addresses }, clips)
      return task.id
    })
  }

  /** Cancels swaps here, and at services that can cancel. Partial work on this computer is kept for a while. */
  cancel(taskIds: readonly string[]): void {
    this.board.batch(() => {
      for (const id of taskIds) this.board.dispatch(id, { type: 'cancel' })
    })
  }

  /**
   * Changes a swap's position in its service's queue. On this computer sent swaps can be moved, too: one in progress
   * stops for the ones before it.
   */
  move(taskId: string, to: Move): void {
    const profileId = this.board.get(taskId)?.profileId
    if (profileId === undefined) return
    const states = profileId === embeddedProfileId ? openStates : (['queued'] as const)
    const swaps = this.board.held
      .of(profileId, ...states)
      .flatMap(({ id, position }) => (position === null ? [] : [{ id, position }]))
    this.board.place(reordered(swaps, taskId, to))
  }

  /** Sends a swap again; resumes partial work on this computer. */
  retry(taskId: string): void {
    this.again(taskId, 'retry')
  }

  private again(taskId: string, type: 'retry' | 'send-again'): void {
    const entry = newEntry(taskId, this.board.nextPosition())
    const profileId = this.board.get(taskId)?.profileId
    if (profileId === undefined) return
    this.board.batch(() => {
      this.board.dispatch(
        taskId,
        type === 'retry' ? { type, entry, jobCanResume: this.deps.services.isLocal(profileId) } : { type, entry },
      )
      if (this.deps.services.isPaused(profileId))
        this.board.dispatch(taskId, { type: 'pause', reason: 'service', jobCanPause: false })
    })
  }

  /** Ends the swaps that have not started and whose consent was withdrawn. Returns their ids. */
  stopWithdrawn(swaps: readonly Task[] = this.board.held.all()): string[] {
    const ids: string[] = []
    this.board.batch(() => {
      for (const task of swaps) {
        const error = this.deps.media.withdrawn([task.face, ...otherPictures(task)])
        const ended = error && this.board.dispatch(task.id, { type: 'forbidden', error })
        if (ended && ended !== task) ids.push(task.id)
      }
    })
    return ids
  }

  /** Applies the user's decision about an unconfirmed swap. @throws MienError `bad-argument` (no id given) */
  decide(taskId: string, decision: 'send-again' | 'do-not-send' | 'give-id', objectId?: string): void {
    switch (decision) {
      case 'send-again':
        this.again(taskId, 'send-again')
        return
      case 'do-not-send':
        this.board.dispatch(taskId, { type: 'cancel' })
        return
      case 'give-id':
        if (objectId === undefined || objectId.trim() === '') throw new MienError('bad-argument', { field: 'objectId' })
        this.board.batch(() => {
          const sent = this.board.dispatch(taskId, { type: 'give-id', objectId: objectId.trim() })
          if (sent) this.stopWithdrawn([sent])
        })
    }
  }

  remove(taskIds: readonly string[]): void {
    this.cancel(taskIds.filter((id) => this.board.held.get(id)))
    this.board.remove(taskIds)
  }

  restore(taskIds: readonly string[]): void {
    this.board.restore(taskIds)
  }

  /** Records what happens to the files of a finished swap. Returns the swap. @throws MienError `not-found` */
  recordVersion(taskId: string, action: VersionAction): Task {
    this.get(taskId)
    this.board.dispatch(taskId, action)
    return this.get(taskId)
  }

  /**
   * @param withFile rename the result's file, too
   * @throws MienError codes of `renameResult`; the title has changed then
   */
  async rename(taskId: string, title: string, withFile = false): Promise<void> {
    this.board.rename(taskId, title)
    const task = this.get(taskId)
    const { media, destination } = this.deps
    const mediaId = task.result?.mediaId
    const path = mediaId === undefined ? null : media.path(mediaId)
    if (!withFile || mediaId === undefined || path === null) return
    const name = resultName(task, destination().template ?? defaultFileName, task.endedAt ?? this.clock.now())
    if (parse(path).name === name) return
    await renameResult(path, name, (placed) => {
      media.moved(mediaId, placed)
      this.board.renameFile(taskId, basename(placed))
    })
  }
}
