/**
 * @file Polls each service for its swaps in batches and passes the answers to the board. One request at a time per
 * profile, so never two for one id. Polls fast at first and slower later, backs off when the service fails, and
 * pauses while offline or asleep.
 */
import { MienError, toErrorBody } from '@shared/errors.ts'
import { embeddedProfileId, type Expected, type Task } from '@shared/tasks/task.ts'
import { nameDiskFull } from '../../machine/disk/disk-errors.ts'
import { batchIds, smallerLimits } from '../../remote/client/parsing/batch.ts'
import type { ServiceClient } from '../../remote/client/service-client.ts'
import type { ServiceTask } from '../../remote/client/parsing/read-task.ts'
import { backoffMs, retryFullDiskMs, isNoConnection, lookForMs } from '../rules/backoff.ts'
import { newEntry } from '../rules/outbox-entry.ts'
import { batchLimits, learnBatchLimit, observe, StatusTracker } from './status-tracker.ts'
import { isKeyProblem } from '../../remote/profiles/profile-keys.ts'
import type { Parts } from '../store/parts.ts'

interface WatcherDeps extends Pick<Parts, 'board' | 'services' | 'systemStatus' | 'log' | 'clock'> {
  /** Called with every answer, before the board, for the record and the preview. */
  onAnswer: (task: Task, answer: ServiceTask) => void
  /** Expected duration of a swap; null without timings. */
  expect: (task: Task) => Expected | null
}

/** Polling interval for missing swaps: some services lose a task and find it later. */
const lookAgainMs = 600_000

interface Watch {
  timer: NodeJS.Timeout | null
  running: boolean
  failures: number
  /** Code of the last failure; a repeated one is not logged again. */
  said: string | null
  /** Last request for each swap, in ticks. */
  asked: Map<string, number>
}

export class Watcher {
  private readonly watches = new Map<string, Watch>()
  private readonly statusTracker: StatusTracker
  private readonly abort = new AbortController()
  private lookingAt: string | null = null
  private windowVisible = true
  private asleep = false
  /** Whether the failed write to the library was already logged. */
  private saidUnwritable = false

  constructor(private readonly deps: WatcherDeps) {
    this.statusTracker = new StatusTracker(deps.clock.ticks)
  }

  dispose(): void {
    this.abort.abort()
    for (const watch of this.watches.values()) if (watch.timer) clearTimeout(watch.timer)
  }

  looking(taskId: string | null): void {
    this.lookingAt = taskId
    this.hurry()
  }

  setWindowVisible(visible: boolean): void {
    this.windowVisible = visible
    if (visible) this.hurry()
  }

  /** No polling while the computer sleeps. */
  setAsleep(asleep: boolean): void {
    this.asleep = asleep
  }

  /** Polls for a missing swap now. */
  lookAgain(taskId: string): void {
    for (const watch of this.watches.values()) watch.asked.delete(taskId)
    this.hurry()
  }

  /** Polls for everything now, due or not. */
  lookNow(): void {
    for (const watch of this.watches.values()) watch.asked.clear()
    this.hurry()
  }

  /** Resets the backoff when the network is back or the computer wakes. */
  refresh(): void {
    for (const watch of this.watches.values()) watch.failures = 0
    this.hurry()
  }

  /** Schedules polling wherever it is needed; `changed`: tasks of the latest delta. */
  wake(changed: readonly Task[] = []): void {
    for (const { id, state, profileId } of changed) {
      if (state !== 'waiting' && state !== 'processing') continue
      const watch = this.watchOf(profileId)
      // A new swap doesn't wait for the others' next poll.
      if (!watch.asked.has(id) && !watch.running && watch.failures === 0) this.schedule(profileId, watch, 50)
    }
    for (const profileId of this.deps.board.held.profilesWith('waiting', 'processing', 'missing')) {
      const watch = this.watchOf(profileId)
      if (!watch.running && watch.timer === null) this.schedule(profileId, watch, 50)
    }
  }

  /** Polls sooner than scheduled, except while a service is in backoff. */
  private hurry(): void {
    for (const [profileId, watch] of this.watches)
      if (!watch.running && watch.failures === 0) this.schedule(profileId, watch, 50)
    this.wake()
  }

  private watchOf(profileId: string): Watch {
    const known = this.watches.get(profileId)
    if (known) return known
    const watch: Watch = { timer: null, running: false, failures: 0, said: null, asked: new Map() }
    this.watches.set(profileId, watch)
    return watch
  }

  private schedule(profileId: string, watch: Watch, afterMs: number): void {
    if (this.aborted()) return
    if (watch.timer) clearTimeout(watch.timer)
    watch.timer = setTimeout(() => {
      watch.timer = null
      void this.cycle(profileId, watch)
    }, afterMs)
  }

  private mayAsk(profileId: string): boolean {
    const { services, systemStatus } = this.deps
    return !this.asleep && (systemStatus.isOnline() || services.isLocal(profileId))
  }

  private async cycle(profileId: string, watch: Watch): Promise<void> {
    if (this.aborted() || !this.mayAsk(profileId)) return
    const tasks = this.watched(profileId)
    this.forgetOthers(watch, tasks)
    if (tasks.length === 0) return
    const tick = this.deps.clock.ticks()
    const due = tasks.filter((task) => tick - (watch.asked.get(task.id) ?? -Infinity) >= this.pace(task) * 0.9)
    watch.running = true
    let wait: number
    try {
      await this.askAll(profileId, watch, due)
      watch.failures = 0
      watch.said = null
      this.saidUnwritable = false
      wait = this.untilDue(profileId, watch)
    } catch (error) {
      if (this.aborted()) return
      wait = await this.troubled(profileId, due, watch, error)
    } finally {
      watch.running = false
    }
    this.schedule(profileId, watch, wait)
  }

  private watched(profileId: string): Task[] {
    const { board, clock } = this.deps
    const since = clock.now() - lookForMs
    return [
      ...board.held
        .of(profileId, 'waiting', 'processing')
        .filter(({ pause }) => pause !== 'key' && pause !== 'service'),
      ...board.held.of(profileId, 'missing').filter((task) => (task.endedAt ?? 0) > since),
    ].filter((task) => task.objectId !== null)
  }

  /** A method so that TypeScript doesn't narrow the value across awaits. */
  private aborted(): boolean {
    return this.abort.signal.aborted
  }

  private pace(task: Task): number {
    if (task.state === 'missing') return lookAgainMs
    return this.deps.clock.paceMs({
      looking: task.id === this.lookingAt,
      windowVisible: this.windowVisible,
      local: task.profileId === embeddedProfileId,
      youngestMs: this.deps.clock.now() - task.createdAt,
    })
  }

  private untilDue(profileId: string, watch: Watch): number {
    const tasks = this.watched(profileId)
    const tick = this.deps.clock.ticks()
    let soonest = Infinity
    for (const task of tasks)
      soonest = Math.min(soonest, (watch.asked.get(task.id) ?? -Infinity) + this.pace(task) - tick)
    this.forgetOthers(watch, tasks)
    // With no tasks left, the next cycle ends the polling.
    return soonest === Infinity ? 1000 : Math.max(50, soonest)
  }

  private forgetOthers({ asked }: Watch, tasks: readonly Task[]): void {
    const known = new Set(tasks.map(({ id }) => id))
    for (const id of asked.keys()) {
      if (known.has(id)) continue
      asked.delete(id)
      this.statusTracker.forget(id)
    }
  }

  private async askAll(profileId: string, watch: Watch, tasks: readonly Task[]): Promise<void> {
    const byObject = new Map<string, Task[]>()
    for (const task of tasks) {
      const id = task.objectId
      if (id !== null) byObject.set(id, [...(byObject.get(id) ?? []), task])
    }
    const round = { client: this.deps.services.client(profileId), profileId, watch, byObject, heard: 0 }
    let refusal: MienError | null = null
    for (const ids of batchIds(
      [...byObject.keys()],
      batchLimits(this.deps.services, profileId, this.deps.clock.now()),
    )) {
      if (!this.mayAsk(profileId)) return
      const looked = this.lookedAtAgain(watch, byObject, ids)
      if (looked !== null) await this.ask(round, [looked])
      refusal = (await this.ask(round, ids)).refusal ?? refusal
    }
    // One refused id doesn't fail the others. If every id is refused, the service is failing.
    if (refusal !== null && round.heard === 0) throw refusal
  }

  /** With thousands of ids, poll the open swap between batches too. */
  private lookedAtAgain(watch: Watch, byObject: ReadonlyMap<string, Task[]>, ids: readonly string[]): string | null {
    const task = this.lookingAt === null ? undefined : this.deps.board.get(this.lookingAt)
    if (!task?.objectId || ids.includes(task.objectId) || !byObject.has(task.objectId)) return null
    const asked = watch.asked.get(task.id)
    return asked !== undefined && this.deps.clock.ticks() - asked >= this.pace(task) ? task.objectId : null
  }

  /** Requests some ids; splits the request where a smaller one may be accepted. `refusal`: error for a single id. */
  private async ask(
    round: { client: ServiceClient; profileId: string; watch: Watch; byObject: Map<string, Task[]>; heard: number },
    ids: readonly string[],
  ): Promise<{ refusal: MienError | null }> {
    const { client, byObject, watch } = round
    try {
      const found = await client.fetchTasks(ids, this.abort.signal)
      round.heard += 1
      const tick = this.deps.clock.ticks()
      this.deps.board.batchRelaxed(() => {
        for (const id of ids) for (const task of byObject.get(id) ?? []) this.heard(task, found.get(id))
      })
      // An answer that could not be stored counts as none.
      for (const id of ids) for (const task of byObject.get(id) ?? []) watch.asked.set(task.id, tick)
      return { refusal: null }
    } catch (error) {
      if (!(error instanceof MienError)) throw error
      const smaller = smallerLimits(error, ids.length)
      if (smaller === null) {
        const alone = ids.length === 1 && error.code === 'request-refused'
        if (!alone) throw error
        for (const task of byObject.get(ids[0] ?? '') ?? []) watch.asked.set(task.id, this.deps.clock.ticks())
        return { refusal: error }
      }
      const first = await this.ask(round, ids.slice(0, smaller.maxIds))
      const second = await this.ask(round, ids.slice(smaller.maxIds))
      const refusal = first.refusal ?? second.refusal
      // Only if both halves succeed was the number of ids the problem.
      if (refusal === null) learnBatchLimit(this.deps.services, round.profileId, smaller.maxIds, this.deps.clock.now())
      return { refusal }
    }
  }

  private heard(task: Task, answer: ServiceTask | undefined): void {
    const { board } = this.deps
    if (!answer) {
      if (this.statusTracker.missed(task.id)) board.dispatch(task.id, { type: 'not-listed' })
      return
    }
    const same = this.statusTracker.seen(task.id, answer.resultUrl)
    this.deps.onAnswer(task, answer)
    const expected = task.expected ?? this.deps.expect(task)
    const observation = { ...observe(answer, same), expected }
    const isFull = observation.status === 'failed' && observation.error?.code === 'disk-full'
    if (isFull && task.profileId === embeddedProfileId && task.state !== 'missing') {
      const entry = newEntry(task.id, task.position ?? board.nextPosition())
      board.dispatch(task.id, {
        type: 'disk-full',
        entry: { ...entry, notBefore: this.deps.clock.now() + retryFullDiskMs },
      })
    } else board.dispatch(task.id, { type: 'observed', observation })
  }

  /** Returns the backoff in ms. Never rejects. */
  private async troubled(profileId: string, tasks: readonly Task[], watch: Watch, thrown: unknown): Promise<number> {
    watch.failures += 1
    const { code, details } = toErrorBody(nameDiskFull(thrown))
    if (watch.said !== code) this.deps.log(`Watching failed (${code})`, thrown)
    watch.said = code
    try {
      if (isKeyProblem(code)) this.deps.services.keyRefused(profileId, code)
      if (code === 'certificate-changed') this.deps.services.certificateChanged(profileId)
      if (isNoConnection(code)) {
        const held = tasks.filter(({ state }) => state !== 'missing').map(({ id }) => id)
        await this.deps.board.dispatchMany(held, { type: 'pause', reason: 'no-network', jobCanPause: false })
      }
    } catch (unwritten) {
      if (!this.saidUnwritable) this.deps.log('The library can’t be written', unwritten)
      this.saidUnwritable = true
    }
    const retryAfter = details['retryAfterMs']
    return backoffMs(watch.failures, this.deps.clock.random(), typeof retryAfter === 'number' ? retryAfter : null)
  }
}
