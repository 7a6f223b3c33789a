/** @file The app with its window: wires the app context to the studio, and quits without losing work. */
import { join } from 'node:path'
import { app, nativeTheme, net, powerMonitor, type BrowserWindow } from 'electron'
import { windowActions, type ActionId, type WindowAction } from '@shared/actions/actions.ts'
import { schemas } from '@shared/ipc/arguments.ts'
import type { MenuOffer } from '@shared/ipc/app-state.ts'
import { embeddedProfileId } from '@shared/tasks/task-states.ts'
import { nameDiskFull } from '../../machine/disk/disk-errors.ts'
import { Diagnostics } from '../diagnostics/diagnostics.ts'
import { createAppContext, usualResultsFolder, type AppContext } from '../app-context.ts'
import { appInfo } from '../ipc/handlers/app.ts'
import { Keychain } from '../../machine/keychain/keychain.ts'
import type { Logger } from '../../machine/log/log.ts'
import type { EngineBenchmark } from '../../engine/benchmark/engine-benchmark.ts'
import { folderName } from '../../machine/disk/files.ts'
import { folderProblem } from '../../media/results-folder.ts'
import { openNetwork } from '../../remote/network.ts'
import { useLanguage } from '../../machine/system/language.ts'
import { openSystemStatus } from '../../machine/system/system-status.ts'
import { openUpdates } from '../updates/open-updates.ts'
import { canSleep, sleepNow, hasTray } from '../../machine/system/system-programs.ts'
import { AllDone } from '../../machine/system/all-done.ts'
import { isInProgress } from './announcements.ts'
import { Announcer } from './announcer.ts'
import { AppMenu } from './app-menu.ts'
import { Background } from './background.ts'
import { createDesktop } from './desktop.ts'
import { RecentFiles } from '../../media/recent-files.ts'
import type { FirstWindow } from './first-window.ts'
import type { OpenedFiles } from './opened-files.ts'
import { Notices, ResultsNotice } from '../notices.ts'
import { QuitGuard } from './quit-guard.ts'
import { addStartNotices } from './start-notices.ts'
import { ServiceStart } from './start-services.ts'
import { studioHandlers } from './studio-handlers.ts'
import { renderFrame, showFirst } from './studio-window.ts'
import { failToStart } from './trouble-dialogs.ts'
import { listenForKeys, runInWindow } from './window-keys.ts'
import { zoomAfter, type ZoomKey } from './zoom.ts'

export interface StudioOptions {
  dataDir: string
  /** The folder was given on the command line; results are saved in it too. */
  dataDirGiven: boolean
  outDir: string
  resourcesDir: string
  log: Logger
  opened: OpenedFiles
  first: FirstWindow
}

/** Connects the open window to everything else. */
export function openStudio(options: StudioOptions): void {
  const { resourcesDir, log } = options
  const { policy, problems, login, settings, life, send } = options.first
  const window = (): BrowserWindow | null => life.window
  const contents = () => window()?.webContents ?? null
  const resultsFolder = (): string => usualResultsFolder(settings, options.dataDirGiven ? options.dataDir : null)
  const zoomFactor = (): number => settings.settings.zoomFactor

  /** Chosen in a Mac's menu while the window is closed; runs when it is open. */
  let awaited: ActionId | null = null
  const menu = new AppMenu({
    shortcuts: () => settings.settings.shortcuts,
    run: (id) => {
      const name = windowActions.find((each) => id === `window.${each}`)
      if (name !== undefined) inWindow(name)
      else if (window()) send('app', 'command', id)
      else {
        awaited = id
        life.show()
      }
    },
  })
  const inWindow = (name: WindowAction): void => runInWindow(name, window(), (key) => changeZoom(key))

  const painted = Promise.withResolvers<undefined>()
  const systemStatus = openSystemStatus({ net, powerMonitor })
  let context: AppContext
  try {
    context = createAppContext({
      ...{ ...options, settings, systemStatus, resultsFolder },
      keychain: new Keychain(settings.install),
      signing: { dir: options.dataDir, files: policy.signing },
      network: openNetwork(login),
      onDownload: (share) => send('intake', 'downloading', { share }),
      onConsents: () => {
        send('consents', 'changed', undefined)
        send('settings', 'changed', settings.settings)
      },
    })
  } catch (error) {
    log.warn('The app context could not be created', error)
    life.window?.destroy()
    failToStart(nameDiskFull(error))
    return
  }
  options.first.serveMedia((id) => context.media.path(id))

  const recent = new RecentFiles({
    stored: () => settings.recentFiles,
    store: (recentFiles) => settings.keep({ recentFiles }),
    isOn: () => settings.settings.recentFiles,
    system: {
      add: (path) => app.addRecentDocument(path),
      clear: () => app.clearRecentDocuments(),
    },
  })
  let keychainReady = true
  const notices = new Notices((list) => send('app', 'noticesChanged', list))
  const results = new ResultsNotice(
    notices,
    () => folderName(resultsFolder()),
    () => folderProblem(resultsFolder(), settings.resultsFolder !== null),
  )
  const checkResults = (): void => {
    results.check().catch((error: unknown) => log.warn('Looking at the results folder failed', error))
  }
  const handlerDeps = {
    context,
    window,
    notices,
    resourcesDir,
    resultsFolder,
    keychainReady: () => keychainReady,
    canRunInBackground: () => background.canRun,
    onSettings: () => {
      showSettings()
      updates.settingsChanged()
      if (!settings.settings.recentFiles) recent.clear()
    },
    onResultsFolder: checkResults,
    retryService: () => void services.try(),
    onDrawn: () => {
      const drawn = window()
      if (drawn) showFirst(drawn)
      if (awaited !== null) send('app', 'command', awaited)
      awaited = null
    },
    onPainted: () => {
      // For the startup benchmark.
      if (process.env['MIEN_READY_MARK'] === '1') process.stdout.write('MIEN_READY\n')
      painted.resolve(undefined)
    },
    onOffer: (offer: MenuOffer) => menu.offer(offer),
    runInWindow: inWindow,
  }
  const tellInfo = (): void => send('app', 'infoChanged', appInfo(handlerDeps))
  const paint = (): void => {
    const shown = window()
    if (shown) renderFrame(shown, zoomFactor())
  }
  /** Applies the settings that main is responsible for. */
  const showSettings = (): void => {
    nativeTheme.themeSource = context.settings.settings.theme
    contents()?.setZoomFactor(zoomFactor())
    paint()
    menu.install()
    void useLanguage(context.settings.settings.language).then((isOther) => {
      if (!isOther) return
      menu.install()
      tellInfo()
      // The name of the embedded service is a text.
      context.profiles.reloaded()
    })
  }
  const changeZoom = (key: ZoomKey): void => {
    send('settings', 'changed', context.settings.set({ zoomFactor: zoomAfter(zoomFactor(), key) }))
    showSettings()
  }
  nativeTheme.on('updated', () => {
    paint()
    tellInfo()
  })

  const updates = openUpdates({
    ...{ context, policy, login, notices, log },
    onState: (state) => send('updates', 'changed', state),
    quit: () => guard.quitNow(),
  })
  const password = typeof policy.proxy === 'object' ? policy.proxy?.login?.password : undefined
  const diagnostics = new Diagnostics({
    ...{ context, dataDir: options.dataDir, window },
    secrets: password === undefined ? [] : [password],
  })
  const allDone = new AllDone({
    preset: () => (settings.settings.notifyAllFinished ? 'notify' : 'nothing'),
    sleep: () => sleepNow(),
    onChanged: (view) => send('queue', 'whenDoneChanged', view),
    log: log.warn,
  })
  const announcer = new Announcer({
    desktop: createDesktop(window),
    settings: () => settings.settings,
    tasks: () => context.tasks.held(),
    done: () => context.library.done(),
    wantsAllFinished: () => allDone.view.action === 'notify',
    onAllEnded: () => allDone.ended(),
    open: (taskId) => {
      life.show()
      if (taskId === null) send('app', 'command', 'anywhere.library' satisfies ActionId)
      else send('app', 'openTask', { taskId })
    },
  })

  options.first.answer({
    schemas,
    handlers: studioHandlers({
      ...handlerDeps,
      ...{ send, recent, allDone, updates, diagnostics, log },
      takeOpened: () => options.opened.take(),
      onImported: () => {
        showSettings()
        send('settings', 'changed', context.settings.settings)
        context.profiles.reloaded()
        checkResults()
      },
    }),
  })
  context.tasks.onDelta((delta) => {
    send('tasks', 'changed', context.library.changes(delta))
    results.heard(delta.changed)
    announcer.heard(delta.changed, delta.removed)
    if (announcer.isBusy) allDone.cancelSleep()
    background.update()
    if (delta.changed.some((task) => task.state === 'kept')) tellInfo()
  })
  context.benchmark.onChanged(tellInfo)
  context.profiles.onChanged((trouble) => {
    void context.profiles.list().then((profiles) => {
      send('profiles', 'changed', profiles)
      const profile = profiles.find(({ id }) => id === trouble?.profileId)
      // The swaps that wait for a missing key say so.
      if (!profile || !trouble || trouble.code === 'key-missing') return
      const of = { id: `${trouble.code}:${profile.id}`, profileId: profile.id, name: profile.name }
      notices.add(
        trouble.code === 'key-refused'
          ? { ...of, kind: trouble.code, lastFour: profile.key.lastFour }
          : { ...of, kind: trouble.code },
      )
    })
  })
  addStartNotices(context, problems, notices, log)

  const tellOnline = (online: boolean): void => {
    if (online) notices.remove('offline')
    else notices.add({ id: 'offline', kind: 'offline' })
  }
  systemStatus.onChange((event) => {
    if (event === 'online' || event === 'offline') tellOnline(event === 'online')
  })
  if (!systemStatus.isOnline()) tellOnline(false)

  const pausedIds = (): string[] =>
    context.tasks
      .held()
      .filter(({ pause }) => pause === 'user')
      .map(({ id }) => id)
  const background = new Background({
    iconPath: join(resourcesDir, 'icons', 'linux', '32x32.png'),
    hide: () => window()?.hide(),
    show: () => life.show(),
    busy: () => context.tasks.held().filter(isInProgress).length,
    paused: () => pausedIds().length,
    pause: () => {
      // The last first, so that the service doesn't start the next one between two requests.
      context.tasks.pauses.pause(
        context.tasks
          .held()
          .toSorted((a, b) => (b.position ?? 0) - (a.position ?? 0))
          .map(({ id }) => id),
      )
    },
    resume: () => context.tasks.pauses.resume(pausedIds()),
    quit: () => guard.quitNow(),
  })
  life.onShow(() => background.leave())
  const guard = new QuitGuard({
    ...{ context, window, background, log },
    first: () => {
      services.dispose()
      announcer.dispose()
      allDone.dispose()
    },
    last: () => {
      updates.dispose()
      return updates.finish()
    },
  })
  guard.install()
  life.start(guard, (opened) => {
    listenForKeys(opened, inWindow, () => menu.isRecording)
    const visible = (): void => context.tasks.setWindowVisible(opened.isVisible() && !opened.isMinimized())
    opened.on('closed', () => {
      const actions = ['new-swap', 'library', 'queue', 'settings', 'verify'].map((name) => `anywhere.${name}`)
      menu.offer({ actions, typing: false, recording: false })
    })
    opened.on('show', visible).on('hide', visible).on('minimize', visible).on('restore', visible)
  })
  options.opened.onAdded(() => {
    life.show()
    send('intake', 'opened', undefined)
  })

  const services = new ServiceStart(context.startService, notices, log)
  // A broken page must not stop the queue.
  setTimeout(() => painted.resolve(undefined), paintedAfterMs)
  const start = (): void => {
    if (guard.isQuitting) return
    void canSleep().then((can) => {
      if (can) allDone.allowSleep()
    })
    void hasTray().then((has) => {
      background.canRun = has
      tellInfo()
    })
    // A crash may have left files.
    context.proof.stop()
    void context.versions.start()
    services
      .try()
      .then(async () => {
        await context.tasks.start()
        // Send swaps that waited for the service.
        void services.started.then(() => context.tasks.wake())
        measureWhenIdle(context.benchmark)
        keychainReady = await context.keychain.available()
        if (!keychainReady) tellInfo()
        // Earlier versions stored the embedded service's key there.
        else context.keychain.delete(embeddedProfileId).catch(() => undefined)
        const profiles = await context.profiles.list()
        for (const { id, name, certificateChanged } of profiles)
          if (certificateChanged)
            notices.add({ id: `certificate-changed:${id}`, kind: 'certificate-changed', profileId: id, name })
        if (!keychainReady && profiles.some((profile) => !profile.embedded))
          notices.add({ id: 'no-keychain', kind: 'no-keychain' })
      })
      .catch((error: unknown) => log.warn('Starting the swaps failed', error))
    updates.start()
    checkResults()
  }
  // Earlier, main would keep the first frame and its pictures from appearing.
  void painted.promise.then(() => {
    menu.install()
    setTimeout(start, picturesMs)
  })
  app.on('browser-window-focus', () => {
    checkResults()
    announcer.seen()
  })
}

/** When the rest of main starts if the page hasn't painted. */
const paintedAfterMs = 3000
/** Time for the pictures of the first view. */
const picturesMs = 200

/** Tests set the required idle time, or `never`. */
function measureWhenIdle(benchmark: EngineBenchmark): void {
  const after = process.env['MIEN_MEASURE_AFTER_MS']
  if (after !== 'never') benchmark.start(after === undefined ? undefined : Number(after))
}
