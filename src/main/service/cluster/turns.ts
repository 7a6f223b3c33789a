/**
 * @file Turns of creators, by start-time fair queueing (Goyal, Vin, Cheng 1996): a new swap gets the turn after the
 * creator's last one, but not before the turn that workers are at. So a single swap waits for about one swap of each
 * other creator, not for their batches.
 */
import { MienError } from '@shared/errors.ts'
import type { Sql } from './database/database.ts'

/** The turn that workers are at. */
const current = `coalesce((SELECT CAST(value AS BIGINT) FROM facts WHERE name = 'turn'), 0)`

/** Workers are at this turn now. */
export async function noteTurn(sql: Sql, turn: number): Promise<void> {
  await sql.query(
    `INSERT INTO facts (name, value) VALUES ('turn', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value
       WHERE CAST(facts.value AS BIGINT) < CAST(excluded.value AS BIGINT)`,
    [String(turn)],
  )
}

/** The creator's next turn. Locks the creator. */
export async function nextTurn(sql: Sql, userId: string): Promise<number> {
  const [row] = await sql.query(
    `UPDATE creators SET turn = CASE WHEN turn < ${current} THEN ${current} ELSE turn + 1 END
       WHERE user_id = $1 RETURNING turn`,
    [userId],
  )
  if (!row) throw new MienError('internal', { reason: 'no-creator' })
  return Number(row['turn'])
}

/** Whether workers are at a later turn, and other creators may wait. */
export async function hasPassed(sql: Sql, turn: number, userId: string): Promise<boolean> {
  const [row] = await sql.query(
    `SELECT ${current} AS turn WHERE EXISTS (SELECT 1 FROM creators WHERE user_id <> $1 AND turn >= ${current})`,
    [userId],
  )
  return row !== undefined && turn < Number(row['turn'])
}
