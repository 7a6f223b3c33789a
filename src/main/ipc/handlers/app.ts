/** @file Facts of the app, help pages, the clipboard, notices, and settings, as the studio asks for them. */
import { readFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { app, clipboard, dialog, nativeTheme, shell, type BrowserWindow } from 'electron'
import { MienError } from '@shared/errors.ts'
import type { AppInfo, Settings } from '@shared/ipc.ts'
import type { House } from '../../house.ts'
import { describeFolder, folderToOpen } from '../../media/results-folder.ts'
import { openHelp } from '../../security/help-links.ts'
import type { Notices } from '../../window/notices.ts'
import type { GroupHandlers } from '../register.ts'

export interface AppContext {
  house: House
  window: () => BrowserWindow | null
  notices: Notices
  resourcesDir: string
  /** The folder where results go now. */
  resultsFolder: () => string
  keychainReady: () => boolean
  onSettings: (settings: Settings) => void
  /** Results go to another folder now. */
  onResultsFolder: () => void
  /** Tries again now to start the embedded service. */
  retryService: () => void
}

const platforms: Partial<Record<NodeJS.Platform, AppInfo['platform']>> = { darwin: 'mac', win32: 'win' }

export function appInfo({ house, keychainReady }: AppContext): AppInfo {
  return {
    version: app.getVersion(),
    platform: platforms[process.platform] ?? 'linux',
    electron: process.versions.electron,
    chromium: process.versions.chrome,
    theme: nativeTheme.shouldUseDarkColors ? 'dark' : 'light',
    keychain: keychainReady() ? 'ready' : 'missing',
    measuredFps: house.tasks.expectations.fps,
    machine: house.machine.view,
    cores: cpus().length,
    memoryBytes: totalmem(),
    locked: house.settings.locked,
  }
}

export function appHandlers(context: AppContext): GroupHandlers<'app'> {
  return {
    info: () => appInfo(context),
    openHelp: ({ topic }) => openHelp(topic),
    measure: () => {
      context.house.machine.again()
    },
    stopMeasuring: () => {
      context.house.machine.stop()
    },
    copyText: async ({ text }) => {
      await clipboard.writeText(text)
    },
    licences: async () => ({ text: await readFile(join(context.resourcesDir, 'licences.txt'), 'utf8') }),
    notices: () => context.notices.list(),
    dismissNotice: ({ id }) => {
      context.notices.remove(id)
    },
    retryService: () => {
      context.retryService()
    },
  }
}

export function settingsHandlers({
  house,
  window,
  resultsFolder,
  onSettings,
  onResultsFolder,
}: AppContext): Omit<GroupHandlers<'settings'>, 'exportFile' | 'importFile'> {
  const { settings, tasks } = house
  return {
    get: () => settings.settings,
    set: (patch) => {
      const next = settings.set(patch)
      onSettings(next)
      return next
    },
    resultsFolder: () => describeFolder(resultsFolder()),
    chooseResultsFolder: async () => {
      if (settings.locked.includes('resultsFolder')) throw new MienError('forbidden')
      const parent = window()
      const options = { defaultPath: resultsFolder(), properties: ['openDirectory', 'createDirectory'] as const }
      const chosen = await (parent
        ? dialog.showOpenDialog(parent, { ...options, properties: [...options.properties] })
        : dialog.showOpenDialog({ ...options, properties: [...options.properties] }))
      const folder = chosen.filePaths[0]
      if (folder === undefined) return null
      settings.setResultsFolder(folder)
      onResultsFolder()
      // What waited for a folder goes on in the new one.
      tasks.holds.resume(
        tasks
          .held()
          .filter((task) => task.state === 'succeeded')
          .map((task) => task.id),
      )
      return describeFolder(folder)
    },
    showResultsFolder: async () => {
      const { path, reveal } = await folderToOpen(resultsFolder())
      if (reveal) shell.showItemInFolder(path)
      else await shell.openPath(path)
    },
  }
}
