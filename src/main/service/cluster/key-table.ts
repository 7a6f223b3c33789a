/** @file Keys in the shared tables, stored as hashes. Not cached, so that all servers refuse a revoked key at once. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { FoundKey, Keys, StoredKey } from '../backend.ts'
import { hashOf, newKey, sameSecret } from '../http/secrets.ts'
import { admin, record } from './audit-log.ts'
import type { Database, Row, Sql } from './database/database.ts'

const adminFact = 'admin-key'

/**
 * Makes the administrator's key.
 * @param options `renew`: replaces one that was lost
 * @returns the key, which can't be read again; null: there is one already
 */
export function makeAdminKey(db: Database, { renew = false } = {}): Promise<string | null> {
  return db.transaction(async (sql) => {
    const key = `admin-mien-${randomBytes(32).toString('base64url')}`
    const [row] = await sql.query(
      `INSERT INTO facts (name, value) VALUES ($1, $2)
         ON CONFLICT (name) DO ${renew ? 'UPDATE SET value = excluded.value' : 'NOTHING'} RETURNING name`,
      [adminFact, hashOf(key)],
    )
    if (!row) return null
    await record(sql, { actor: 'server', action: 'admin-key-made', subject: admin })
    return key
  })
}

const columns = 'id, user_id, mask, last_four, created_at'

const keyOf = (row: Row): StoredKey => ({
  id: String(row['id']),
  userId: String(row['user_id']),
  mask: String(row['mask']),
  lastFour: String(row['last_four']),
  createdAt: Number(row['created_at']),
})

export class KeyTable implements Keys {
  constructor(private readonly db: Database) {}

  create(userId: string): Promise<StoredKey & { sk: string }> {
    return this.db.transaction(async (sql) => {
      const { sk, mask, lastFour } = newKey()
      const id = randomUUID()
      const [row] = await sql.query(
        `INSERT INTO access_keys (id, user_id, hash, mask, last_four, created_at)
           VALUES ($1, $2, $3, $4, $5, now_ms()) RETURNING created_at`,
        [id, userId, hashOf(sk), mask, lastFour],
      )
      await record(sql, { actor: admin, action: 'key-made', subject: id })
      return { id, userId, mask, lastFour, createdAt: Number(row?.['created_at']), sk }
    })
  }

  async list(userId: string): Promise<StoredKey[]> {
    const rows = await this.db.query(
      `SELECT ${columns} FROM access_keys WHERE user_id = $1 AND revoked_at IS NULL ORDER BY created_at, id`,
      [userId],
    )
    return rows.map(keyOf)
  }

  async find(sk: string): Promise<FoundKey | null> {
    const [row] = await this.db.query(
      `SELECT ${columns}, now_ms() AS now FROM access_keys WHERE hash = $1 AND revoked_at IS NULL`,
      [hashOf(sk)],
    )
    return row ? { ...keyOf(row), foundAt: Number(row['now']) } : null
  }

  /** The user of a key until a time (epoch ms); null: the key is unknown or revoked, or the time is over. */
  readonly userOf = async (id: string, until: number): Promise<string | null> => {
    const [row] = await this.db.query(
      `SELECT user_id FROM access_keys WHERE id = $1 AND revoked_at IS NULL AND now_ms() < $2`,
      [id, until],
    )
    return row ? String(row['user_id']) : null
  }

  revoke(which: { id: string } | { sk: string }): Promise<boolean> {
    const [column, value] = 'sk' in which ? ['hash', hashOf(which.sk)] : ['id', which.id]
    return this.db.transaction(async (sql: Sql) => {
      const [row] = await sql.query(
        `UPDATE access_keys SET revoked_at = now_ms() WHERE ${column} = $1 AND revoked_at IS NULL RETURNING id`,
        [value],
      )
      if (!row) return false
      await record(sql, { actor: admin, action: 'key-revoked', subject: String(row['id']) })
      return true
    })
  }

  async isAdmin(token: string, address: string): Promise<boolean> {
    const [row] = await this.db.query('SELECT value FROM facts WHERE name = $1', [adminFact])
    if (row && sameSecret(hashOf(token), String(row['value']))) return true
    await record(this.db, { actor: address, action: 'admin-refused', subject: admin })
    return false
  }
}
