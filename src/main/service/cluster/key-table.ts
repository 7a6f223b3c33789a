/**
 * @file Keys in the shared tables, stored as hashes, and addresses that are signed for one. Not cached, so that all
 * servers refuse a revoked key at once. Also the audit log: who did what, and when.
 */
import { hash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Database, Row, Sql } from './database/database.ts'

const prefix = 'sk-mien-'

/** Keys are looked up by hash, so that the duration of a lookup reveals nothing about a key. */
export const hashOf = (sk: string): string => hash('sha256', sk)

/** The duration reveals nothing but the length. */
export function sameSecret(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}

export interface StoredKey {
  id: string
  /** Decimal digits of an unsigned 64-bit integer. */
  userId: string
  mask: string
  lastFour: string
  /** Epoch ms. */
  createdAt: number
}

const keyColumns = `id, user_id AS "userId", mask, last_four AS "lastFour", created_at AS "createdAt"`
const adminFact = 'admin-key'

/** The administrator's key, which can't be read again; null: there is one already. `renew`: replaces one that was lost. */
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

/** Keys of the app's service are in a database in memory (embedded/embedded-service.ts). */
export class KeyTable {
  constructor(private readonly db: Database) {}

  /** `sk` is the full key, available only this once. */
  create(userId: string): Promise<StoredKey & { sk: string }> {
    return this.db.transaction(async (sql) => {
      const sk = prefix + randomBytes(32).toString('base64url')
      const lastFour = sk.slice(-4)
      const mask = `${prefix}…${lastFour}`
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

  list(userId: string): Promise<StoredKey[]> {
    return this.db.query<StoredKey>(
      `SELECT ${keyColumns} FROM access_keys WHERE user_id = $1 AND revoked_at IS NULL ORDER BY created_at, id`,
      [userId],
    )
  }

  /** Null: unknown or revoked. `foundAt`: when it was looked up, epoch ms, by the clock that all servers share. */
  async find(sk: string): Promise<{ id: string; userId: string; foundAt: number } | null> {
    const [key = null] = await this.db.query<{ id: string; userId: string; foundAt: number }>(
      `SELECT id, user_id AS "userId", now_ms() AS "foundAt" FROM access_keys WHERE hash = $1 AND revoked_at IS NULL`,
      [hashOf(sk)],
    )
    return key
  }

  /** False: there is no such key. */
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

  /** Whether this token may manage keys. @param address of the client, for the audit log */
  async isAdmin(token: string, address: string): Promise<boolean> {
    const [row] = await this.db.query('SELECT value FROM facts WHERE name = $1', [adminFact])
    if (row && sameSecret(hashOf(token), String(row['value']))) return true
    await record(this.db, { actor: address, action: 'admin-refused', subject: admin })
    return false
  }
}

const hourMs = 3_600_000
const secretFact = 'link-secret'

/**
 * URLs of files that work without the key for one to two hours, e.g. in a player. Each is signed for one path and one
 * key, and becomes invalid when the key is revoked. All times are those of the database, which all servers share.
 */
export class SignedLinks {
  private constructor(
    private readonly db: Database,
    private readonly secret: string,
  ) {}

  /** Reads the secret that all servers share; creates it if there is none. */
  static async open(db: Database): Promise<SignedLinks> {
    await db.query('INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [
      secretFact,
      randomBytes(32).toString('base64url'),
    ])
    const [row] = await db.query('SELECT value FROM facts WHERE name = $1', [secretFact])
    return new SignedLinks(db, String(row?.['value']))
  }

  /** Signs a path. The signature changes once an hour, so that a URL stays the same for a while. @param now epoch ms */
  sign(path: string, keyId: string, now: number): string {
    const until = String((Math.floor(now / hourMs) + 2) * hourMs)
    const query = new URLSearchParams({ until, for: keyId, sig: this.#signature(path, until, keyId) })
    return `${path}?${query.toString()}`
  }

  /** The key for which a path was signed, and its user; null: the signature is wrong, it has expired, or the key is revoked. */
  async check(path: string, query: URLSearchParams): Promise<{ userId: string; keyId: string } | null> {
    const [until = '', keyId = '', sig = ''] = ['until', 'for', 'sig'].map((name) => query.get(name) ?? '')
    if (!sameSecret(sig, this.#signature(path, until, keyId))) return null
    const [key] = await this.db.query<{ userId: string; keyId: string }>(
      `SELECT user_id AS "userId", id AS "keyId" FROM access_keys
         WHERE id = $1 AND revoked_at IS NULL AND now_ms() < $2`,
      [keyId, Number(until)],
    )
    return key ?? null
  }

  #signature(path: string, until: string, keyId: string): string {
    return createHmac('sha256', this.secret)
      .update(JSON.stringify([path, until, keyId]))
      .digest('base64url')
  }
}

interface AuditEntry {
  /** A key's id, `admin`, `server`, or the address of a refused client. */
  actor: string
  action: 'admin-key-made' | 'admin-refused' | 'key-made' | 'key-revoked' | 'limits-changed' | 'swap-deleted'
  /** Id of a key, a user or a swap. */
  subject: string
}

export const admin = 'admin'

/** Max entries of one page. */
const pageSize = 200

/** @param sql the transaction that makes the change */
export const record = (sql: Sql, { actor, action, subject }: AuditEntry): Promise<Row[]> =>
  sql.query('INSERT INTO audit (at, actor, action, subject) VALUES (now_ms(), $1, $2, $3)', [actor, action, subject])

/** At most one page of the entries after `after`, oldest first: `seq`, `at` (epoch ms), and those of `AuditEntry`. */
export const auditAfter = (sql: Sql, after: number): Promise<Row[]> =>
  sql.query(`SELECT seq, at, actor, action, subject FROM audit WHERE seq > $1 ORDER BY seq LIMIT ${String(pageSize)}`, [
    after,
  ])
