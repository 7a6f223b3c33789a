/** @file Quitting: asks while swaps run that a quit stops, then ends every service before the process ends. */
import { app, dialog, powerMonitor, type BrowserWindow, type MessageBoxOptions } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import type { AppContext } from '../app/app-context.ts'
import type { Logger } from '../log/log.ts'
import { stoppedByQuit } from './stopped-by-quit.ts'

interface QuitHooks {
  context: AppContext
  window: () => BrowserWindow | null
  /** Before the services end. */
  first: () => void
  /** After every service has ended: nothing is open any more. */
  last: () => Promise<void>
  log: Logger
}

export class QuitGuard {
  private readonly hooks: QuitHooks
  private ended = false
  /** The user chose to quit, or must not be asked. */
  private decided = false
  private asking = false
  private quitting = false

  constructor(hooks: QuitHooks) {
    this.hooks = hooks
  }

  install(): void {
    const { context, log } = this.hooks
    app.on('before-quit', (event) => {
      if (!this.mustAsk()) {
        this.quitting = true
        return
      }
      event.preventDefault()
      if (!this.asking) this.ask()
    })
    // The engine's window, when a quit meets its start: Electron would wait for it for ever.
    app.on('browser-window-created', (_event, window) => {
      if (this.quitting)
        setImmediate(() => {
          window.destroy()
        })
    })
    app.on('will-quit', (event) => {
      if (this.ended) return
      // A quit that was put off is not taken up again by another `quit`, so this ends in `exit`.
      event.preventDefault()
      this.hooks.first()
      context
        .dispose()
        .catch((error: unknown) => {
          log.warn('Ending the services failed', error)
        })
        .then(() => {
          this.ended = true
          return this.hooks.last()
        })
        .catch((error: unknown) => {
          log.warn('The last step of the quit failed', error)
        })
        .finally(() => {
          app.exit(0)
        })
    })
    // Nobody can answer when the computer shuts down or a terminal ends Mien.
    powerMonitor.on('shutdown', () => {
      this.dontAsk()
    })
    const quitNow = (): void => {
      this.quitNow()
    }
    // Chromium has put its own handlers in place, which ask; Node replaces them with the first listener of a signal only.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.removeAllListeners(signal).on(signal, quitNow)
  }

  /** Whether Mien is about to end. */
  get isQuitting(): boolean {
    return this.quitting
  }

  /** Whether a quit has to be asked about first. */
  mustAsk(): boolean {
    return !this.decided && this.hooks.context.settings.settings.askBeforeQuit && this.count() > 0
  }

  /** The next quit comes without a question. */
  dontAsk(): void {
    this.decided = true
  }

  /** Quits without a question: the user has just decided, or nobody can answer. */
  quitNow(): void {
    this.dontAsk()
    app.quit()
  }

  private count(): number {
    return stoppedByQuit(this.hooks.context.tasks.snapshot().tasks)
  }

  private ask(): void {
    const { context, window, log } = this.hooks
    const parent = window()
    const count = this.count()
    const options: MessageBoxOptions = {
      type: 'question',
      title: 'Mien',
      message: m.quit_with_swaps({ count }),
      detail: m.quit_with_swaps_body({ count }),
      buttons: [m.quit(), m.keep_working()],
      defaultId: 0,
      cancelId: 1,
      checkboxLabel: m.dont_ask_again(),
      noLink: true,
    }
    this.asking = true
    const asked = parent ? dialog.showMessageBox(parent, options) : dialog.showMessageBox(options)
    asked
      .then(({ response, checkboxChecked }) => {
        if (response !== 0) return
        if (checkboxChecked) context.settings.set({ askBeforeQuit: false })
        this.quitNow()
      })
      .catch((error: unknown) => {
        log.warn('Asking before the quit failed', error)
        this.quitNow()
      })
      .finally(() => {
        this.asking = false
      })
  }
}
