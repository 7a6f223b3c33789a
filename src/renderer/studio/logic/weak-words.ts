/** @file Texts about weak parts. */
import type { WeakKind, WeakPart } from '@shared/engine.ts'
import { formatPosition } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'

export const weakWords: Record<WeakKind, { name: () => string; why: () => string }> = {
  turned: { name: m.weak_turned, why: m.weak_turned_why },
  covered: { name: m.weak_covered, why: m.weak_covered_why },
  lost: { name: m.weak_lost, why: m.weak_lost_why },
  unsteady: { name: m.weak_unsteady, why: m.weak_unsteady_why },
  unsure: { name: m.weak_unsure, why: m.weak_unsure_why },
}

/** Times and number of frames. @param fps of the result; null if unknown */
export function selectedSpan(
  { fromMs, toMs, weak }: Pick<WeakPart, 'fromMs' | 'toMs'> & { weak: WeakPart | null },
  fps: number | null,
): string {
  const isWhole = weak?.fromMs === fromMs && weak.toMs === toMs
  const count = isWhole ? weak.frames : Math.max(1, Math.round(((toMs - fromMs) * (fps ?? 25)) / 1000))
  return m.selected_span({ from: formatPosition(fromMs / 1000), to: formatPosition(toMs / 1000), count })
}
