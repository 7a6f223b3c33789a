/**
 * @file URLs of files that work without the key for one to two hours, e.g. in a player. Each is signed for one path and
 * one key, and becomes invalid when the key is revoked.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { sameSecret } from '../http/same-secret.ts'
import { nowSql, type Database } from './database/database.ts'

const hourMs = 3_600_000
const secretFact = 'link-secret'

export class SignedLinks {
  readonly #secret: string
  /** Epoch ms by the database's clock, so that all servers use the same time. */
  readonly #now: () => number

  constructor(secret: string, now: () => number) {
    this.#secret = secret
    this.#now = now
  }

  /** Reads the secret that all servers share; creates it if there is none. */
  static async open(db: Database): Promise<SignedLinks> {
    await db.query('INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [
      secretFact,
      randomBytes(32).toString('base64url'),
    ])
    const [row] = await db.query(`SELECT value, ${nowSql[db.kind]} AS now FROM facts WHERE name = $1`, [secretFact])
    const startMs = Number(row?.['now']) - performance.now()
    return new SignedLinks(String(row?.['value']), () => startMs + performance.now())
  }

  /** Adds a signature to a path. It changes once an hour, so that a URL stays the same for a while. */
  readonly sign = (path: string, keyId: string): string => {
    const until = String((Math.floor(this.#now() / hourMs) + 2) * hourMs)
    const query = new URLSearchParams({ until, for: keyId, sig: this.#signature(path, until, keyId) })
    return `${path}?${query.toString()}`
  }

  /** Returns the id of the key for which a path was signed; null: the signature is wrong, or has expired. */
  readonly check = (path: string, query: URLSearchParams): string | null => {
    const [until, keyId, sig] = ['until', 'for', 'sig'].map((name) => query.get(name) ?? '')
    if (until === undefined || keyId === undefined || sig === undefined) return null
    return sameSecret(sig, this.#signature(path, until, keyId)) && Number(until) > this.#now() ? keyId : null
  }

  #signature(path: string, until: string, keyId: string): string {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([path, until, keyId]))
      .digest('base64url')
  }
}
