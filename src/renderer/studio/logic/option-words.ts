/** @file Words for the options of a swap. */
import type { Keepable } from '@shared/default-options.ts'
import { m } from '@shared/i18n/paraglide/messages.js'

export const keepNames: Record<Keepable, () => string> = {
  mouth: m.keep_mouth,
  glasses: m.keep_glasses,
  hair: m.keep_hair,
}

/** How many options differ from the default. */
export const changesText = (count: number): string =>
  count === 0 ? m.options_standard() : m.options_changed({ count })
