/** @file Keys of the embedded service, in memory only: like the admin token, a key is valid until the service ends. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { FoundKey, Keys, StoredKey } from '../backend.ts'
import { hashOf, newKey } from '../http/secrets.ts'
import { sameSecret } from '../http/same-secret.ts'

export class KeyStore implements Keys {
  readonly adminToken = randomBytes(32).toString('base64url')
  /** By the hash of the key. */
  readonly #keys = new Map<string, StoredKey>()

  constructor(private readonly now: () => number) {}

  async create(userId: string): Promise<StoredKey & { sk: string }> {
    const { sk, ...shown } = newKey()
    const key: StoredKey = { id: randomUUID(), userId, ...shown, createdAt: this.now() }
    this.#keys.set(hashOf(sk), key)
    return { ...key, sk }
  }

  async list(userId: string): Promise<StoredKey[]> {
    return [...this.#keys.values()].filter((key) => key.userId === userId)
  }

  async find(sk: string): Promise<FoundKey | null> {
    const key = this.#keys.get(hashOf(sk))
    return key ? { ...key, foundAt: this.now() } : null
  }

  async revoke(which: { id: string } | { sk: string }): Promise<boolean> {
    const hash = 'sk' in which ? hashOf(which.sk) : [...this.#keys].find(([, { id }]) => id === which.id)?.[0]
    return hash !== undefined && this.#keys.delete(hash)
  }

  async isAdmin(token: string): Promise<boolean> {
    return sameSecret(token, this.adminToken)
  }
}
