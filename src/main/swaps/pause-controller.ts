/**
 * @file Pauses and resumes swaps: on the user's request, while offline, while a key is refused, or with a service's
 * queue. Also pauses running jobs at services that support it.
 */
import { isActive, type PauseReason, type Task } from '@shared/tasks/task.ts'
import type { ResultDownloader } from './results/result-downloader.ts'
import type { Outbox } from './sending/outbox.ts'
import type { SystemEvent } from '../machine/system/system-status.ts'
import { isKeyProblem, type KeyProblem } from '../remote/profiles/profile-keys.ts'
import type { Parts } from './store/parts.ts'
import type { Watcher } from './watching/watcher.ts'

interface PauseControllerDeps extends Pick<Parts, 'board' | 'services' | 'systemStatus'> {
  outbox: Outbox
  watcher: Watcher
  downloader: ResultDownloader
  /** Wakes outbox, watcher, downloader and cleanup. */
  wake: () => void
}

export class PauseController {
  constructor(private readonly deps: PauseControllerDeps) {}

  /** Pauses remote tasks while offline and resumes them when the network is back or the computer wakes. */
  async systemChanged(event: SystemEvent): Promise<void> {
    if (event === 'suspend' || event === 'resume') {
      this.deps.outbox.setAsleep(event === 'suspend')
      this.deps.watcher.setAsleep(event === 'suspend')
    }
    if (event === 'suspend') return
    const far = this.deps.board.held
      .all()
      .filter((task) => isActive(task.state) && !this.deps.services.isLocal(task.profileId))
    if (event === 'offline') {
      await this.deps.board.dispatchMany(
        far.map(({ id }) => id),
        { type: 'pause', reason: 'no-network', jobCanPause: false },
      )
      return
    }
    if (this.deps.systemStatus.isOnline()) this.release(far, 'no-network')
    this.deps.downloader.tryAllNow()
    this.deps.watcher.refresh()
    this.deps.wake()
  }

  /** Pauses swaps that are not sent yet, and sent ones at services that support pausing. */
  pause(taskIds: readonly string[]): void {
    const { board, services } = this.deps
    for (const id of taskIds) {
      const task = board.get(id)
      if (task) board.dispatch(id, { type: 'pause', reason: 'user', jobCanPause: services.isLocal(task.profileId) })
    }
  }

  /** Resumes paused swaps, retries pending downloads at once, looks again for missing swaps. */
  resume(taskIds: readonly string[]): void {
    this.deps.board.batch(() => {
      for (const id of taskIds) this.deps.board.dispatch(id, { type: 'resume' })
    })
    this.deps.wake()
  }

  private release(tasks: readonly Task[], reason: PauseReason): void {
    this.resume(tasks.filter((task) => task.pause === reason).map((task) => task.id))
  }

  /** Resumes swaps that were paused because of the old key. */
  keyChanged(profileId: string): void {
    this.release(
      this.deps.board.held.all().filter((task) => task.profileId === profileId),
      'key',
    )
  }

  /** Resumes swaps that waited for a new pairing code. */
  async paired({ id, paused }: { id: string; paused: boolean }): Promise<void> {
    this.keyChanged(id)
    if (!paused) await this.pausedService(id, false)
  }

  /** Pauses every active swap of a profile whose key was refused or is missing, or whose certificate has changed (`service`). */
  async pauseAll(profileId: string, code: KeyProblem | 'certificate-changed'): Promise<void> {
    const held = this.deps.board.held.all().filter((task) => task.profileId === profileId && isActive(task.state))
    await this.deps.board.dispatchMany(
      held.map(({ id }) => id),
      isKeyProblem(code)
        ? { type: 'pause', reason: 'key', jobCanPause: false, error: { code, details: {} } }
        : { type: 'pause', reason: 'service', jobCanPause: false },
    )
  }

  /** Pauses or resumes a service's queue. Pausing doesn't affect swaps that were already sent. */
  async pausedService(profileId: string, paused: boolean): Promise<void> {
    if (!paused) {
      const ofService = this.deps.board.held.all().filter((task) => task.profileId === profileId)
      this.release(ofService, 'service')
      this.deps.watcher.refresh()
      return
    }
    const ids = this.deps.board.held.of(profileId, 'queued', 'uploading').map(({ id }) => id)
    await this.deps.board.dispatchMany(ids, { type: 'pause', reason: 'service', jobCanPause: false })
  }
}
