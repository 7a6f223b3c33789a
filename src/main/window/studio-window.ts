/** @file The studio window: its place on the screen, its frame in the theme's colours, its locked session. */
import { join } from 'node:path'
import { BrowserWindow, Menu, nativeTheme, screen, session, type Session } from 'electron'
import { installAppProtocol } from '../protocol/app-protocol.ts'
import { installMediaProtocol } from '../protocol/media-protocol.ts'
import { lockSession } from '../security/lock-session.ts'
import type { WindowPlace } from '../settings/settings-store.ts'

export interface StudioWindowOptions {
  outDir: string
  resourcesDir: string
  mediaPath: (id: string) => string | null
  place: WindowPlace | null
  onPlace: (place: WindowPlace) => void
}

/** `--window`, `--bar` and `--text` of studio/styles/tokens.css, for what the system draws. */
const colours = {
  dark: { window: '#141416', bar: '#1a1a1c', text: '#f3f3f5' },
  light: { window: '#f5f5f6', bar: '#fcfcfd', text: '#17171a' },
} as const
const titleBarHeight = 48

const current = (): (typeof colours)['dark' | 'light'] => colours[nativeTheme.shouldUseDarkColors ? 'dark' : 'light']

/**
 * The studio's own session: our two schemes, kept in memory. Not the default one, by which main itself
 * reaches services. Made once; a window on macOS may come and go.
 */
const studioSession = (): Session => session.fromPartition('studio')

export function prepareStudioSession(
  options: Pick<StudioWindowOptions, 'outDir' | 'resourcesDir' | 'mediaPath'>,
): void {
  const own = studioSession()
  lockSession(own, 'studio')
  installAppProtocol(own, {
    host: 'studio',
    rendererDir: join(options.outDir, 'renderer'),
    folders: { sample: join(options.resourcesDir, 'sample') },
  })
  installMediaProtocol(own, { origin: 'app://studio', item: (id) => Promise.resolve(options.mediaPath(id)) })
}

/** Opens the window; it is shown when its first picture is drawn. */
export function openStudioWindow(options: StudioWindowOptions): BrowserWindow {
  const window = new BrowserWindow({
    ...size(options.place),
    minWidth: 880,
    minHeight: 600,
    show: false,
    title: 'Mien',
    backgroundColor: current().window,
    titleBarStyle: 'hidden',
    trafficLightPosition: { x: 18, y: 18 },
    ...(process.platform === 'darwin' ? {} : { titleBarOverlay: overlay() }),
    webPreferences: {
      session: studioSession(),
      preload: join(options.outDir, 'preload', 'studio.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
      autoplayPolicy: 'no-user-gesture-required',
    },
  })
  if (options.place?.maximized) window.maximize()
  window.once('ready-to-show', () => {
    window.show()
  })
  window.on('close', () => {
    options.onPlace({ ...window.getNormalBounds(), maximized: window.isMaximized() })
  })
  window.webContents.on('context-menu', (_event, { isEditable }) => {
    if (isEditable) editMenu().popup({ window })
  })
  void window.loadURL('app://studio/studio/index.html')
  return window
}

/** The right-click menu of a text field; everything else has the studio's own. */
const editMenu = () =>
  Menu.buildFromTemplate([
    { role: 'undo' },
    { role: 'redo' },
    { type: 'separator' },
    { role: 'cut' },
    { role: 'copy' },
    { role: 'paste' },
    { role: 'selectAll' },
  ])

/** Brings the system's part of the frame to the theme. */
export function paintFrame(window: BrowserWindow): void {
  window.setBackgroundColor(current().window)
  if (process.platform !== 'darwin') window.setTitleBarOverlay(overlay())
}

const overlay = () => ({ color: current().bar, symbolColor: current().text, height: titleBarHeight - 1 })

/** The place of last time, if it is still on a screen. */
function size(place: WindowPlace | null): { x?: number; y?: number; width: number; height: number } {
  if (!place) return { width: 1280, height: 800 }
  const { x, y, width, height } = place
  const visible = screen.getAllDisplays().some(({ workArea }) => {
    return (
      x < workArea.x + workArea.width - 100 &&
      x + width > workArea.x + 100 &&
      y >= workArea.y - 10 &&
      y < workArea.y + workArea.height - 100
    )
  })
  return visible ? { x, y, width, height } : { width, height }
}
