/** @file IPC handlers that share presets as files. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { app } from 'electron'
import { MienError } from '@shared/errors.ts'
import { m } from '@shared/i18n/paraglide/messages.js'
import { safeName } from '@shared/files/name-template.ts'
import { presetExtension, type Preset } from '@shared/settings/presets.ts'
import { onDisk, checkReadable, fileFailure } from '../../../machine/disk/disk-errors.ts'
import { maxPresetBytes, presetText, readPreset } from '../../../machine/settings/preset-file.ts'
import { chooseFiles, chooseTarget } from '../../../machine/system/file-dialogs.ts'
import type { HandlerDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

export function presetsHandlers({ context: { settings }, window, send }: HandlerDeps): GroupHandlers<'presets'> {
  const filters = [{ name: m.dialog_presets(), extensions: [presetExtension] }]
  const add = async (path: string): Promise<Preset> => {
    const name = basename(path)
    const text = await textOf(path, name)
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
      const path = await chooseTarget(window(), { defaultPath, filters })
      if (path === null) return { saved: false }
      await onDisk(writeFile(path, presetText(preset)), path)
      return { saved: true }
    },
    importFile: async () => {
      const [path] = await chooseFiles(window(), { filters, properties: ['openFile'] })
      return path === undefined ? null : add(path)
    },
    drop: ({ path }) => add(path),
  }
}

/** @throws MienError `preset-invalid`, codes of `checkReadable` */
async function textOf(path: string, name: string): Promise<string> {
  try {
    await checkReadable(path)
    if ((await stat(path)).size > maxPresetBytes) throw new MienError('preset-invalid', { reason: 'large' })
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code, details } = fileFailure(error)
    throw new MienError(code, { ...details, name }, { cause: error })
  }
}
