/** @file Keys of the embedded service. Stores only the SHA-256 of a key. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'

const prefix = 'sk-mien-'

/** A key has 256 random bits, so a slow hash isn't needed. */
const hashOf = (sk: string): string => createHash('sha256').update(sk).digest('hex')

const rowSchema = z.object({
  id: z.string(),
  user_id: z.string(),
  mask: z.string(),
  last_four: z.string(),
  created_at: z.number(),
})

export interface StoredKey {
  id: string
  /** Decimal digits of an unsigned 64-bit integer. */
  userId: string
  mask: string
  lastFour: string
  createdAt: number
}

function read(row: unknown): StoredKey {
  const { id, user_id, mask, last_four, created_at } = rowSchema.parse(row)
  return { id, userId: user_id, mask, lastFour: last_four, createdAt: created_at }
}

export class KeyStore {
  constructor(
    private readonly db: DatabaseSync,
    private readonly now: () => number,
  ) {}

  /** `sk` is the full key, available only this once. */
  create(userId: string): StoredKey & { sk: string } {
    const sk = prefix + randomBytes(32).toString('base64url')
    const lastFour = sk.slice(-4)
    const key: StoredKey = { id: randomUUID(), userId, mask: `${prefix}…${lastFour}`, lastFour, createdAt: this.now() }
    this.db
      .prepare('INSERT INTO keys (id, user_id, hash, mask, last_four, created_at) VALUES (?, ?, ?, ?, ?, ?)')
      .run(key.id, userId, hashOf(sk), key.mask, lastFour, key.createdAt)
    return { ...key, sk }
  }

  list(userId: string): StoredKey[] {
    return this.db
      .prepare('SELECT * FROM keys WHERE user_id = ? AND revoked_at IS NULL ORDER BY created_at, rowid')
      .all(userId)
      .map(read)
  }

  /** Null: unknown or revoked. */
  find(sk: string): StoredKey | null {
    const row = this.db.prepare('SELECT * FROM keys WHERE hash = ? AND revoked_at IS NULL').get(hashOf(sk))
    return row === undefined ? null : read(row)
  }

  /** Returns false if there is no such active key. */
  revoke(which: { id: string } | { sk: string }): boolean {
    const [column, value] = 'id' in which ? ['id', which.id] : ['hash', hashOf(which.sk)]
    const { changes } = this.db
      .prepare(`UPDATE keys SET revoked_at = ? WHERE ${column} = ? AND revoked_at IS NULL`)
      .run(this.now(), value)
    return Number(changes) > 0
  }
}
