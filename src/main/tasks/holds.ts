/**
 * @file Holding swaps and letting them go on: by the user, for want of a network or a key, with a service's queue. What is
 * under way at a service that can hold it is held there.
 */
import { MienError } from '@shared/errors.ts'
import { embeddedProfileId, isActive, type PauseReason, type Task } from '@shared/task.ts'
import type { Keeper } from './keeper.ts'
import type { Outbox } from './outbox.ts'
import type { Log, Services, Surroundings, SurroundingsEvent } from './ports.ts'
import type { TaskBoard } from './task-board.ts'
import type { TaskStore } from './task-store.ts'
import type { Watcher } from './watcher.ts'

export interface HoldsDeps {
  board: TaskBoard
  store: TaskStore
  services: Services
  surroundings: Surroundings
  outbox: Outbox
  watcher: Watcher
  keeper: Keeper
  /** Looks for something to do everywhere. */
  wake: () => void
  log: Log
}

export class Holds {
  private readonly deps: HoldsDeps

  constructor(deps: HoldsDeps) {
    this.deps = deps
  }

  /** Without a network what needs one is held, and says so; with it, and after sleep, everything goes on at once. */
  async surroundingsChanged(event: SurroundingsEvent): Promise<void> {
    if (event === 'suspend' || event === 'resume') {
      this.deps.outbox.setAsleep(event === 'suspend')
      this.deps.watcher.setAsleep(event === 'suspend')
    }
    if (event === 'suspend') return
    const far = this.deps.board.all().filter((task) => isActive(task.state) && !this.isLocal(task.profileId))
    if (event === 'offline') {
      await this.deps.board.tellMany(
        far.map(({ id }) => id),
        { type: 'pause', reason: 'no-network' },
      )
      return
    }
    if (this.deps.surroundings.isOnline()) this.release(far, 'no-network')
    this.deps.keeper.tryAllNow()
    this.deps.watcher.refresh()
    this.deps.wake()
  }

  /** Whether it runs on this computer, network or not. */
  isLocal(profileId: string): boolean {
    return profileId === embeddedProfileId || (this.deps.services.isLocal?.(profileId) ?? false)
  }

  /** Holds swaps that were not sent yet, and those under way at a service that can hold them. */
  pause(taskIds: readonly string[]): void {
    for (const id of taskIds) {
      const task = this.deps.board.get(id)
      if (task?.state === 'waiting' || task?.state === 'processing') this.pauseThere(task)
      if (task?.state !== 'queued' && task?.state !== 'uploading') continue
      this.deps.board.tell(id, { type: 'pause', reason: 'user' })
      this.deps.outbox.interrupt(id)
    }
  }

  /** Said at once, and taken back if the service does not do it. */
  private pauseThere({ id, profileId, objectId }: Task): void {
    if (objectId === null || !this.isLocal(profileId)) return
    const work = async (): Promise<void> => {
      const client = this.deps.services.client(profileId)
      if (!(await client.capabilities())?.pause) throw new MienError('request-refused')
      await client.pause(objectId)
    }
    this.deps.board.tell(id, { type: 'pause', reason: 'user' })
    work().catch((error: unknown) => {
      this.deps.log('Pausing at the service failed', error)
      this.deps.board.tell(id, { type: 'resume' })
    })
  }

  /** A swap that the service holds goes on there. */
  private resumeThere({ id, state, pause, profileId, objectId }: Task): void {
    if (objectId === null || pause !== 'user' || (state !== 'waiting' && state !== 'processing')) return
    this.deps.services
      .client(profileId)
      .resume(objectId)
      .catch((error: unknown) => {
        this.deps.log('Going on at the service failed', error)
        this.deps.board.tell(id, { type: 'pause', reason: 'user' })
      })
  }

  /** Lets held swaps go on, tries at once what waits to be tried again, looks for what went missing. */
  resume(taskIds: readonly string[]): void {
    for (const id of taskIds) {
      const task = this.deps.board.get(id)
      if (task) this.resumeThere(task)
    }
    this.deps.board.batch(() => {
      for (const id of taskIds) {
        const entry = this.deps.store.entry(id)
        this.deps.board.tell(id, { type: 'resume' }, entry ? { ...entry, notBefore: 0 } : undefined)
      }
    })
    for (const id of taskIds) {
      this.deps.keeper.tryNow(id)
      if (this.deps.board.get(id)?.state === 'missing') this.deps.watcher.lookAgain(id)
    }
    this.deps.wake()
  }

  private release(tasks: readonly Task[], reason: PauseReason): void {
    this.resume(tasks.filter((task) => task.pause === reason).map((task) => task.id))
  }

  /** A new key: what was held for the old one goes on. */
  keyChanged(profileId: string): void {
    this.release(
      this.deps.board.all().filter((task) => task.profileId === profileId),
      'key',
    )
  }

  /** Holds every active swap of a profile whose key was refused. */
  async holdForKey(profileId: string): Promise<void> {
    const held = this.deps.board.all().filter((task) => task.profileId === profileId && isActive(task.state))
    await this.deps.board.tellMany(
      held.map(({ id }) => id),
      { type: 'pause', reason: 'key' },
    )
  }

  /** Holds a service's queue, or lets it go on; what was sent is not touched. */
  async pausedService(profileId: string, paused: boolean): Promise<void> {
    if (!paused) {
      this.release(this.deps.board.of(profileId, 'queued', 'uploading'), 'service')
      return
    }
    const ids = this.deps.board.of(profileId, 'queued', 'uploading').map(({ id }) => id)
    await this.deps.board.tellMany(ids, { type: 'pause', reason: 'service' })
    for (const id of ids) this.deps.outbox.interrupt(id)
  }
}
