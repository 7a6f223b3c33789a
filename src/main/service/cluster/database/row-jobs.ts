/** @file The queue of one process: its worker is in it, so nothing ends an attempt but the worker. */
import { nowSql, type Sql } from './database.ts'
import { anyVersion, maxTries, type Jobs } from './jobs.ts'

const minuteMs = 60_000
/** Delay after the first crash. Each further crash doubles it. */
const firstWaitMs = 1000
const now = nowSql.sqlite

export function rowJobs(): Jobs {
  const listeners = new Set<(objectId: string) => void>()
  /** The worker then waits for the end of the transaction. */
  const wake = async (objectId: string): Promise<void> => {
    for (const listener of listeners) listener(objectId)
  }
  const wait = async (sql: Sql, objectId: string, waitMs: number): Promise<void> => {
    await sql.query(`UPDATE swaps SET not_before = ${now} + $2 WHERE object_id = $1`, [objectId, waitMs])
    if (waitMs === 0) await wake(objectId)
    // A timer may be a millisecond early.
    else setTimeout(() => void wake(objectId), waitMs + 1).unref()
  }
  return {
    start: () => Promise.resolve(),
    send: (sql, { objectId }, waitMs = 0) => wait(sql, objectId, waitMs),
    // A transaction has the whole database.
    lockOrder: () => Promise.resolve(),
    update: () => Promise.resolve(),
    // So that the worker removes the folder of a deleted swap.
    cancel: (_sql, { objectId }) => wake(objectId),
    fetch: async (sql) => {
      const [row] = await sql.query(
        `SELECT object_id FROM swaps WHERE status = 'queued' AND paused = 0 AND not_before <= ${now}
           ORDER BY turn, seq LIMIT 1`,
      )
      return row ? { objectId: String(row['object_id']), queue: anyVersion, retryCount: 0 } : null
    },
    touch: () => Promise.resolve(true),
    complete: () => Promise.resolve(true),
    fail: async (sql, { objectId }, tries) => {
      if (tries >= maxTries) return 'dead'
      await wait(sql, objectId, firstWaitMs * 2 ** (tries - 1))
      return 'waits'
    },
    isServed: () => Promise.resolve(false),
    onSend: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    onDeadLetter: () => Promise.resolve(),
    everyMinute: (work) => {
      const timer = setInterval(() => void work(), minuteMs).unref()
      void work()
      return Promise.resolve(() => {
        clearInterval(timer)
      })
    },
    stop: () => Promise.resolve(),
  }
}
