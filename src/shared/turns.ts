/** Runs work of one name in sequence, e.g. all that concerns one file. */
export class Turns {
  /** The last work of each name; never rejects. */
  private readonly last = new Map<string, Promise<void>>()

  /** Runs `work` after the earlier work of this name, also if that failed. Settles like `work`. */
  run<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    const turn = (this.last.get(name) ?? Promise.resolve()).then(work)
    const settled = turn.then(
      () => undefined,
      () => undefined,
    )
    this.last.set(name, settled)
    void settled.then(() => {
      if (this.last.get(name) === settled) this.last.delete(name)
    })
    return turn
  }
}
