/** @file Lifecycle of the studio window: open, close, bring to front, reload after a crash. */
import { app, dialog, type BrowserWindow } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { Logger } from '../../machine/log/log.ts'
import { CrashLimit } from './crash-limit.ts'
import { isSecondStart } from './opened-files.ts'
import type { QuitGuard } from './quit-guard.ts'

type Quit = Pick<QuitGuard, 'isQuitting' | 'mustAsk' | 'dontAsk' | 'quitNow'>

export class WindowLife {
  private readonly limit = new CrashLimit()
  private current: BrowserWindow | null
  private reopen: () => void = () => undefined
  private opened: (window: BrowserWindow) => void = () => undefined
  private shown: () => void = () => undefined

  /** Creates the first window. Call `start` before it is shown. */
  constructor(
    private readonly create: () => BrowserWindow,
    private readonly log: Logger,
  ) {
    this.current = create()
    // Overrides Electron's quit, which would depend on the engine's hidden window. Closing the studio window quits
    // instead.
    app.on('window-all-closed', () => undefined)
  }

  /** Null while the window is closed, which only happens on macOS. */
  get window(): BrowserWindow | null {
    return this.current
  }

  /**
   * Handles what happens to the window, and reopens it when the app is started or activated again. Calls `opened` with
   * each window, also with the first.
   */
  start(quit: Quit, opened: (window: BrowserWindow) => void): void {
    this.opened = opened
    if (this.current) this.attend(this.current, quit)
    this.reopen = () => this.open(quit)
    app.on('second-instance', (_event, _argv, _cwd, data) => {
      // A command leaves the window where it is.
      if (isSecondStart(data)) this.show()
    })
    app.on('activate', () => {
      if (!this.current?.isVisible()) this.show()
    })
  }

  /** Calls `listener` whenever a window is shown. */
  onShow(listener: () => void): void {
    this.shown = listener
  }

  /** Brings the window to the front, wherever it was. */
  show(): void {
    if (!this.current) this.reopen()
    else if (this.current.isMinimized()) this.current.restore()
    this.current?.show()
    this.current?.focus()
  }

  private open(quit: Quit): void {
    this.current = this.create()
    this.attend(this.current, quit)
  }

  private attend(window: BrowserWindow, quit: Quit): void {
    this.opened(window)
    const endsApp = process.platform !== 'darwin'
    window.on('show', () => this.shown())
    window.on('close', (event) => {
      if (!endsApp || !quit.mustAsk()) return
      event.preventDefault()
      app.quit()
    })
    // Windows only: nobody can answer while the session ends.
    window.on('query-session-end', () => quit.dontAsk())
    window.on('closed', () => {
      this.current = null
      if (endsApp) app.quit()
    })
    this.reloadAfterCrash(window, quit)
    this.askWhenHung(window)
    // The first page may be gone before `start`.
    if (window.webContents.isCrashed()) window.webContents.reload()
  }

  private reloadAfterCrash(window: BrowserWindow, quit: Quit): void {
    window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
      // Ctrl-C in a terminal may reach the renderer process before main.
      if (reason === 'clean-exit' || quit.isQuitting) return
      this.log.warn(`the studio page is gone: ${reason} (${String(exitCode)})`)
      if (this.limit.mayReload()) reloadSoon(window)
      else void this.askToReload(window, quit)
    })
    window.webContents.on('console-message', ({ level, message, sourceId, lineNumber }) => {
      if (level === 'error') this.log.warn(`the studio page: ${message} (${sourceId}:${String(lineNumber)})`)
    })
  }

  private async askToReload(window: BrowserWindow, quit: Quit): Promise<void> {
    const { response } = await dialog.showMessageBox({
      type: 'error',
      title: 'Mien',
      message: m.window_crashes(),
      detail: m.window_crashes_body(),
      buttons: [m.reload_window(), m.quit()],
      cancelId: 1,
      noLink: true,
    })
    if (response === 1) quit.quitNow()
    else reloadSoon(window)
  }

  /** A hanging page may recover, so ask the user. */
  private askWhenHung(window: BrowserWindow): void {
    let question: AbortController | null = null
    const end = (): void => {
      question?.abort()
      question = null
    }
    window.on('unresponsive', () => {
      this.log.warn('the studio page does not respond')
      if (question) return
      question = new AbortController()
      void dialog
        .showMessageBox(window, {
          type: 'warning',
          title: 'Mien',
          message: m.window_hangs(),
          detail: m.window_hangs_body(),
          buttons: [m.wait(), m.reload_window()],
          cancelId: 0,
          noLink: true,
          signal: question.signal,
        })
        .then(({ response }) => {
          question = null
          // A hanging page can't be closed; crashing it triggers the reload.
          if (response === 1 && !window.isDestroyed()) window.webContents.forcefullyCrashRenderer()
        })
    })
    window.on('responsive', end).on('closed', end)
  }
}

/** After the event of a crash, in which a reload ends Electron 42 (electron/electron#51900). */
function reloadSoon(window: BrowserWindow): void {
  setImmediate(() => {
    if (!window.isDestroyed()) window.webContents.reload()
  })
}
