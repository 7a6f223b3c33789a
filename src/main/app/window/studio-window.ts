/** @file The studio window: bounds, theme colours of the frame, restricted session. */
import { join } from 'node:path'
import { app, BrowserWindow, Menu, nativeTheme, screen, session, type Session } from 'electron'
import { installAppProtocol } from '../../pages/app-protocol.ts'
import { devServerAddress } from '../../pages/dev-rules.ts'
import { installDevServer } from '../../pages/dev-server.ts'
import { installMediaProtocol } from '../../pages/media-protocol.ts'
import { lockSession } from '../../pages/lock-session.ts'
import type { WindowPlace } from '../../machine/settings/settings-store.ts'
import { clipboardItems, undoItems } from './app-menu.ts'
import { openingOf } from './window-place.ts'

interface StudioWindowOptions {
  outDir: string
  place: WindowPlace | null
  onPlace: (place: WindowPlace) => void
  zoomFactor: () => number
}

/** Same as `--window`, `--bar` and `--text` in studio/styles/tokens.css, for the parts drawn by the system. */
const colours = {
  dark: { window: '#141416', bar: '#1a1a1c', text: '#f3f3f5' },
  light: { window: '#f5f5f6', bar: '#fcfcfd', text: '#17171a' },
} as const
const titleBarHeight = 48
const studioAddress = 'app://studio/studio/index.html'

const current = (): (typeof colours)['dark' | 'light'] => colours[nativeTheme.shouldUseDarkColors ? 'dark' : 'light']

/**
 * The studio's session with our two schemes only. Separate from the default session, which main uses for services. On
 * disk, because only such a session keeps the page's compiled code; its files are not cached. Reused when the window is
 * closed and reopened on macOS.
 */
const studioSession = (): Session => session.fromPartition('persist:studio', { cache: false })

interface StudioSessionOptions {
  outDir: string
  resourcesDir: string
  /** Path of a file by its media id; null if there is none. */
  mediaPath: (id: string) => Promise<string | null>
}

/** Call before `openStudioWindow`: a page can't reach a protocol that is installed after it was opened. */
export function prepareStudioSession(options: StudioSessionOptions): void {
  const own = studioSession()
  lockSession(own, 'studio', !app.isPackaged)
  const files = {
    host: 'studio',
    rendererDir: join(options.outDir, 'renderer'),
    folders: { sample: join(options.resourcesDir, 'sample') },
  } as const
  // Only the build of `npm run dev` has this mode: from all others the dev server's code is left out.
  const devServer =
    import.meta.env.MODE === 'development' ? devServerAddress(process.env['MIEN_DEV_SERVER'], app.isPackaged) : null
  if (devServer === null) installAppProtocol(own, files)
  else installDevServer(own, devServer, files)
  installMediaProtocol(own, { origin: 'app://studio', item: options.mediaPath })
}

/**
 * Resolves when the page's stylesheet was delivered, or after a second. The page asks for it last, after its scripts.
 * Call before `openStudioWindow`.
 */
export function pageDelivered(): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => resolve()
    studioSession().webRequest.onCompleted({ urls: ['app://studio/*.css'] }, done)
    setTimeout(done, 1000)
  })
}

/** Creates the window. `showFirst` shows it once its page has drawn. */
export function openStudioWindow(options: StudioWindowOptions): BrowserWindow {
  const primary = screen.getPrimaryDisplay()
  const others = screen.getAllDisplays().filter(({ id }) => id !== primary.id)
  const { bounds, min } = openingOf(options.place, [primary.workArea, ...others.map(({ workArea }) => workArea)])
  const window = new BrowserWindow({
    ...bounds,
    minWidth: min.width,
    minHeight: min.height,
    show: false,
    title: 'Mien',
    backgroundColor: current().window,
    titleBarStyle: 'hidden',
    trafficLightPosition: { x: 18, y: 18 },
    ...(process.platform === 'darwin' ? {} : { titleBarOverlay: overlay(options.zoomFactor()) }),
    webPreferences: {
      session: studioSession(),
      preload: join(options.outDir, 'preload', 'studio.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
      zoomFactor: options.zoomFactor(),
      autoplayPolicy: 'no-user-gesture-required',
    },
  })
  neverShown.set(window, options.place?.maximized ?? false)
  window.webContents.once('did-finish-load', () => setTimeout(showFirst, showAfterLoadMs, window))
  window.on('close', () =>
    options.onPlace({ ...window.getNormalBounds(), maximized: neverShown.get(window) ?? window.isMaximized() }),
  )
  // A new renderer process starts without the zoom factor.
  window.webContents.on('dom-ready', () => window.webContents.setZoomFactor(options.zoomFactor()))
  window.webContents.on('context-menu', (_event, { isEditable }) => {
    if (isEditable) editMenu().popup({ window })
  })
  void window.loadURL(studioAddress)
  return window
}

/** A page that loads but doesn't draw its first view is shown after this time. */
const showAfterLoadMs = 1000
/** New windows, and whether to maximise them. */
const neverShown = new WeakMap<BrowserWindow, boolean>()

/**
 * Shows a new window; an older one stays as it is, e.g. minimised. Electron's `ready-to-show` isn't used: in a window
 * that isn't shown yet, the first frame is often lost while the GPU process starts.
 */
export function showFirst(window: BrowserWindow): void {
  const maximized = neverShown.get(window)
  if (!neverShown.delete(window) || window.isDestroyed()) return
  // Maximising a hidden window would show it.
  if (maximized) window.maximize()
  window.show()
}

/** Context menu of text fields; other context menus are the studio's. */
const editMenu = () => Menu.buildFromTemplate([...undoItems(), { type: 'separator' }, ...clipboardItems()])

/** Updates the system's part of the frame for the theme and the height of the page's title bar. */
export function renderFrame(window: BrowserWindow, zoom: number): void {
  window.setBackgroundColor(current().window)
  if (process.platform !== 'darwin') window.setTitleBarOverlay(overlay(zoom))
}

const overlay = (zoom: number) => ({
  color: current().bar,
  symbolColor: current().text,
  height: Math.round(titleBarHeight * zoom) - 1,
})
