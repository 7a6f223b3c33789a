/** @file A stored model as the settings show it. Pure. */
import type { ModelView } from '@shared/engine/models.ts'
import { companionsOf } from './model-record.ts'
import { problemOf } from './model-methods.ts'
import type { StoredModel } from './model-store.ts'

export function modelView(model: StoredModel, all: readonly StoredModel[]): ModelView {
  const { id, name, spec, sizeBytes, licence, state, recogniser, check } = model
  const trial = check && (check.webgpu.problem === null ? check.webgpu : check.wasm)
  return {
    ...{ id, name, sizeBytes, state, recogniser, role: spec.role },
    family: spec.role === 'recogniser' ? null : spec.family,
    size: spec.role === 'converter' ? null : spec.size,
    licence: { id: licence.id, text: licence.text },
    needsConfirmation: licence.id === 'unknown' && licence.confirmedAt === null,
    missing: companionsOf(model, all).missing,
    isUsable: spec.role === 'swapper' && problemOf(model, all) === null,
    check: check && {
      backend: check.webgpu.problem === null ? 'webgpu' : check.wasm.problem === null ? 'wasm' : null,
      runMs: trial?.problem === null ? trial.runMs : null,
    },
  }
}
