/** @file The selected part of a finished swap in words. */
import type { WeakPart } from '@shared/engine/engine.ts'
import { formatPosition } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'

/** Times and number of frames. @param fps of the result; null if unknown */
export function selectedSpan(
  { fromMs, toMs, weak }: Pick<WeakPart, 'fromMs' | 'toMs'> & { weak: WeakPart | null },
  fps: number | null,
): string {
  const isWhole = weak?.fromMs === fromMs && weak.toMs === toMs
  const count = isWhole ? weak.frames : Math.max(1, Math.round(((toMs - fromMs) * (fps ?? 25)) / 1000))
  return m.selected_span({ from: formatPosition(fromMs / 1000), to: formatPosition(toMs / 1000), count })
}
