/** @file Prevents automatic sleep. The screen may still turn off. */
import type { PowerSaveBlocker } from 'electron'

type Blocker = Pick<PowerSaveBlocker, 'start' | 'stop'>

export class KeepAwake {
  private id: number | null = null

  constructor(private readonly blocker: Blocker) {}

  /** Turns it on or off. */
  set(on: boolean): void {
    if (on === (this.id !== null)) return
    if (this.id !== null) this.blocker.stop(this.id)
    this.id = on ? this.blocker.start('prevent-app-suspension') : null
  }
}
