/** @file Starts the app with its window: one instance for each data folder, the log first. */
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { app, crashReporter, Menu } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import { ensureDataFolder } from '../../machine/disk/data-folder.ts'
import { nameDiskFull } from '../../machine/disk/disk-errors.ts'
import { captureErrors } from '../../machine/log/capture.ts'
import { openLog } from '../../machine/log/log.ts'
import { useLanguage } from '../../machine/system/language.ts'
import { openFirstWindow } from './first-window.ts'
import { OpenedFiles, type SecondStart } from './opened-files.ts'
import type { StudioOptions } from './studio.ts'
import { failToStart, sayUnforeseen } from './trouble-dialogs.ts'

export interface StartOptions extends Omit<StudioOptions, 'log' | 'opened' | 'first'> {
  /** Paths of files to open. */
  files: string[]
}

/** Opens the window when the app is ready. Call before, because it sets Chromium's folder. */
export async function startWindow({ files, ...options }: StartOptions): Promise<void> {
  const { dataDir, dataDirGiven } = options
  const problem = prepareFolder(dataDir, dataDirGiven)
  // Before the app is ready, so that Electron doesn't make its own menu, which has keys that reload the page.
  Menu.setApplicationMenu(null)
  // Until the settings are read.
  await useLanguage('system')
  // Windows shows notifications only of apps with an id. The installer gives this one to the shortcut, too (appId in
  // electron-builder.mjs).
  if (process.platform === 'win32') app.setAppUserModelId('studio.mien.Mien')
  if (problem !== null) {
    // Without a folder there is no log; Chromium's files stay in the default folder.
    void app.whenReady().then(() => failToStart(problem))
    return
  }
  if (dataDirGiven) app.setPath('userData', dataDir)
  const opened = new OpenedFiles(files)
  if (!app.requestSingleInstanceLock({ files } satisfies SecondStart)) {
    process.stderr.write(`${m.already_open()}\n`)
    app.exit(0)
    return
  }
  const log = openLog(dataDir, false)
  captureErrors(log, sayUnforeseen)
  log.info(`Mien ${app.getVersion()} starts`)
  // Dumps stay on this computer; diagnostics only list them.
  crashReporter.start({ uploadToServer: false })
  app
    .whenReady()
    .then(async () => {
      const first = await openFirstWindow(options, log)
      // Loaded while the page's process starts.
      const { openStudio } = await import('./studio.ts')
      await first.delivered
      openStudio({ ...options, log, opened, first })
    })
    .catch((error: unknown) => {
      log.warn('Mien did not start', error)
      failToStart(nameDiskFull(error))
    })
}

/** Returns why the data folder can't be used; null if it can. */
function prepareFolder(dir: string, given: boolean): unknown {
  try {
    ensureDataFolder(dir, { given, write: true })
    // At the first start, index.ts had no folder for it.
    enableCompileCache(join(dir, 'compile-cache'))
    return null
  } catch (error) {
    return error
  }
}
