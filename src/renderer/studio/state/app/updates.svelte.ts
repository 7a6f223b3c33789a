/** @file The update state, mirrored from main. */
import type { Bridge } from '@shared/ipc/contract.ts'
import type { UpdateState } from '@shared/ipc/app-state.ts'

export class UpdatesState {
  readonly #bridge: Bridge['updates']
  #state = $state.raw<UpdateState>({ kind: 'idle', checkedAt: null })
  #stop: (() => void) | null = null

  constructor(bridge: Bridge['updates']) {
    this.#bridge = bridge
  }

  get state(): UpdateState {
    return this.#state
  }

  async start(): Promise<void> {
    this.#stop = this.#bridge.changed((state) => (this.#state = state))
    this.#state = await this.#bridge.state()
  }

  dispose(): void {
    this.#stop?.()
    this.#stop = null
  }
}
