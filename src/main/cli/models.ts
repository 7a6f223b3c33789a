/** @file Commands for models that the user adds. */
import { join } from 'node:path'
import { MienError } from '@shared/errors.ts'
import { formatBytes } from '@shared/i18n/format.ts'
import { licenceText, missingText } from '@shared/i18n/model-text.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { companionsOf } from '../models/model-record.ts'
import { ModelStore, type StoredModel } from '../models/model-store.ts'
import { exitCodes } from './exit-codes.ts'
import type { CommandOf } from './library-args.ts'
import { plain } from './output-lines.ts'
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
  const models = await store.list()
  const model = models.find((each) => each.name.toLowerCase() === name.trim().toLowerCase())
  if (!model) throw new MienError('usage', { reason: `There’s no model called ${plain(name)}` })
  await store.remove(model.id)
  print(json, { name: model.name, removed: true }, plain(model.name))
  return exitCodes.done
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
