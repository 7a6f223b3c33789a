/** @file Asks before a quit that would throw away work, then ends every service before the process ends. */
import { app, dialog, type BrowserWindow } from 'electron'
import { m } from '@shared/i18n/paraglide/messages.js'
import { embeddedProfileId } from '@shared/task.ts'
import type { House } from '../house.ts'
import type { Logger } from '../log/log.ts'

interface QuitHooks {
  /** After every service has ended: nothing is open any more. */
  last: () => Promise<void>
  /** The user stays. */
  onStay: () => void
}

export class QuitGuard {
  private agreed = false
  private readonly house: House
  private readonly log: Logger
  private readonly hooks: QuitHooks
  private ended = false

  constructor(house: House, log: Logger, hooks: QuitHooks) {
    this.house = house
    this.log = log
    this.hooks = hooks
  }

  /** Installs itself on the app; each window's `close` has to ask `mayQuit` too, where closing it quits. */
  install(window: () => BrowserWindow | null): void {
    app.on('before-quit', (event) => {
      if (this.mayQuit(window())) return
      event.preventDefault()
      this.hooks.onStay()
    })
    app.on('will-quit', (event) => {
      if (this.ended) return
      // A quit that was put off is not taken up again by another `quit`, so this ends in `exit`.
      event.preventDefault()
      this.house
        .dispose()
        .catch((error: unknown) => {
          this.log.warn('Ending the services failed', error)
        })
        .then(() => {
          this.ended = true
          return this.hooks.last()
        })
        .catch((error: unknown) => {
          this.log.warn('The last step of the quit failed', error)
        })
        .finally(() => {
          app.exit(0)
        })
    })
  }

  /** True when nothing would be lost, or the user agrees. */
  mayQuit(parent: BrowserWindow | null): boolean {
    const { tasks } = this.house.tasks.snapshot()
    const working = tasks.some((task) => task.profileId === embeddedProfileId && task.state === 'processing')
    if (this.agreed || !working) return true
    const question = {
      type: 'question' as const,
      message: m.quit_question(),
      detail: m.quit_detail(),
      buttons: [m.quit_stay(), m.quit_quit()],
      defaultId: 0,
      cancelId: 0,
    }
    this.agreed = (parent ? dialog.showMessageBoxSync(parent, question) : dialog.showMessageBoxSync(question)) === 1
    return this.agreed
  }
}
