/** @file The audit log: who did what, and when. */
import type { Row, Sql } from './database/database.ts'

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
