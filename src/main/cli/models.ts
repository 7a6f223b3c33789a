/** @file Commands for models that the user adds. */
import { join } from 'node:path'
import type { Backend, ModelTrial } from '@shared/engine.ts'
import { MienError } from '@shared/errors.ts'
import { formatBytes } from '@shared/i18n/format.ts'
import { licenceText, missingText } from '@shared/i18n/model-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { plain } from '@shared/plain.ts'
import type { AppContext } from '../app/app-context.ts'
import { companionsOf } from '../models/model-record.ts'
import { ModelStore, type StoredModel } from '../models/model-store.ts'
import { exitCodes } from './exit-codes.ts'
import type { CommandOf } from './library-args.ts'
import { print } from './output.ts'

export async function listModels({ json }: CommandOf<'model list'>, dataDir: string): Promise<number> {
  const log = (message: string): void => {
    process.stderr.write(`${message}\n`)
  }
  const models = await new ModelStore({ dir: join(dataDir, 'models'), now: Date.now, log }).list()
  for (const model of models) print(json, modelJson(model, models), modelLine(model))
  printMissing(models, models)
  return exitCodes.done
}

export async function addModels(store: ModelStore, { json, files }: CommandOf<'model add'>): Promise<number> {
  const added: StoredModel[] = []
  try {
    // The user of the command line is responsible for the licence and can't be asked.
    for (const file of files) added.push(await store.add(file, { confirmed: true }))
  } finally {
    const all = await store.list()
    for (const model of added) {
      print(json, modelJson(model, all), modelLine(model))
      if (model.licence.id === 'unknown')
        process.stderr.write(`${m.cli_licence_unknown({ name: plain(model.name) })}\n`)
    }
    printMissing(added, all)
  }
  return exitCodes.done
}

export async function removeModel(store: ModelStore, { json, name }: CommandOf<'model remove'>): Promise<number> {
  const model = await modelNamed(store, name)
  await store.remove(model.id)
  print(json, { name: model.name, removed: true }, plain(model.name))
  return exitCodes.done
}

/** Checks a model on the processor and, where there is one, on the graphics chip. */
export async function checkModel(
  { models, methods }: Pick<AppContext, 'models' | 'methods'>,
  { json, name }: CommandOf<'model check'>,
): Promise<number> {
  const { id } = await modelNamed(models, name)
  const model = await methods.check(id)
  const { check } = model
  if (!check) return exitCodes.engine
  const lines = (['wasm', 'webgpu'] as const).map((backend) => trialLine(backend, check[backend]))
  print(json, { name: model.name, check }, [plain(model.name), ...lines].join('\n  '))
  return check.wasm.problem === null || check.webgpu.problem === null ? exitCodes.done : exitCodes.engine
}

function trialLine(backend: Backend, { problem, runMs }: ModelTrial): string {
  const what = backend === 'wasm' ? m.on_processor() : m.on_graphics_chip()
  if (problem === null) return m.model_trial_ok({ what, ms: Math.round(runMs ?? 0) })
  const problems: Record<typeof problem, () => string> = {
    absent: m.model_problem_absent,
    software: m.model_problem_absent,
    failed: m.model_problem_failed,
    'not-a-number': m.model_problem_wrong,
    grey: m.model_problem_wrong,
    scale: m.model_problem_wrong,
    different: m.model_problem_wrong,
  }
  return m.model_trial_problem({ what, problem: problems[problem]() })
}

/** Id of the swapper with this name; null for the built-in method. @throws MienError `usage` */
export async function methodNamed(store: ModelStore, name: string | null): Promise<string | null> {
  return name === null || name === builtIn ? null : (await modelNamed(store, name, 'swapper')).id
}

/** Value of `--method` for the built-in method. */
const builtIn = 'built-in'

/** @throws MienError `usage` */
async function modelNamed(store: ModelStore, name: string, role?: StoredModel['spec']['role']): Promise<StoredModel> {
  const isNamed = (model: StoredModel): boolean => model.name.toLowerCase() === name.trim().toLowerCase()
  const model = (await store.list()).find((each) => isNamed(each) && (role === undefined || each.spec.role === role))
  if (!model) throw new MienError('usage', { reason: m.cli_no_model({ name: plain(name) }) })
  return model
}

/** Says which other models are needed. */
function printMissing(models: readonly StoredModel[], all: readonly StoredModel[]): void {
  for (const model of models)
    for (const missing of companionsOf(model, all).missing) {
      const { name, recogniser } = model
      process.stderr.write(`${missingText(plain(name), missing, recogniser === null ? null : plain(recogniser))}\n`)
    }
}

function modelJson(model: StoredModel, all: readonly StoredModel[]) {
  const { name, spec, state, licence, sizeBytes, id, addedAt } = model
  return {
    name,
    role: spec.role,
    family: spec.role === 'recogniser' ? null : spec.family,
    size: spec.role === 'converter' ? null : spec.size,
    state,
    missing: companionsOf(model, all).missing,
    licence: { id: licence.id, text: licenceText(licence) },
    sizeBytes,
    sha256: id,
    addedAt: new Date(addedAt).toISOString(),
  }
}

function modelLine({ name, spec, state, licence, sizeBytes }: StoredModel): string {
  const kind = spec.role === 'swapper' ? `${spec.family} ${String(spec.size)} px` : spec.role
  const parts = [plain(name), kind, formatBytes(sizeBytes), plain(licenceText(licence))]
  if (state !== 'ready') parts.push(state === 'changed' ? m.model_changed() : m.model_missing())
  return parts.join('  ')
}
