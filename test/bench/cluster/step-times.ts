/** @file What a worker spends the time of a swap on, by the calls of its queue, its storage and its engine. */

/** All in ms. They add up to the time from the end of the swap before to the end of this one. */
export interface StepTimes {
  /** From the creation of the swap to its lease. Not part of the sum. */
  waited: number
  /** The statements that take the swap. Part of `database`. */
  claim: number
  engine: number
  /** Statements of the queue, while the engine doesn't work. */
  database: number
  /** Transfers, while neither the engine nor the database works. */
  storage: number
  /** What is left: files on this computer, and the load of the computer. */
  own: number
}

type Part = 'engine' | 'database' | 'storage'
interface Call {
  part: Part
  from: number
  to: number
}

export class StepClock {
  readonly swaps: StepTimes[] = []
  private calls: Call[] = []
  /** End of the swap before; null: the queue was empty. */
  private since: number | null = null
  private waited = 0
  private claim = 0

  /** The same object; its calls are timed. */
  watch<T extends object>(part: Part, whole: T): T {
    return new Proxy(whole, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        // Safe: called as a method of `target`, as without this proxy.
        const method = value.bind(target) as (...args: unknown[]) => unknown
        return (...args: unknown[]) => this.time(part, String(key), method(...args))
      },
    })
  }

  private time(part: Part, name: string, result: unknown): unknown {
    if (!(result instanceof Promise)) return result
    const from = performance.now()
    return result.then((value: unknown) => {
      const to = performance.now()
      this.calls.push({ part, from, to })
      if (name === 'claim') this.claimed(value as { job: { createdAt: number } } | null, from, to)
      if (name === 'complete') this.completed(to)
      return value
    })
  }

  private claimed(lease: { job: { createdAt: number } } | null, from: number, to: number): void {
    if (lease) {
      this.claim = to - from
      this.waited = Date.now() - lease.job.createdAt
      this.since ??= from
    } else {
      this.since = null
      this.calls = []
    }
  }

  private completed(to: number): void {
    const from = this.since ?? to
    const spent: Record<Part, number> = { engine: 0, database: 0, storage: 0 }
    const ends = this.calls.flatMap((call) => [call.from, call.to])
    const times = [...ends, from, to].filter((at) => at >= from && at <= to).toSorted((a, b) => a - b)
    for (const [index, end] of times.entries()) {
      const begin = times[index - 1] ?? from
      const parts = this.calls.filter((call) => call.from <= begin && call.to >= end).map(({ part }) => part)
      const part = (['engine', 'database', 'storage'] as const).find((each) => parts.includes(each))
      if (part) spent[part] += end - begin
    }
    const own = to - from - spent.engine - spent.database - spent.storage
    this.swaps.push({ waited: this.waited, claim: this.claim, ...spent, own })
    this.calls = []
    this.since = to
  }
}
