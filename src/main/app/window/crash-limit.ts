/** @file Limits how often the studio page is reloaded after crashes. */

/** After this many crashes within this time, ask the user. */
const maxCrashes = 3
const withinMs = 60_000

export class CrashLimit {
  private crashes: number[] = []

  /** Records a crash. @returns whether the page may be reloaded without asking */
  mayReload(): boolean {
    const at = Date.now()
    this.crashes = [...this.crashes.filter((crash) => at - crash < withinMs), at]
    return this.crashes.length < maxCrashes
  }
}
