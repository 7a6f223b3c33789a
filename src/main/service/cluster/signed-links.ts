/**
 * @file URLs of files that work without the key for one to two hours, e.g. in a player. Each is signed for one path and
 * one key, and becomes invalid when the key is revoked. All times are those of the database, so that all servers use the
 * same one.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { sameSecret } from './key-table.ts'
import type { Database } from './database/database.ts'

const hourMs = 3_600_000
const secretFact = 'link-secret'

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

  /**
   * Adds a signature to a path. It changes once an hour, so that a URL stays the same for a while.
   * @param now epoch ms
   */
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
