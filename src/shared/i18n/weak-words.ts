/** @file Names of the kinds of weak parts, and why they are weak. */
import type { WeakKind } from '../engine/engine.ts'
import { m } from './paraglide/messages.js'

export const weakWords: Record<WeakKind, { name: () => string; why: () => string }> = {
  turned: { name: m.weak_turned, why: m.weak_turned_why },
  covered: { name: m.weak_covered, why: m.weak_covered_why },
  lost: { name: m.weak_lost, why: m.weak_lost_why },
  unsteady: { name: m.weak_unsteady, why: m.weak_unsteady_why },
  unsure: { name: m.weak_unsure, why: m.weak_unsure_why },
}
