/** @file Does what the user chose for the end of all swaps. */
import type { DoneAction, WhenDone } from '@shared/ipc/app-state.ts'

interface AllDoneDeps {
  /** The action until the user chooses one. */
  preset: () => Exclude<DoneAction, 'sleep'>
  sleep: () => Promise<void>
  onChanged: (view: WhenDone) => void
  log: (message: string, error?: unknown) => void
}

/** Time to cancel the sleep. */
const countdownMs = 30_000

export class AllDone {
  private chosen: DoneAction | null = null
  private canSleep = false
  private sleepsAt: number | null = null
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly deps: AllDoneDeps) {}

  get view(): WhenDone {
    const { canSleep, sleepsAt } = this
    return { action: this.chosen ?? this.deps.preset(), canSleep, sleepsAt }
  }

  allowSleep(): void {
    this.canSleep = true
    this.deps.onChanged(this.view)
  }

  choose(action: DoneAction): void {
    if (action === 'sleep' && !this.canSleep) return
    this.chosen = action
    this.stopCountdown()
    this.deps.onChanged(this.view)
  }

  /** All swaps have ended. */
  ended(): void {
    if (this.view.action !== 'sleep' || this.timer) return
    this.sleepsAt = Date.now() + countdownMs
    this.timer = setTimeout(() => this.fallAsleep(), countdownMs)
    this.deps.onChanged(this.view)
  }

  /** The user cancels the sleep, or another swap is in progress. */
  cancelSleep(): void {
    if (!this.timer) return
    this.stopCountdown()
    this.deps.onChanged(this.view)
  }

  dispose(): void {
    clearTimeout(this.timer)
  }

  /** Once only: after waking, the next swaps don't end in sleep. */
  private fallAsleep(): void {
    this.chosen = null
    this.cancelSleep()
    this.deps.sleep().catch((error: unknown) => this.deps.log('The computer could not be put to sleep', error))
  }

  private stopCountdown(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.sleepsAt = null
  }
}
