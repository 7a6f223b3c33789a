/** @file IPC handlers for models that the user adds. */
import { basename } from 'node:path'
import { toErrorBody } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { ModelImport } from '@shared/ipc/contract.ts'
import type { ModelView } from '@shared/engine/models.ts'
import { modelView } from '../../../engine/models/model-methods.ts'
import { chooseFiles } from '../../../machine/system/file-dialogs.ts'
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

export function modelsHandlers({ context, window, send, log }: HandlerDeps): GroupHandlers<'models'> {
  const { models, methods } = context
  const list = async (): Promise<ModelView[]> => {
    const all = await models.list()
    return all.map((model) => modelView(model, all))
  }
  const changed = async (): Promise<void> => {
    send('models', 'changed', await list())
  }
  /** Adds a model and checks it. A failed check is shown in the list and can be repeated. */
  const add = async (path: string): Promise<void> => {
    const { id, check } = await models.add(path, { confirmed: false })
    await changed()
    if (check === null)
      methods
        .check(id)
        .then(changed)
        .catch((error: unknown) => log.warn('A model could not be checked', error))
  }
  return {
    list,
    choose: async () => {
      const paths = await chooseFiles(window(), {
        properties: ['openFile', 'multiSelections'],
        filters: [
          { name: m.dialog_models(), extensions: ['onnx'] },
          { name: m.dialog_all_files(), extensions: ['*'] },
        ],
      })
      const imported: ModelImport = { failed: [] }
      for (const path of paths) {
        try {
          await add(path)
        } catch (thrown) {
          imported.failed.push({ name: basename(path), error: toErrorBody(thrown) })
        }
      }
      return imported
    },
    drop: ({ path }) => add(path),
    confirmLicence: async ({ id }) => {
      await models.confirmLicence(id)
      await changed()
    },
    check: async ({ id }) => {
      await methods.check(id)
      await changed()
    },
    remove: async ({ id }) => {
      await models.remove(id)
      await changed()
    },
  }
}
