/** Promises in flight, e.g. requests, so that a shutdown can wait for them. */
export class InFlight {
  private readonly promises = new Set<Promise<unknown>>()

  /** Settles like `promise`. */
  add<T>(promise: Promise<T>): Promise<T> {
    const tracked = promise.finally(() => this.promises.delete(tracked))
    this.promises.add(tracked)
    return tracked
  }

  /** Resolves when everything in flight has settled, or after `maxMs`. Never rejects. */
  async settled(maxMs: number): Promise<void> {
    const late = new Promise((resolve) => setTimeout(resolve, maxMs).unref())
    await Promise.race([Promise.allSettled(this.promises), late])
  }
}
