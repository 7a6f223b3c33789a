/** @file The queue of a single server: its worker is in the same process, so nothing ends an attempt but the worker. */
import { nowSql, type Sql } from './database.ts'
import { anyVersion, maxTries, type Jobs } from './jobs.ts'

const minuteMs = 60_000
/** Delay after the first crash. Each further crash doubles it. */
const firstWaitMs = 1000
const now = nowSql.sqlite

const wait = async (sql: Sql, objectId: string, waitMs: number): Promise<void> => {
  await sql.query(`UPDATE swaps SET not_before = ${now} + $2 WHERE object_id = $1`, [objectId, waitMs])
}

export function rowJobs(): Jobs {
  const listeners = new Set<() => void>()
  return {
    start: () => Promise.resolve(),
    // The worker waits for the end of this transaction.
    send: async (sql, { objectId }, waitMs = 0) => {
      await wait(sql, objectId, waitMs)
      for (const listener of listeners) listener()
    },
    update: () => Promise.resolve(),
    cancel: () => Promise.resolve(),
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
