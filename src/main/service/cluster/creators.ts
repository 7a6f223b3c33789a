/**
 * @file Limits and turns of creators. Limits are checked in the transaction that adds a row, so that parallel requests
 * can't exceed them.
 *
 * Turns follow start-time fair queueing (Goyal, Vin, Cheng 1996): a new swap gets the turn after the creator's last one,
 * but not before the turn that workers are at. So a single swap waits for about one swap of each other creator, not for
 * their batches.
 */
import { z } from 'zod'
import { MienError } from '@shared/errors.ts'
import { admin, record } from './key-table.ts'
import type { Database, Row, Sql } from './database/database.ts'
import { footageOf } from './job.ts'

const limit = z.int().nonnegative().nullable().default(null)

/** Null: no limit. A day is the last 24 hours. */
export const limitsSchema = z.strictObject({
  swapsPerDay: limit,
  /** Total length of the videos of a day's swaps. A video counts after a worker has inspected it (`checkVideo`). */
  minutesPerDay: limit,
  /** Total size of uploads, results and partial work. */
  bytes: limit,
})
type Limits = z.infer<typeof limitsSchema>

const dayMs = 86_400_000

/** @param lock `FOR UPDATE`, for the rest of the transaction */
export async function limitsOf(sql: Sql, userId: string, lock = ''): Promise<Limits> {
  const [row] = await sql.query<{ limits: string | null }>(`SELECT limits FROM creators WHERE user_id = $1 ${lock}`, [
    userId,
  ])
  return limitsSchema.parse(JSON.parse(row?.limits ?? '{}'))
}

export const setLimits = (db: Database, userId: string, limits: Limits): Promise<void> =>
  db.transaction(async (sql) => {
    await sql.query(
      `INSERT INTO creators (user_id, limits) VALUES ($1, $2)
         ON CONFLICT (user_id) DO UPDATE SET limits = excluded.limits`,
      [userId, JSON.stringify(limits)],
    )
    await record(sql, { actor: admin, action: 'limits-changed', subject: userId })
  })

/** Locks the creator's row, so that the counts don't change before the transaction ends. Adds it if needed. */
export async function lockCreator(sql: Sql, userId: string): Promise<Limits> {
  await sql.query('INSERT INTO creators (user_id) VALUES ($1) ON CONFLICT (user_id) DO NOTHING', [userId])
  return limitsOf(sql, userId, 'FOR UPDATE')
}

/** Bytes that a creator has stored. An unfinished upload counts with its full size. */
export async function storedBytes(sql: Sql, userId: string): Promise<number> {
  const [row] = await sql.query(
    `SELECT (SELECT coalesce(sum(size), 0) FROM assets WHERE user_id = $1)
       + (SELECT coalesce(sum(size), 0) FROM uploads WHERE user_id = $1)
       + (SELECT coalesce(sum(f.size), 0) FROM swap_files f JOIN swaps s ON s.object_id = f.object_id
            WHERE s.user_id = $1) AS bytes`,
    [userId],
  )
  return Number(row?.['bytes'])
}

/** @throws MienError `quota-reached` if `used` is more than the limit */
export function checkBytes({ bytes }: Limits, used: number): void {
  if (bytes !== null && used > bytes) throw reached('bytes', bytes, used, null)
}

/**
 * Checks all limits, after a swap was added.
 * @throws MienError `quota-reached` with `quota` (swaps, minutes, bytes), `limit`, `used` (without the new swap), and
 * `seconds` until the quota allows more; null: not before files are deleted
 */
export async function checkSwaps(sql: Sql, userId: string, limits: Limits): Promise<void> {
  const { swapsPerDay, minutesPerDay, bytes } = limits
  if (swapsPerDay === null && minutesPerDay === null && bytes === null) return
  const day = await dayOf(sql, userId)
  const swaps = day.length - 1
  if (swapsPerDay !== null && swaps >= swapsPerDay)
    throw reached('swaps', swapsPerDay, swaps, swapsPerDay === 0 ? null : secondsOf(day[swaps - swapsPerDay]))
  checkMinutes(limits, day)
  // The swap's result will need space.
  if (bytes !== null) checkBytes(limits, (await storedBytes(sql, userId)) + 1)
}

/** Checks the minutes before the length of a swap's video is stored: it is unknown before. Locks the creator. */
export async function checkVideo(sql: Sql, userId: string): Promise<void> {
  const limits = await lockCreator(sql, userId)
  if (limits.minutesPerDay !== null) checkMinutes(limits, await dayOf(sql, userId))
}

function checkMinutes({ minutesPerDay }: Limits, day: readonly DaySwap[]): void {
  const durationMs = day.reduce((sum, swap) => sum + (swap.durationMs ?? 0), 0)
  if (minutesPerDay === null || durationMs < minutesPerDay * 60_000) return
  const oldest = day.find((swap) => swap.durationMs !== null)
  throw reached('minutes', minutesPerDay, Math.ceil(durationMs / 60_000), secondsOf(oldest))
}

interface DaySwap {
  /** Time since it was created. */
  ageMs: number
  /** Length of its video; null: not inspected yet. */
  durationMs: number | null
}

/** A creator's swaps of the last 24 hours, oldest first. */
async function dayOf(sql: Sql, userId: string): Promise<DaySwap[]> {
  const rows = await sql.query(
    `SELECT now_ms() - created_at AS age, footage FROM swaps
       WHERE user_id = $1 AND created_at > now_ms() - ${String(dayMs)} ORDER BY created_at`,
    [userId],
  )
  return rows.map((row) => ({ ageMs: Number(row['age']), durationMs: footageOf(row)?.durationMs ?? null }))
}

/** Seconds until a swap is older than a day; null: there is none. */
const secondsOf = (swap: DaySwap | undefined): number | null =>
  swap ? Math.max(1, Math.ceil((dayMs - swap.ageMs) / 1000)) : null

const reached = (quota: 'swaps' | 'minutes' | 'bytes', limit: number, used: number, seconds: number | null) =>
  new MienError('quota-reached', { quota, limit, used, seconds })

/** The turn that workers are at. */
const current = `coalesce((SELECT CAST(value AS BIGINT) FROM facts WHERE name = 'turn'), 0)`

/** Workers are at the turn of this swap now, if it runs. */
export const noteTurn = (sql: Sql, objectId: string): Promise<Row[]> =>
  sql.query(
    `INSERT INTO facts (name, value)
       SELECT 'turn', CAST(turn AS TEXT) FROM swaps WHERE object_id = $1 AND status = 'processing'
       ON CONFLICT (name) DO UPDATE SET value = excluded.value
         WHERE CAST(facts.value AS BIGINT) < CAST(excluded.value AS BIGINT)`,
    [objectId],
  )

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
