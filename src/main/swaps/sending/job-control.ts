/**
 * @file Forwards what the user wants of sent swaps: pauses and resumes to services that support them, and the order to the
 * embedded service, which has some of the swaps already.
 */
import { MienError } from '@shared/errors.ts'
import { InFlight } from '@shared/in-flight.ts'
import { type Task, embeddedProfileId } from '@shared/tasks/task.ts'
import type { Parts } from '../store/parts.ts'
import { backoffMs } from '../rules/backoff.ts'

/** Max time to wait for answers on quit. */
const lastAnswersMs = 5000

export class JobPauses {
  /** Swaps to be asked for. */
  private readonly running = new Set<string>()
  /** One request at a time, so that they arrive in order: the service must not start a swap that is paused next. */
  private last: Promise<void> = Promise.resolve()
  private readonly requests = new InFlight()
  private stopped = false

  constructor(private readonly deps: Pick<Parts, 'board' | 'services' | 'log'>) {}

  /** Sends pause requests that a quit or a crash may have interrupted. */
  start(): void {
    for (const { id, pause } of this.deps.board.held.inStates('waiting', 'processing'))
      if (pause === 'user') this.sync(id)
  }

  /** Asks the service for the state the user wants. A refusal reverts the swap. */
  sync(taskId: string): void {
    if (this.running.has(taskId)) return
    this.running.add(taskId)
    this.last = this.last
      .then(() => this.untilSame(taskId))
      .catch((error: unknown) => {
        // E.g. a full disk. The next request must be sent all the same.
        this.deps.log('A pause or a resume could not be recorded', error)
      })
      .finally(() => this.running.delete(taskId))
    void this.requests.add(this.last)
  }

  /** Waits some seconds for the answers: nothing asks for a resume again at the next start. */
  async dispose(): Promise<void> {
    this.stopped = true
    await this.requests.settled(lastAnswersMs)
  }

  private async untilSame(taskId: string): Promise<void> {
    for (let task = this.find(taskId); task;) {
      const wanted = task.pause === 'user'
      try {
        await this.ask(task, wanted)
      } catch (error) {
        this.deps.log('Pausing or resuming at the service failed', error)
        // The next start asks for a pause again.
        if (this.stopped && wanted) return
        if (this.isWanted(taskId) === wanted)
          this.deps.board.dispatch(taskId, { type: wanted ? 'pause-refused' : 'resume-refused' })
        return
      }
      task = this.isWanted(taskId) === wanted ? null : this.find(taskId)
    }
  }

  private async ask(task: Task, paused: boolean): Promise<void> {
    const client = this.deps.services.client(task.profileId)
    if (!(await client.capabilities())?.pause) throw new MienError('request-refused')
    if (paused) await client.pause(task.objectId ?? '')
    else await client.resume(task.objectId ?? '')
  }

  private find(taskId: string): Task | null {
    const task = this.deps.board.get(taskId)
    return task?.objectId && (task.state === 'waiting' || task.state === 'processing') ? task : null
  }

  private isWanted(taskId: string): boolean | null {
    const task = this.find(taskId)
    return task && task.pause === 'user'
  }
}

export class JobOrder {
  /** Object ids in the order in which the service runs them. New jobs come last. */
  private known: string[] = []
  /** After a start, the service may not have heard of the last change. */
  private isStale = true
  private working = false
  private retry: NodeJS.Timeout | null = null
  private failures = 0
  private isDisposed = false

  constructor(private readonly deps: Pick<Parts, 'board' | 'services' | 'log' | 'clock'>) {}

  start(): void {
    this.isStale = true
    this.wake()
  }

  /** Called whenever the order may have changed. */
  wake(): void {
    if (this.working || this.isDisposed) return
    const wanted = this.wanted()
    const held = new Set(wanted)
    const known = this.known.filter((id) => held.has(id))
    this.known = [...known, ...wanted.filter((id) => !known.includes(id))]
    if (wanted.length < 2 || (!this.isStale && wanted.every((id, at) => id === this.known[at]))) return
    this.working = true
    this.ask(wanted)
      .then(() => {
        this.isStale = false
        this.known = wanted
        this.failures = 0
        this.working = false
        this.wake()
      })
      .catch((error: unknown) => {
        this.working = false
        this.deps.log('Ordering swaps at the service failed', error)
        // Any change of a swap asks again, too.
        this.failures += 1
        if (this.retry) clearTimeout(this.retry)
        this.retry = setTimeout(
          () => {
            this.wake()
          },
          backoffMs(this.failures, this.deps.clock.random()),
        )
        this.retry.unref()
      })
  }

  /** Nothing is asked any more. A request that is under way may still fail. */
  dispose(): void {
    this.isDisposed = true
    if (this.retry) clearTimeout(this.retry)
  }

  private wanted(): string[] {
    return this.deps.board.held
      .of(embeddedProfileId, 'waiting', 'processing')
      .toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0))
      .flatMap(({ objectId }) => objectId ?? [])
  }

  private async ask(objectIds: readonly string[]): Promise<void> {
    const client = this.deps.services.client(embeddedProfileId)
    if ((await client.capabilities())?.order) await client.setOrder(objectIds)
  }
}
