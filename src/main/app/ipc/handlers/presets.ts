/** @file IPC handlers that share presets as files. */
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { app } from 'electron'
import { MienError, withDetails } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { safeName } from '@shared/files/name-template.ts'
import { presetExtension, type Preset } from '@shared/settings/presets.ts'
import { onDisk, readSmallText } from '../../../machine/disk/disk-errors.ts'
import { maxPresetBytes, presetText, readPreset } from '../../../machine/settings/preset-file.ts'
import { chooseFiles, saveWhereChosen } from '../../../machine/system/file-dialogs.ts'
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

export function presetsHandlers({ context: { settings }, window, send }: HandlerDeps): GroupHandlers<'presets'> {
  const filters = [{ name: m.dialog_presets(), extensions: [presetExtension] }]
  const add = async (path: string): Promise<Preset> => {
    const name = basename(path)
    const tooLarge = new MienError('preset-invalid', { reason: 'large' })
    const text = await readSmallText(path, maxPresetBytes, tooLarge).catch((error: unknown) => {
      throw withDetails(error, { name })
    })
    const { presets } = settings.settings
    const preset = readPreset(text, name, presets)
    send('settings', 'changed', settings.set({ presets: [...presets, preset] }))
    return preset
  }
  return {
    exportFile: async ({ id }) => {
      const preset = settings.settings.presets.find((each) => each.id === id)
      if (!preset) throw new MienError('not-found', { id })
      const defaultPath = join(app.getPath('documents'), `${safeName(preset.name)}.${presetExtension}`)
      return saveWhereChosen(window(), { defaultPath, filters }, (path) =>
        onDisk(writeFile(path, presetText(preset)), path),
      )
    },
    importFile: async () => {
      const [path] = await chooseFiles(window(), { filters, properties: ['openFile'] })
      return path === undefined ? null : add(path)
    },
    drop: ({ path }) => add(path),
  }
}
