/** @file Prevents automatic sleep. The screen may still turn off. */
import type { PowerSaveBlocker } from 'electron'

type Blocker = Pick<PowerSaveBlocker, 'start' | 'stop'>

export class KeepAwake {
  private readonly blocker: Blocker
  private id: number | null = null

  constructor(blocker: Blocker) {
    this.blocker = blocker
  }

  /** Turns it on or off. */
  set(on: boolean): void {
    if (on === (this.id !== null)) return
    if (this.id !== null) this.blocker.stop(this.id)
    this.id = on ? this.blocker.start('prevent-app-suspension') : null
  }
}
