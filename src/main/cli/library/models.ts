/** @file Commands for models that the user adds. */
import { join } from 'node:path'
import { fastest } from '@shared/engine/engine.ts'
import { usage } from '@shared/errors.ts'
import { formatBytes } from '@shared/i18n/format.ts'
import { licenceText, missingText, modelSpeedText, modelTimeText, modelTrialText } from '@shared/i18n/model-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { VideoPeople } from '@shared/people/people.ts'
import { plain } from '@shared/plain.ts'
import { seenMs } from '@shared/people/range.ts'
import { embeddedProfileId, type Draft } from '@shared/tasks/task.ts'
import type { AppContext } from '../../app/app-context.ts'
import { companionsOf } from '../../engine/models/model-record.ts'
import { ModelStore, type StoredModel } from '../../engine/models/model-store.ts'
import { modelView } from '../../engine/models/model-methods.ts'
import { exitCodes } from '../output/exit-codes.ts'
import type { CommandOf } from '../args/args.ts'
import { print } from '../output/output-lines.ts'

export async function listModels({ json }: CommandOf<'model list'>, dataDir: string): Promise<number> {
  const log = (message: string) => process.stderr.write(`${message}\n`)
  const models = await new ModelStore({ dir: join(dataDir, 'models'), now: Date.now, log }).list()
  for (const model of models) print(json, modelJson(model, models), modelLine(model))
  printMissing(models, models)
  return exitCodes.done
}

export async function addModels(
  { models: store }: AppContext,
  { json, files }: CommandOf<'model add'>,
): Promise<number> {
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

export async function removeModel({ models }: AppContext, { json, name }: CommandOf<'model remove'>): Promise<number> {
  const model = await modelNamed(models, name)
  await models.remove(model.id)
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
  const lines = (['wasm', 'webnn', 'webgpu'] as const).map((backend) => modelTrialText(backend, check[backend]))
  print(json, { name: model.name, check }, [plain(model.name), ...lines].join('\n  '))
  return fastest(check) ? exitCodes.done : exitCodes.engine
}

/** Id of the swapper with this name; null for the built-in method. @throws MienError `usage` */
export async function methodNamed(store: ModelStore, name: string | null): Promise<string | null> {
  return name === null || name === builtIn ? null : (await modelNamed(store, name, 'swapper')).id
}

/** As `methodNamed`, and checks the model if that wasn't done here: only then a graphics chip is used. */
export async function checkedMethod(
  { models, methods }: Pick<AppContext, 'models' | 'methods'>,
  name: string | null,
): Promise<string | null> {
  const id = await methodNamed(models, name)
  const model = (await models.list()).find((each) => each.id === id)
  if (model?.state === 'ready' && model.check === null) await methods.check(model.id)
  return id
}

/**
 * Says how long a swap by a model takes here. Without a model, or where it is unknown, it says nothing.
 * @param found the people in the video, if they are known
 */
export async function printModelTime(
  { methods, tasks, media }: Pick<AppContext, 'methods' | 'tasks' | 'media'>,
  { videoId, profileId, range = null, cast = [], options }: Draft,
  found: VideoPeople | null,
): Promise<void> {
  const method = options?.method ?? null
  if (method === null || profileId !== embeddedProfileId) return
  const chosen = cast.map(({ personId }) => found?.people.find(({ id }) => id === personId))
  const clipIds = new Set(chosen.flatMap((person) => person?.clipIds ?? []))
  const clips = found?.clips.filter(({ id }) => clipIds.has(id)) ?? []
  const model = {
    runMs: await methods.runMs(method),
    seenMs: clips.length > 0 ? seenMs(range, clips) : null,
  }
  const estimate = tasks.durationEstimator.estimate(media.video(videoId), profileId, range, model)
  const text = estimate?.model ? modelTimeText(estimate.model) : null
  if (text !== null) process.stderr.write(`${text}\n`)
}

/** Value of `--method` for the built-in method. */
const builtIn = 'built-in'

/** @throws MienError `usage` */
async function modelNamed(store: ModelStore, name: string, role?: StoredModel['spec']['role']): Promise<StoredModel> {
  const isNamed = (model: StoredModel): boolean => model.name.toLowerCase() === name.trim().toLowerCase()
  const model = (await store.list()).find((each) => isNamed(each) && (role === undefined || each.spec.role === role))
  if (!model) throw usage(m.cli_no_model({ name: plain(name) }))
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
    check: modelView(model, all).check,
    sha256: id,
    addedAt: new Date(addedAt).toISOString(),
  }
}

function modelLine(model: StoredModel): string {
  const { name, spec, state, licence, sizeBytes } = model
  const kind = spec.role === 'swapper' ? `${spec.family} ${String(spec.size)} px` : spec.role
  const parts = [plain(name), kind, formatBytes(sizeBytes), plain(licenceText(licence))]
  if (state !== 'ready') parts.push(state === 'changed' ? m.model_changed() : m.model_missing())
  const speed = spec.role === 'swapper' ? modelSpeedText(modelView(model, []).check) : null
  if (speed !== null) parts.push(speed)
  return parts.join('  ')
}
