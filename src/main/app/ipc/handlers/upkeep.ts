/** @file IPC handlers for updates, diagnostics, and export and import of settings. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { app } from 'electron'
import { MienError } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { exportText } from '../../../machine/settings/exchange.ts'
import { chooseFiles, saveWhereChosen } from '../../../machine/system/file-dialogs.ts'
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

export function updatesHandlers({ updates }: HandlerDeps): GroupHandlers<'updates'> {
  return {
    state: () => updates.state,
    check: () => updates.check(true),
    download: () => updates.download(),
    restart: () => updates.restartWhenIdle(),
  }
}

export function diagnosticsHandlers({ diagnostics }: HandlerDeps): GroupHandlers<'diagnostics'> {
  return {
    collect: ({ codecs }) => diagnostics.collect(codecs),
    save: () => diagnostics.save(),
  }
}

/** Max size of a settings file. */
const maxBytes = 1_000_000

export function exchangeHandlers({
  context: { settings },
  window,
  onImported,
}: HandlerDeps): Pick<GroupHandlers<'settings'>, 'exportFile' | 'importFile'> {
  const filters = [{ name: m.dialog_settings(), extensions: ['json'] }]
  return {
    exportFile: () => {
      const defaultPath = join(app.getPath('documents'), 'mien-settings.json')
      return saveWhereChosen(window(), { defaultPath, filters }, (path) =>
        writeFile(path, exportText(settings.exchanged)),
      )
    },
    importFile: async () => {
      const [path] = await chooseFiles(window(), { filters, properties: ['openFile'] })
      if (path === undefined) return null
      const name = basename(path)
      if ((await stat(path)).size > maxBytes) throw new MienError('import-foreign', { name })
      const report = settings.import(await readFile(path, 'utf8'), name)
      onImported()
      return report
    },
  }
}
