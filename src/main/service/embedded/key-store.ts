/** @file Keys of the embedded service, in memory only: like the admin token, a key is valid until the service ends. */
import { randomUUID } from 'node:crypto'
import type { StoredKey } from '../backend.ts'
import { hashOf, newKey } from '../http/new-key.ts'

export class KeyStore {
  /** By the hash of the key. */
  private readonly keys = new Map<string, StoredKey>()

  constructor(private readonly now: () => number) {}

  /** `sk` is the full key, available only this once. */
  create(userId: string): StoredKey & { sk: string } {
    const { sk, ...shown } = newKey()
    const key: StoredKey = { id: randomUUID(), userId, ...shown, createdAt: this.now() }
    this.keys.set(hashOf(sk), key)
    return { ...key, sk }
  }

  list(userId: string): StoredKey[] {
    return [...this.keys.values()].filter((key) => key.userId === userId)
  }

  /** Null: unknown or revoked. */
  find(sk: string): StoredKey | null {
    return this.keys.get(hashOf(sk)) ?? null
  }

  /** Returns false if there is no such key. */
  revoke(which: { id: string } | { sk: string }): boolean {
    const hash = 'sk' in which ? hashOf(which.sk) : [...this.keys].find(([, { id }]) => id === which.id)?.[0]
    return hash !== undefined && this.keys.delete(hash)
  }
}
