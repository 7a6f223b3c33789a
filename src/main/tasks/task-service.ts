/**
 * @file What can be done with swaps. Wires board, outbox, watcher and keeper: each delta of the
 * board wakes the one that has something to do next.
 */
import { randomUUID } from 'node:crypto'
import { MienError } from '@shared/errors.ts'
import type { TaskDelta } from '@shared/ipc.ts'
import { embeddedProfileId, isActive, type Draft, type FaceMedia, type Task, type VideoMedia } from '@shared/task.ts'
import { estimateMs, measuredFps } from './estimate.ts'
import { Keeper, type Destination } from './keeper.ts'
import { Outbox } from './outbox.ts'
import type { Log, MediaPaths, Services } from './ports.ts'
import { Previews } from './previews.ts'
import { TaskBoard } from './task-board.ts'
import type { OutboxEntry, TaskStore } from './task-store.ts'
import { Watcher } from './watcher.ts'

export interface TaskServiceDeps {
  store: TaskStore
  services: Services
  media: {
    path: MediaPaths
    face: (id: string) => FaceMedia
    video: (id: string) => VideoMedia
    addDerived: (path: string) => string
    addPassing: (path: string) => string
    dropPassing: (id: string) => void
  }
  mediaDir: (taskId: string) => string
  destination: () => Destination
  log: Log
  now?: () => number
  random?: () => number
}

export class TaskService {
  private readonly deps: TaskServiceDeps
  private readonly board: TaskBoard
  private readonly outbox: Outbox
  private readonly watcher: Watcher
  private readonly keeper: Keeper
  private readonly previews: Previews
  private readonly now: () => number

  constructor(deps: TaskServiceDeps) {
    this.deps = deps
    const now = deps.now ?? Date.now
    const random = deps.random ?? Math.random
    this.now = now
    const { store, services, mediaDir, log, media } = deps
    const board = new TaskBoard(store, now)
    this.board = board
    this.previews = new Previews({ board, services, mediaDir, log, now, ...media })
    this.outbox = new Outbox({ board, store, services, mediaPath: media.path, log, now, random })
    this.keeper = new Keeper({
      board,
      store,
      services,
      mediaDir,
      destination: deps.destination,
      addMedia: media.addDerived,
      log,
      now,
      random,
    })
    this.watcher = new Watcher({
      board,
      services,
      onAnswer: (task, answer) => {
        store.putRecord(task.id, answer.raw)
        this.previews.heard(task, answer)
      },
      log,
      now,
      random,
    })
  }

  async start(): Promise<void> {
    this.board.onDelta(() => {
      this.wake()
    })
    await this.outbox.start()
    this.wake()
  }

  dispose(): void {
    this.outbox.dispose()
    this.watcher.dispose()
    this.keeper.dispose()
  }

  /** Looks for something to do everywhere; for when a network, a key or a folder is back. */
  wake(): void {
    this.outbox.wake()
    this.watcher.wake()
    this.keeper.wake()
  }

  onDelta(listener: (delta: TaskDelta) => void): () => void {
    return this.board.onDelta(listener)
  }

  snapshot(): { seq: number; tasks: Task[] } {
    return this.board.snapshot()
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

  /** Stores a swap with what is to be sent for it. @throws MienError `not-found`, `forbidden` (the face is not confirmed) */
  submit(draft: Draft): { taskId: string } {
    const face = this.deps.media.face(draft.faceId)
    const video = this.deps.media.video(draft.videoId)
    if (face.confirmedAt === null) throw new MienError('forbidden', { name: face.name })
    this.deps.services.client(draft.profileId)
    const now = this.now()
    const task: Task = {
      id: randomUUID(),
      profileId: draft.profileId,
      title: draft.title,
      face,
      video,
      state: 'queued',
      pause: null,
      objectId: null,
      serviceStatus: null,
      serviceTaskId: null,
      progress: null,
      preview: null,
      error: null,
      result: null,
      coverId: null,
      peopleIds: [],
      createdAt: now,
      updatedAt: now,
      startedAt: null,
      endedAt: null,
      events: [{ at: now, what: 'added', details: {} }],
    }
    this.board.add(task, this.freshEntry(task.id))
    return { taskId: task.id }
  }

  private freshEntry(taskId: string): OutboxEntry {
    return {
      taskId,
      position: this.deps.store.nextPosition(),
      idempotencyKey: randomUUID(),
      imageUrl: null,
      videoUrl: null,
      sentAt: null,
      attempts: 0,
      notBefore: 0,
    }
  }

  /** Stops swaps here, and at the service where it can cancel. */
  cancel(taskIds: readonly string[]): void {
    for (const id of taskIds) {
      const before = this.board.get(id)
      if (!before || (!isActive(before.state) && before.state !== 'unconfirmed')) continue
      this.outbox.interrupt(id)
      this.keeper.interrupt(id)
      this.board.tell(id, { type: 'cancel' }, null)
      if (before.objectId !== null) this.cancelThere(before.profileId, before.objectId)
    }
  }

  private cancelThere(profileId: string, objectId: string): void {
    const work = async (): Promise<void> => {
      const client = this.deps.services.client(profileId)
      if ((await client.capabilities())?.cancel) await client.cancel(objectId)
    }
    work().catch((error: unknown) => {
      this.deps.log('Cancelling at the service failed', error)
    })
  }

  /** Holds swaps that were not sent yet; what a service has cannot be held. */
  pause(taskIds: readonly string[]): void {
    for (const id of taskIds) {
      const state = this.board.get(id)?.state
      if (state !== 'queued' && state !== 'uploading') continue
      this.board.tell(id, { type: 'pause', reason: 'user' })
      this.outbox.interrupt(id)
    }
  }

  /** Lets held swaps go on, and tries at once what waits to be tried again. */
  resume(taskIds: readonly string[]): void {
    for (const id of taskIds) {
      const entry = this.deps.store.entry(id)
      this.board.tell(id, { type: 'resume' }, entry ? { ...entry, notBefore: 0 } : undefined)
      this.keeper.tryNow(id)
    }
    this.wake()
  }

  /** A new key: what was held for the old one goes on. */
  keyChanged(profileId: string): void {
    this.resume(
      this.board
        .all()
        .filter((task) => task.profileId === profileId && task.pause === 'key')
        .map((task) => task.id),
    )
  }

  /** Holds every active swap of a profile whose key was refused. */
  holdForKey(profileId: string): void {
    for (const task of this.board.all()) {
      if (task.profileId === profileId && isActive(task.state))
        this.board.tell(task.id, { type: 'pause', reason: 'key' })
    }
  }

  retry(taskId: string): void {
    this.board.tell(taskId, { type: 'retry' }, this.freshEntry(taskId))
  }

  /** What the user decided about an unconfirmed swap. @throws MienError `bad-argument` (no id given) */
  decide(taskId: string, decision: 'send-again' | 'do-not-send' | 'give-id', objectId?: string): void {
    switch (decision) {
      case 'send-again':
        this.board.tell(taskId, { type: 'send-again' }, this.freshEntry(taskId))
        return
      case 'do-not-send':
        this.board.tell(taskId, { type: 'cancel' }, null)
        return
      case 'give-id':
        if (objectId === undefined || objectId.trim() === '') throw new MienError('bad-argument', { field: 'objectId' })
        this.board.tell(taskId, { type: 'give-id', objectId: objectId.trim() }, null)
    }
  }

  remove(taskIds: readonly string[]): void {
    this.cancel(taskIds)
    this.board.remove(taskIds)
  }

  restore(taskIds: readonly string[]): void {
    this.board.restore(taskIds)
  }

  rename(taskId: string, title: string): void {
    this.board.rename(taskId, title)
  }

  estimate(video: VideoMedia, profileId: string): { ms: number } | null {
    const ms = estimateMs(this.deps.store.timings(profileId, 10), {
      videoMs: video.durationMs,
      pixels: video.width * video.height,
    })
    return ms === null ? null : { ms }
  }

  /** Frames a second reached lately by this computer; null before the first swap. */
  measuredFps(): number | null {
    return measuredFps(this.deps.store.timings(embeddedProfileId, 10))
  }
}
