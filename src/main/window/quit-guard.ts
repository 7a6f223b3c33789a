/** @file Ends every service before the process ends. No question is asked: a swap under way goes on at the next start. */
import { app } from 'electron'
import type { House } from '../house.ts'
import type { Logger } from '../log/log.ts'

interface QuitHooks {
  /** After every service has ended: nothing is open any more. */
  last: () => Promise<void>
}

export class QuitGuard {
  private readonly house: House
  private readonly log: Logger
  private readonly hooks: QuitHooks
  private ended = false

  constructor(house: House, log: Logger, hooks: QuitHooks) {
    this.house = house
    this.log = log
    this.hooks = hooks
  }

  install(): void {
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
}
