/** @file Limits how many wrong keys an address may send, so that nobody keeps the database busy with guesses. */
import { hashOf } from './secrets.ts'
import { RateLimit } from './rate-limit.ts'

const windowMs = 60_000

export class WrongKeys {
  readonly #limit: RateLimit
  /** Hashes of keys that were right. They pass, because people may share an address, e.g. that of a proxy. */
  readonly #right = new Set<string>()

  /** @param max within a minute */
  constructor(max: number, now: () => number) {
    this.#limit = new RateLimit(max, now, windowMs)
  }

  /** Returns 0 if the key may be looked up, else the ms to wait. */
  waitMs(address: string, key: string): number {
    return this.#right.has(hashOf(key)) ? 0 : this.#limit.waitMs(address)
  }

  tried(address: string, key: string, isRight: boolean): void {
    if (isRight) {
      this.#right.add(hashOf(key))
      return
    }
    this.#right.delete(hashOf(key))
    this.#limit.take(address)
  }
}
