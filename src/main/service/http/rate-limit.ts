/** @file Rate limit per key: max requests within any one second. */
const windowMs = 1000

export class RateLimit {
  private readonly taken = new Map<string, number[]>()

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number,
  ) {}

  /** Returns 0 if allowed, else the ms to wait. Refused requests don't count. */
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
