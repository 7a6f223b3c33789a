/** @file Forwards the user's order to the embedded service, which has some of the swaps already. */
import { embeddedProfileId } from '@shared/tasks/task.ts'
import { backoffMs } from '../rules/backoff.ts'
import type { Parts } from '../store/parts.ts'

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
    return this.deps.board
      .of(embeddedProfileId, 'waiting', 'processing')
      .toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0))
      .flatMap(({ objectId }) => objectId ?? [])
  }

  private async ask(objectIds: readonly string[]): Promise<void> {
    const client = this.deps.services.client(embeddedProfileId)
    if ((await client.capabilities())?.order) await client.setOrder(objectIds)
  }
}
