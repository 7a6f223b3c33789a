/** @file Words for parts of videos: in the composer, of a proof, and of a finished swap. */
import type { WeakPart } from '@shared/engine/engine.ts'
import { formatPosition } from '@shared/i18n/format.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { ProofKind } from '@shared/people/proof.ts'
import type { Handle } from '../compose/parts.ts'

const only = { from: m.part_start, to: m.part_end, whole: m.part_move }
const numbered = { from: m.part_number_start, to: m.part_number_end, whole: m.part_number_move }

/** Name of a handle of a part in the composer. With one part, it has no number. */
export const handleName = (handle: Handle, index: number, count: number): string =>
  count === 1 ? only[handle]() : numbered[handle]({ number: index + 1 })

/** What is hard in a moment of a proof. */
export const momentNames: Record<ProofKind, () => string> = {
  turned: m.weak_turned,
  covered: m.weak_covered,
  talking: m.moment_talking,
  fast: m.moment_fast,
  light: m.moment_light,
  small: m.moment_small,
  clear: m.moment_clear,
  any: m.moment_any,
}

/** Times and number of frames of the selected part of a finished swap. @param fps of the result; null if unknown */
export function selectedSpan(
  { fromMs, toMs, weak }: Pick<WeakPart, 'fromMs' | 'toMs'> & { weak: WeakPart | null },
  fps: number | null,
): string {
  const isWhole = weak?.fromMs === fromMs && weak.toMs === toMs
  const count = isWhole ? weak.frames : Math.max(1, Math.round(((toMs - fromMs) * (fps ?? 25)) / 1000))
  return m.selected_span({ from: formatPosition(fromMs / 1000), to: formatPosition(toMs / 1000), count })
}
