/** @file At most so many requests in any one second, for each key. */
const windowMs = 1000

export class RateLimit {
  private readonly taken = new Map<string, number[]>()

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number,
  ) {}

  /** 0: go on. Else the milliseconds to wait; a refused request does not count. */
  take(id: string): number {
    const now = this.now()
    const recent = (this.taken.get(id) ?? []).filter((at) => now - at < windowMs)
    this.taken.set(id, recent)
    const [oldest] = recent
    if (recent.length >= this.perSecond && oldest !== undefined) return oldest + windowMs - now
    recent.push(now)
    return 0
  }
}
