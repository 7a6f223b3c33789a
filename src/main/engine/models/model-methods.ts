/** @file The user's models as swap methods: which can be used, and the files that the engine needs for one. */
import { fastest, type Backend, type ModelCheck, type ModelTimes, type SwapResult } from '@shared/engine/engine.ts'
import { MienError } from '@shared/errors.ts'
import type { LicenceId, MethodView, ModelView } from '@shared/engine/models.ts'
import { defaultOptions, type SwapOptions } from '@shared/options/swap-options.ts'
import type { MethodFiles } from '../host/engine-host.ts'
import { companionsOf, type ModelRecord } from './model-record.ts'
import type { ModelStore, StoredModel } from './model-store.ts'

interface Method {
  files: MethodFiles
  /** For the result's record. */
  used: NonNullable<SwapResult['model']>
}

export class ModelMethods {
  constructor(
    private readonly store: ModelStore,
    private readonly engine: { checkModel: (path: string, spec: StoredModel['spec']) => Promise<ModelCheck> },
  ) {}

  /** Swappers whose files are all there. */
  async usable(): Promise<MethodView[]> {
    const models = await this.store.list()
    return models
      .filter((model) => model.spec.role === 'swapper' && problemOf(model, models) === null)
      .map(({ id, name }) => ({ id, name }))
  }

  /**
   * What the engine needs for a swap with these options; null for the built-in method.
   * @throws MienError `model-unusable`
   */
  async of({ method, likeness }: SwapOptions): Promise<Method | null> {
    if (method === null) return null
    const models = await this.store.list()
    const swapper = models.find(({ id }) => id === method)
    if (!swapper) throw new MienError('model-unusable', { reason: 'gone' })
    const problem = problemOf(swapper, models)
    if (problem) throw new MienError('model-unusable', { name: swapper.name, ...problem })
    const { recogniser, converter } = companionsOf(swapper, models)
    const fileOf = ({ id }: { id: string }): { path: string } => ({ path: this.store.path(id) })
    if (swapper.spec.role !== 'swapper') throw new MienError('model-unusable', { name: swapper.name, reason: 'role' })
    return {
      files: {
        swapper: { ...fileOf(swapper), spec: swapper.spec },
        recogniser: recogniser?.spec.role === 'recogniser' ? { ...fileOf(recogniser), spec: recogniser.spec } : null,
        converter: converter?.spec.role === 'converter' ? { ...fileOf(converter), spec: converter.spec } : null,
        strength: strengthOf(likeness),
        backend: (swapper.check && fastest(swapper.check)) ?? 'wasm',
      },
      used: { name: swapper.name, licence: strictest([swapper, recogniser, converter]) },
    }
  }

  /** How long a run takes, as measured by the last check; null also if there was none. */
  async runMs(id: string): Promise<ModelTimes> {
    const check = (await this.store.list()).find((each) => each.id === id)?.check
    const on = (...backends: Backend[]): number | null => {
      const times = backends.flatMap((backend) =>
        check?.[backend].problem === null ? (check[backend].runMs ?? []) : [],
      )
      return times.length > 0 ? Math.min(...times) : null
    }
    return { chip: on('webgpu'), processor: on('webnn', 'wasm') }
  }

  /**
   * Runs a model on a fixed input and stores the result.
   * @throws MienError `model-unusable`, as `EngineHost.checkModel`
   */
  async check(id: string): Promise<StoredModel> {
    const model = (await this.store.list()).find((each) => each.id === id)
    if (model?.state !== 'ready') throw new MienError('model-unusable', { reason: 'gone' })
    return this.store.setCheck(id, await this.engine.checkModel(this.store.path(id), model.spec))
  }
}

/** Why a swapper can't be used now; null if it can. */
function problemOf(
  model: StoredModel,
  models: readonly StoredModel[],
): { reason: 'changed' | 'missing' | 'licence'; needs?: string } | null {
  const { recogniser, converter, missing } = companionsOf(model, models)
  const [needs] = missing
  if (needs !== undefined) return { reason: 'missing', needs }
  const all = [model, recogniser, converter].flatMap((one) => models.find(({ id }) => id === one?.id) ?? [])
  if (all.some(({ state }) => state !== 'ready')) return { reason: 'changed' }
  return all.some(({ licence }) => licence.id === 'unknown' && licence.confirmedAt === null)
    ? { reason: 'licence' }
    : null
}

/** From the strictest licence to the freest. */
const byStrictness: readonly LicenceId[] = ['non-commercial', 'research', 'unknown', 'stated', 'apache-vggface2']

function strictest(models: readonly (ModelRecord | null)[]): Method['used']['licence'] {
  const licences = models.flatMap((model) => model?.licence ?? [])
  const rank = ({ id }: { id: LicenceId }): number => byStrictness.indexOf(id)
  const [first] = licences.sort((a, b) => rank(a) - rank(b))
  return { id: first?.id ?? 'unknown', text: first?.text ?? null }
}

/** Maps likeness, 0…100, to a swapper's strength, 0…1: the usual likeness is 0.5, which changes nothing. */
function strengthOf(likeness: number): number {
  const usual = defaultOptions.likeness
  return likeness <= usual ? (0.5 * likeness) / usual : 0.5 + (0.5 * (likeness - usual)) / (100 - usual)
}

/** A stored model as the settings show it. */
export function modelView(model: StoredModel, all: readonly StoredModel[]): ModelView {
  const { id, name, spec, sizeBytes, licence, state, recogniser, check } = model
  const backend = check && fastest(check)
  return {
    ...{ id, name, sizeBytes, state, recogniser, role: spec.role },
    family: spec.role === 'recogniser' ? null : spec.family,
    size: spec.role === 'converter' ? null : spec.size,
    licence: { id: licence.id, text: licence.text },
    needsConfirmation: licence.id === 'unknown' && licence.confirmedAt === null,
    missing: companionsOf(model, all).missing,
    isUsable: spec.role === 'swapper' && problemOf(model, all) === null,
    check: check && { backend, runMs: backend && check[backend].runMs },
  }
}
