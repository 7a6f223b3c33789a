/**
 * @file Quit: asks if running swaps would be stopped, or keeps them running in the background. Then stops all services
 * before the process ends.
 */
import { app, dialog, powerMonitor, type BrowserWindow, type MessageBoxOptions } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import { embeddedProfileId, type Task, type TaskState } from '@shared/tasks/task.ts'
import type { AppContext } from '../app-context.ts'
import type { Logger } from '../../machine/log/log.ts'
import type { Background } from './background.ts'
import { endProcess } from '../../machine/system/end-process.ts'

interface QuitHooks {
  context: AppContext
  background: Pick<Background, 'canRun' | 'enter'>
  window: () => BrowserWindow | null
  /** Called before the services stop. */
  first: () => void
  /** Called after all services have stopped. */
  last: () => Promise<void>
  log: Logger
}

/** States in which any swap needs Mien. */
const sending = new Set<TaskState>(['queued', 'uploading', 'submitting'])
/** States in which only a swap on this computer needs Mien. */
const atService = new Set<TaskState>(['waiting', 'processing'])

/** Number of swaps that a quit stops until the next start. Paused swaps and jobs at remote services aren't stopped. */
export const stoppedByQuit = (tasks: readonly Pick<Task, 'state' | 'pause' | 'profileId'>[]): number =>
  tasks.filter(
    ({ state, pause, profileId }) =>
      pause === null && (sending.has(state) || (profileId === embeddedProfileId && atService.has(state))),
  ).length

export class QuitGuard {
  private ending = false
  private ended = false
  /** The user confirmed the quit, or can't be asked. */
  private decided = false
  private asking = false
  private quitting = false

  constructor(private readonly hooks: QuitHooks) {}

  install(): void {
    const { context, log } = this.hooks
    app.on('before-quit', (event) => {
      if (!this.mustAsk()) {
        this.quitting = true
        return
      }
      event.preventDefault()
      if (this.runsOn()) this.hooks.background.enter()
      else if (!this.asking) this.ask()
    })
    // Destroy an engine window created during a quit: Electron would wait for it forever.
    app.on('browser-window-created', (_event, window) => {
      if (this.quitting) setImmediate(() => window.destroy())
    })
    app.on('will-quit', (event) => {
      if (this.ended) return
      // Electron doesn't resume a prevented quit, so end the process.
      event.preventDefault()
      // Ctrl-C comes twice: from the terminal, and from the script that started Mien.
      if (this.ending) return
      this.ending = true
      this.hooks.first()
      context
        .dispose()
        .catch((error: unknown) => log.warn('Ending the services failed', error))
        .then(() => {
          this.ended = true
          return this.hooks.last()
        })
        .catch((error: unknown) => log.warn('The last step of the quit failed', error))
        .finally(() => endProcess(0))
    })
    // Don't ask when the computer shuts down or a terminal ends Mien: nobody can answer.
    powerMonitor.on('shutdown', () => this.dontAsk())
    const quitNow = (): void => this.quitNow()
    // Replaces Chromium's signal handlers, which ask. Node only installs its own with the first listener of a signal.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
      process.removeAllListeners(signal).on(signal, quitNow)
  }

  /** Whether Mien is quitting. */
  get isQuitting(): boolean {
    return this.quitting
  }

  /** Whether a quit needs a confirmation, or doesn't happen because swaps run in the background. */
  mustAsk(): boolean {
    const { askBeforeQuit } = this.hooks.context.settings.settings
    return !this.decided && (askBeforeQuit || this.runsOn()) && this.count() > 0
  }

  /** Whether the user chose to keep swaps running. */
  private runsOn(): boolean {
    return this.hooks.context.settings.settings.runInBackground && this.hooks.background.canRun
  }

  /** Skips the confirmation of the next quit. */
  dontAsk(): void {
    this.decided = true
  }

  /** Quits without a confirmation: the user has just decided, or nobody can answer. */
  quitNow(): void {
    this.dontAsk()
    app.quit()
  }

  private count(): number {
    return stoppedByQuit(this.hooks.context.tasks.held())
  }

  private ask(): void {
    const { context, window, log, background } = this.hooks
    const parent = window()
    const count = this.count()
    const options: MessageBoxOptions = {
      type: 'question',
      title: 'Mien',
      message: m.quit_with_swaps({ count }),
      detail: m.quit_with_swaps_body({ count }),
      buttons: [m.quit(), ...(background.canRun ? [m.run_in_background()] : []), m.keep_working()],
      defaultId: 0,
      cancelId: background.canRun ? 2 : 1,
      checkboxLabel: m.dont_ask_again(),
      noLink: true,
    }
    this.asking = true
    const asked = parent ? dialog.showMessageBox(parent, options) : dialog.showMessageBox(options)
    asked
      .then(({ response, checkboxChecked }) => {
        if (response === options.cancelId) return
        if (checkboxChecked) context.settings.set(response === 0 ? { askBeforeQuit: false } : { runInBackground: true })
        if (response === 0) this.quitNow()
        else background.enter()
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
