/** @file The app with its window: wires the house to the studio, and quits without losing work. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app, dialog, nativeTheme, session, type BrowserWindow } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import { toErrorBody } from '@shared/errors.ts'
import { errorSentence } from '@shared/i18n/error-text.ts'
import { nameDiskFull } from '../data/disk-full.ts'
import { Diagnostics } from '../diagnostics/diagnostics.ts'
import { buildHouse, type House } from '../house.ts'
import { appHandlers, appInfo, settingsHandlers, type AppContext } from '../ipc/handlers/app.ts'
import { intakeHandlers } from '../ipc/handlers/intake.ts'
import { keysHandlers, profilesHandlers, uploadsHandlers } from '../ipc/handlers/profiles.ts'
import { tasksHandlers } from '../ipc/handlers/tasks.ts'
import { diagnosticsHandlers, exchangeHandlers, updatesHandlers } from '../ipc/handlers/upkeep.ts'
import { eventSender, registerIpc } from '../ipc/register.ts'
import { schemas } from '../ipc/schemas.ts'
import { Keychain } from '../keychain/keychain.ts'
import type { Logger } from '../log/log.ts'
import type { Machine } from '../machine/machine.ts'
import { folderName } from '../media/results-folder.ts'
import { redact } from '../log/redact.ts'
import { openNetwork } from '../network.ts'
import { useProxy } from '../policy/proxy.ts'
import { readPolicy } from '../policy/read-policy.ts'
import type { SettingsStore } from '../settings/settings-store.ts'
import { openSurroundings } from '../surroundings.ts'
import { openUpdates } from '../updates/open-updates.ts'
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

  const { policy, problems } = readPolicy()
  const login = useProxy(policy.proxy, [session.defaultSession])

  const surroundings = openSurroundings()
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
      network: openNetwork(login),
      policy,
      surroundings,
      embeddedName: () => m.this_computer(),
      onReading: (reading) => {
        send('intake', 'reading', reading)
      },
    })
  } catch (error) {
    log.warn('The house cannot be built', error)
    dialog.showErrorBox(m.cannot_start(), errorSentence(toErrorBody(nameDiskFull(error))))
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
    resourcesDir,
    resultsFolder: () => resultsFolder(house.settings),
    keychainReady: () => keychainReady,
    onSettings: () => {
      updates.settingsChanged()
    },
  }
  const tellInfo = (): void => {
    send('app', 'infoChanged', appInfo(context))
  }
  nativeTheme.themeSource = house.settings.settings.theme
  nativeTheme.on('updated', () => {
    if (window) paintFrame(window)
    tellInfo()
  })

  const updates = openUpdates({
    ...{ house, policy, login, notices, log },
    onState: (state) => {
      send('updates', 'changed', state)
    },
  })
  const password = typeof policy.proxy === 'object' ? policy.proxy?.login?.password : undefined
  const diagnostics = new Diagnostics({
    ...{ house, dataDir: options.dataDir, window: () => window },
    secrets: password === undefined ? [] : [password],
  })
  const exchange = exchangeHandlers({
    settings: house.settings,
    window: () => window,
    onImported: () => {
      const { settings } = house.settings
      nativeTheme.themeSource = settings.theme
      send('settings', 'changed', settings)
      house.profiles.reloaded()
      updates.settingsChanged()
    },
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
      settings: { ...settingsHandlers(context), ...exchange },
      profiles: profilesHandlers(context),
      keys: keysHandlers(context),
      uploads: uploadsHandlers(context),
      updates: updatesHandlers(updates),
      diagnostics: diagnosticsHandlers(diagnostics),
    },
  })
  house.tasks.onDelta((delta) => {
    const { seq, changed, removed } = delta
    send('tasks', 'changed', { seq, json: JSON.stringify(changed), removed })
    if (delta.changed.some((task) => task.state === 'kept')) tellInfo()
  })
  house.machine.onChanged(tellInfo)
  house.profiles.onChanged((refused) => {
    void house.profiles.list().then((profiles) => {
      send('profiles', 'changed', profiles)
      const profile = profiles.find((each) => each.id === refused)
      if (!profile) return
      notices.add({
        id: `key-refused:${profile.id}`,
        kind: 'key-refused',
        profileId: profile.id,
        name: profile.name,
        lastFour: profile.key.lastFour,
      })
    })
  })
  for (const [index, { where, problem, names }] of problems.entries()) {
    log.warn(`Set-up of this computer: ${where}: ${problem} ${names.join(', ')}`)
    notices.add({ id: `policy:${String(index)}`, kind: 'policy', where: redact(where), problem, names })
  }
  // An AppImage's launcher takes the sandbox away where the system does not let it work.
  if (app.isPackaged && app.commandLine.hasSwitch('no-sandbox')) notices.add({ id: 'no-sandbox', kind: 'no-sandbox' })
  if (house.settings.backup !== null)
    notices.add({ id: 'settings-reset', kind: 'settings-reset', backup: house.settings.backup })
  if (house.libraryBackup !== null)
    notices.add({ id: 'library-reset', kind: 'library-reset', backup: house.libraryBackup })

  const tellOnline = (online: boolean): void => {
    if (online) notices.remove('offline')
    else notices.add({ id: 'offline', kind: 'offline' })
  }
  surroundings.onChange((event) => {
    if (event === 'online' || event === 'offline') tellOnline(event === 'online')
  })
  if (!surroundings.isOnline()) tellOnline(false)

  prepareStudioSession({ outDir, resourcesDir, mediaPath: (id) => house.media.path(id) })
  installMenu((command) => {
    send('app', 'command', command)
  })
  const guard = new QuitGuard(house, log, {
    last: () => {
      updates.dispose()
      return updates.finish()
    },
  })
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
      measureWhenIdle(house.machine)
      keychainReady = await house.keychain.available()
      if (!keychainReady) tellInfo()
      const remote = (await house.profiles.list()).some((profile) => !profile.embedded)
      if (!keychainReady && remote) notices.add({ id: 'no-keychain', kind: 'no-keychain' })
    })
    .catch((error: unknown) => {
      log.warn('Looking for a keychain failed', error)
    })

  updates.start()

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
  guard.install()
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

/** Tests say how long Mien has to be idle for it, or that it never is. */
function measureWhenIdle(machine: Machine): void {
  const after = process.env['MIEN_MEASURE_AFTER_MS']
  if (after !== 'never') machine.start(after === undefined ? undefined : Number(after))
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}
