/** @file The user's models, mirrored from main. */
import type { ModelView } from '@shared/engine/models.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { Studio } from './studio.svelte.ts'

export class ModelsState {
  #models = $state.raw<readonly ModelView[]>([])
  readonly all = $derived(this.#models)

  constructor(private readonly studio: Studio) {}

  /** Models that can be chosen as the way to swap. */
  readonly swappers = $derived.by(() => this.#models.filter(({ isUsable }) => isUsable))

  async start(): Promise<void> {
    const { models } = this.studio.bridge
    models.changed((all) => {
      this.#models = all
      this.#leaveLost()
    })
    this.#models = await models.list()
  }

  /** The composer swaps in the built-in way if the chosen model can't be used any more. */
  #leaveLost(): void {
    const { composer, toasts } = this.studio
    if (composer.forgetModels(this.swappers.map(({ id }) => id)))
      toasts.show({ icon: 'info', title: m.chosen_model_lost(), body: m.preset_no_model_body() })
  }
}
