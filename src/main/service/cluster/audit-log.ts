/** @file The audit log: who did what, and when. */
import type { Sql } from './database/database.ts'

export type AuditAction =
  'admin-key-made' | 'admin-refused' | 'key-made' | 'key-revoked' | 'limits-changed' | 'swap-deleted'

export interface AuditEntry {
  seq: number
  /** Epoch ms. */
  at: number
  /** A key's id, `admin`, `server`, or the address of a refused client. */
  actor: string
  action: AuditAction
  /** Id of a key, a user or a swap. */
  subject: string
}

export const admin = 'admin'

/** Max entries of one page. */
const pageSize = 200

/** @param sql the transaction that makes the change */
export async function record(
  sql: Sql,
  { actor, action, subject }: Pick<AuditEntry, 'actor' | 'action' | 'subject'>,
): Promise<void> {
  await sql.query(`INSERT INTO audit (at, actor, action, subject) VALUES (now_ms(), $1, $2, $3)`, [
    actor,
    action,
    subject,
  ])
}

/** At most one page of the entries after `after`, oldest first. */
export async function auditAfter(sql: Sql, after: number): Promise<AuditEntry[]> {
  const rows = await sql.query(
    `SELECT seq, at, actor, action, subject FROM audit WHERE seq > $1 ORDER BY seq LIMIT ${String(pageSize)}`,
    [after],
  )
  return rows.map((row) => ({
    seq: Number(row['seq']),
    at: Number(row['at']),
    actor: String(row['actor']),
    // Safe: only `record` writes this table.
    action: String(row['action']) as AuditAction,
    subject: String(row['subject']),
  }))
}
