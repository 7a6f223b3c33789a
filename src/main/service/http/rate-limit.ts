/** @file Rate limit per key: max requests within any one second, or another window. */
import { hashOf } from '../cluster/key-table.ts'

/** From so many on, keys without recent requests are forgotten. */
const maxIds = 10_000

export class RateLimit {
  private readonly taken = new Map<string, number[]>()

  constructor(
    private readonly max: number,
    private readonly now: () => number,
    private readonly windowMs = 1000,
  ) {}

  /** Returns 0 if a request would be allowed, else the ms to wait. */
  waitMs(id: string): number {
    const now = this.now()
    const recent = (this.taken.get(id) ?? []).filter((at) => now - at < this.windowMs)
    if (recent.length === 0) this.taken.delete(id)
    else this.taken.set(id, recent)
    const [oldest] = recent
    return recent.length >= this.max && oldest !== undefined ? oldest + this.windowMs - now : 0
  }

  /** Counts a request. Returns 0 if allowed, else the ms to wait. Refused requests don't count. */
  take(id: string): number {
    const waitMs = this.waitMs(id)
    if (waitMs > 0) return waitMs
    if (this.taken.size > maxIds) for (const each of [...this.taken.keys()]) this.waitMs(each)
    this.taken.set(id, [...(this.taken.get(id) ?? []), this.now()])
    return 0
  }
}

/** Limits how many wrong keys an address may send in a minute, so that nobody keeps the database busy with guesses. */
export class WrongKeys {
  readonly #limit: RateLimit
  /** Hashes of keys that were right. They pass, because people may share an address, e.g. that of a proxy. */
  readonly #right = new Set<string>()

  constructor(max: number) {
    this.#limit = new RateLimit(max, () => performance.now(), 60_000)
  }

  /** Returns 0 if the key may be looked up, else the ms to wait. */
  waitMs(address: string, key: string): number {
    return this.#right.has(hashOf(key)) ? 0 : this.#limit.waitMs(address)
  }

  tried(address: string, key: string, isRight: boolean): void {
    if (isRight) this.#right.add(hashOf(key))
    else {
      this.#right.delete(hashOf(key))
      this.#limit.take(address)
    }
  }
}
