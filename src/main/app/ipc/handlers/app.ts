/** @file IPC handlers for app info, help pages, clipboard, notices and settings. */
import { readFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { app, clipboard, nativeTheme, shell } from 'electron'
import { MienError } from '@shared/errors.ts'
import type { AppInfo } from '@shared/ipc/app-state.ts'
import { getLocale } from '@shared/i18n/paraglide/runtime.js'
import { makeFolder } from '../../../machine/disk/make-folder.ts'
import { describeFolder, folderToOpen } from '../../../media/results-folder.ts'
import { openHelp } from '../../../pages/help-links.ts'
import { chooseFiles } from '../../../machine/system/file-dialogs.ts'
import { systemLanguage } from '../../../machine/system/language.ts'
import type { HandlerDeps, InfoDeps } from '../handler-deps.ts'
import type { GroupHandlers } from '../register.ts'

const platforms: Partial<Record<NodeJS.Platform, AppInfo['platform']>> = { darwin: 'mac', win32: 'win' }

export function appInfo({ context, keychainReady, canRunInBackground }: InfoDeps): AppInfo {
  return {
    version: app.getVersion(),
    platform: platforms[process.platform] ?? 'linux',
    electron: process.versions.electron,
    chromium: process.versions.chrome,
    theme: nativeTheme.shouldUseDarkColors ? 'dark' : 'light',
    language: getLocale(),
    systemLanguage: systemLanguage(),
    keychain: keychainReady() ? 'ready' : 'missing',
    canRunInBackground: canRunInBackground(),
    measuredFps: context.tasks.durationEstimator.fps,
    benchmark: context.benchmark.view,
    cores: cpus().length,
    memoryBytes: totalmem(),
    locked: context.settings.locked,
  }
}

export function appHandlers(handlerDeps: HandlerDeps): GroupHandlers<'app'> {
  return {
    info: () => appInfo(handlerDeps),
    drawn: () => handlerDeps.onDrawn(),
    painted: () => handlerDeps.onPainted(),
    openHelp: ({ topic }) => openHelp(topic),
    measure: () => handlerDeps.context.benchmark.again(),
    stopMeasuring: () => handlerDeps.context.benchmark.stop(),
    copyText: async ({ text }) => {
      await clipboard.writeText(text)
    },
    licences: async () => ({ text: await readFile(join(handlerDeps.resourcesDir, 'licences.txt'), 'utf8') }),
    notices: () => handlerDeps.notices.list(),
    dismissNotice: ({ id }) => handlerDeps.notices.remove(id),
    retryService: () => handlerDeps.retryService(),
    offer: (offer) => handlerDeps.onOffer(offer),
    runInWindow: ({ name }) => handlerDeps.runInWindow(name),
  }
}

export function settingsHandlers({
  context,
  window,
  resultsFolder,
  onSettings,
  onResultsFolder,
}: HandlerDeps): Omit<GroupHandlers<'settings'>, 'exportFile' | 'importFile'> {
  const { settings, tasks } = context
  return {
    get: () => settings.settings,
    set: (patch) => {
      const next = settings.set(patch)
      onSettings(next)
      return next
    },
    resultsFolder: () => describeFolder(resultsFolder(), settings.resultsFolder !== null),
    chooseResultsFolder: async () => {
      if (settings.locked.includes('resultsFolder')) throw new MienError('forbidden')
      const [folder] = await chooseFiles(window(), {
        defaultPath: resultsFolder(),
        properties: ['openDirectory', 'createDirectory'],
      })
      if (folder === undefined) return null
      settings.keep({ resultsFolder: folder })
      onResultsFolder()
      // Retry results that could not be saved to the old folder.
      tasks.pauses.resume(
        tasks
          .held()
          .filter((task) => task.state === 'succeeded')
          .map((task) => task.id),
      )
      return describeFolder(folder, true)
    },
    showResultsFolder: async () => {
      // The default folder is created with the first result.
      if (settings.resultsFolder === null) await makeFolder(resultsFolder())
      const { path, reveal } = await folderToOpen(resultsFolder())
      if (reveal) shell.showItemInFolder(path)
      else await shell.openPath(path)
    },
  }
}
