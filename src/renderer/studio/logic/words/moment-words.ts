/** @file Words for the moments of a proof. */
import { m } from '@shared/i18n/paraglide/messages.js'
import type { ProofKind } from '@shared/people/proof.ts'

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
