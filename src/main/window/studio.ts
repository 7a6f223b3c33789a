/** @file The app with its window: wires the house to the studio, and quits without losing work. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app, dialog, nativeTheme, type BrowserWindow } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import { toErrorBody } from '@shared/errors.ts'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { buildHouse, type House } from '../house.ts'
import { appHandlers, appInfo, profilesHandlers, settingsHandlers, type AppContext } from '../ipc/handlers/app.ts'
import { intakeHandlers } from '../ipc/handlers/intake.ts'
import { tasksHandlers } from '../ipc/handlers/tasks.ts'
import { eventSender, registerIpc } from '../ipc/register.ts'
import { schemas } from '../ipc/schemas.ts'
import { Keychain } from '../keychain/keychain.ts'
import type { Logger } from '../log/log.ts'
import { folderName } from '../media/results-folder.ts'
import { openNetwork } from '../network.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import { installMenu } from './menu.ts'
import { Notices } from './notices.ts'
import { QuitGuard } from './quit-guard.ts'
import { openStudioWindow, paintFrame, prepareStudioSession } from './studio-window.ts'

export interface StudioOptions {
  dataDir: string
  /** Given on the command line; results stay in it too. */
  dataDirGiven: boolean
  outDir: string
  resourcesDir: string
  log: Logger
}

/** Opens the studio. Call when the app is ready. */
export function openStudio(options: StudioOptions): void {
  const { outDir, resourcesDir, log } = options
  let window: BrowserWindow | null = null
  const contents = () => window?.webContents ?? null
  const send = eventSender(contents)
  const resultsFolder = (settings: SettingsStore): string =>
    settings.resultsFolder ??
    (options.dataDirGiven ? join(options.dataDir, 'results') : join(app.getPath('videos'), 'Mien'))

  let house: House
  try {
    mkdirSync(options.dataDir, { recursive: true })
    house = buildHouse({
      ...options,
      keychain: (install) => new Keychain(install),
      destination: (settings) => {
        const folder = resultsFolder(settings)
        return { folder, folderName: folderName(folder), fileName: null }
      },
      network: openNetwork(),
      embeddedName: () => m.this_computer(),
      onReading: (reading) => {
        send('intake', 'reading', reading)
      },
    })
  } catch (error) {
    log.warn('The house cannot be built', error)
    dialog.showErrorBox(m.cannot_start(), errorSentence(toErrorBody(error)))
    app.exit(1)
    return
  }

  let keychainReady = true
  const notices = new Notices((list) => {
    send('app', 'noticesChanged', list)
  })
  const context: AppContext = {
    house,
    window: () => window,
    notices,
    resultsFolder: () => resultsFolder(house.settings),
    keychainReady: () => keychainReady,
  }
  const tellInfo = (): void => {
    send('app', 'infoChanged', appInfo(context))
  }
  nativeTheme.themeSource = house.settings.settings.theme
  nativeTheme.on('updated', () => {
    if (window) paintFrame(window)
    tellInfo()
  })

  registerIpc({
    studio: contents,
    log: (message, error) => {
      log.warn(message, error)
    },
    schemas,
    handlers: {
      app: appHandlers(context),
      intake: intakeHandlers({ house, window: () => window, resourcesDir }),
      tasks: tasksHandlers({ house, window: () => window, onFirstSnapshot: once(markReady(() => window)) }),
      settings: settingsHandlers(context),
      profiles: profilesHandlers(context),
    },
  })
  house.tasks.onDelta((delta) => {
    send('tasks', 'changed', delta)
    if (delta.changed.some((task) => task.state === 'kept')) tellInfo()
  })
  house.profiles.onChanged((refused) => {
    void house.profiles.list().then((profiles) => {
      send('profiles', 'changed', profiles)
      const profile = profiles.find((each) => each.id === refused)
      if (!profile) return
      house.tasks.holdForKey(profile.id)
      notices.add({
        id: `key-refused:${profile.id}`,
        kind: 'key-refused',
        profileId: profile.id,
        name: profile.name,
        lastFour: profile.key.lastFour,
      })
    })
  })
  if (house.settings.backup !== null)
    notices.add({ id: 'settings-reset', kind: 'settings-reset', backup: house.settings.backup })
  if (house.libraryBackup !== null)
    notices.add({ id: 'library-reset', kind: 'library-reset', backup: house.libraryBackup })

  prepareStudioSession({ outDir, resourcesDir, mediaPath: (id) => house.media.path(id) })
  installMenu((command) => {
    send('app', 'command', command)
  })
  const guard = new QuitGuard(house, log)
  const open = (): void => {
    const opened = openStudioWindow({
      outDir,
      resourcesDir,
      mediaPath: (id) => house.media.path(id),
      place: house.settings.window,
      onPlace: (place) => {
        house.settings.setWindow(place)
      },
    })
    window = opened
    const visible = (): void => {
      house.tasks.setWindowVisible(opened.isVisible() && !opened.isMinimized())
    }
    opened.on('show', visible).on('hide', visible).on('minimize', visible).on('restore', visible)
    opened.on('close', (event) => {
      if (process.platform !== 'darwin' && !guard.mayQuit(opened)) event.preventDefault()
    })
    opened.on('closed', () => {
      window = null
    })
  }
  open()

  house
    .start()
    .catch((error: unknown) => {
      log.warn('Starting the services failed', error)
      notices.add({ id: 'service', kind: 'service-failed', error: toErrorBody(error) })
    })
    .then(async () => {
      keychainReady = await house.keychain.available()
      if (!keychainReady) tellInfo()
      const remote = (await house.profiles.list()).some((profile) => !profile.embedded)
      if (!keychainReady && remote) notices.add({ id: 'no-keychain', kind: 'no-keychain' })
    })
    .catch((error: unknown) => {
      log.warn('Looking for a keychain failed', error)
    })

  app.on('second-instance', () => {
    if (!window) open()
    else if (window.isMinimized()) window.restore()
    window?.focus()
  })
  app.on('activate', () => {
    if (!window) open()
  })
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit()
  })
  guard.install(() => window)
}

/** For the start-up benchmark: a line on stdout once the window is shown and its data was answered. */
const markReady = (window: () => BrowserWindow | null) => (): void => {
  if (process.env['MIEN_READY_MARK'] !== '1') return
  const tell = (): void => {
    process.stdout.write('MIEN_READY\n')
  }
  if (window()?.isVisible()) tell()
  else window()?.once('show', tell)
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}
