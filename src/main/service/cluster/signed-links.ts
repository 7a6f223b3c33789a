/**
 * @file URLs of files that work without the key for one to two hours, e.g. in a player. Each is signed for one path and
 * one key, and becomes invalid when the key is revoked. All times are those of the database, so that all servers use the
 * same one.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { sameSecret } from '../http/secrets.ts'
import type { Database } from './database/database.ts'

const hourMs = 3_600_000
const secretFact = 'link-secret'

export class SignedLinks {
  constructor(private readonly secret: string) {}

  /** Reads the secret that all servers share; creates it if there is none. */
  static async open(db: Database): Promise<SignedLinks> {
    await db.query('INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [
      secretFact,
      randomBytes(32).toString('base64url'),
    ])
    const [row] = await db.query('SELECT value FROM facts WHERE name = $1', [secretFact])
    return new SignedLinks(String(row?.['value']))
  }

  /**
   * Adds a signature to a path. It changes once an hour, so that a URL stays the same for a while.
   * @param now epoch ms
   */
  readonly sign = (path: string, keyId: string, now: number): string => {
    const until = String((Math.floor(now / hourMs) + 2) * hourMs)
    const query = new URLSearchParams({ until, for: keyId, sig: this.#signature(path, until, keyId) })
    return `${path}?${query.toString()}`
  }

  /** The key for which a path was signed, and until when (epoch ms); null: the signature is wrong. */
  readonly check = (path: string, query: URLSearchParams): { keyId: string; until: number } | null => {
    const [until, keyId, sig] = ['until', 'for', 'sig'].map((name) => query.get(name) ?? '')
    if (until === undefined || keyId === undefined || sig === undefined) return null
    return sameSecret(sig, this.#signature(path, until, keyId)) ? { keyId, until: Number(until) } : null
  }

  #signature(path: string, until: string, keyId: string): string {
    return createHmac('sha256', this.secret)
      .update(JSON.stringify([path, until, keyId]))
      .digest('base64url')
  }
}
