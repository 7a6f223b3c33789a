/** @file How often the studio page is loaded again after it crashed. */

/** With so many crashes within this time the user decides. */
const maxCrashes = 3
const withinMs = 60_000

export class CrashLimit {
  private readonly now: () => number
  private crashes: number[] = []

  constructor(now: () => number = Date.now) {
    this.now = now
  }

  /** Counts a crash. @returns whether the page may be loaded again without asking */
  mayReload(): boolean {
    const at = this.now()
    this.crashes = [...this.crashes.filter((crash) => at - crash < withinMs), at]
    return this.crashes.length < maxCrashes
  }
}
