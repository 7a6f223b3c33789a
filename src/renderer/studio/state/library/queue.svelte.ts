/** @file The queue panel: whether it is open, recently failed swaps, and what happens when all are finished. */
import type { Bridge } from '@shared/ipc/contract.ts'
import type { TaskRow } from '@shared/tasks/task-row.ts'
import type { WhenDone } from '@shared/ipc/app-state.ts'
import type { TasksState } from './tasks.svelte.ts'

/** Older failures are in the library. */
const failedForMs = 24 * 3_600_000
const maxFailed = 50

export class QueueState {
  isOpen = $state(false)
  #whenDone = $state.raw<WhenDone>({ action: 'notify', canSleep: false, sleepsAt: null })
  #needsUser = $state.raw<readonly number[]>([])
  readonly whenDone = $derived(this.#whenDone)

  constructor(
    private readonly bridge: Pick<Bridge, 'queue' | 'library'>,
    private readonly tasks: TasksState,
  ) {}

  async start(): Promise<void> {
    this.bridge.queue.whenDoneChanged((value) => (this.#whenDone = value))
    this.#whenDone = await this.bridge.queue.whenDone()
  }

  /** Swaps that failed in the last day, newest first. */
  failed(now: number): TaskRow[] {
    return this.#needsUser
      .flatMap((number) => this.tasks.at(number) ?? [])
      .filter(({ state, endedAt }) => state === 'failed' && endedAt !== null && now - endedAt < failedForMs)
  }

  /** Looks for failed swaps; call when the panel opens, and while it is open when the library has changed. */
  async lookForFailed(): Promise<void> {
    const query = { search: '', filter: 'needs-you', sort: 'newest', limit: maxFailed } as const
    const { order } = await this.bridge.library.view(query)
    await this.tasks.load(order)
    this.#needsUser = [...order]
  }
}
