/** @file The user's models, mirrored from main. */
import type { Bridge } from '@shared/ipc/contract.ts'
import type { ModelView } from '@shared/engine/models.ts'

export class ModelsState {
  readonly #bridge: Bridge['models']
  #models = $state.raw<readonly ModelView[]>([])
  #stop: (() => void) | null = null
  /** Called after each change. */
  onChange: () => void = () => undefined

  constructor(bridge: Bridge['models']) {
    this.#bridge = bridge
  }

  get all(): readonly ModelView[] {
    return this.#models
  }

  /** Models that can be chosen as the way to swap. */
  readonly swappers = $derived.by(() => this.#models.filter(({ isUsable }) => isUsable))

  async start(): Promise<void> {
    this.#stop = this.#bridge.changed((models) => {
      this.#models = models
      this.onChange()
    })
    this.#models = await this.#bridge.list()
  }

  dispose(): void {
    this.#stop?.()
    this.#stop = null
  }
}
