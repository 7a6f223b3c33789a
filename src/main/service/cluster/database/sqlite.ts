/** @file SQLite, for one process with one worker in it: the service in the app, or a single server. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { MienError } from '@shared/errors.ts'
import { sqliteCode } from '../../../machine/disk/sqlite.ts'
import { type Database, type Row, type Sql, type Value, serial, type Attempt, type Jobs } from './database.ts'

const minuteMs = 60_000

/** The queue: its worker is in this process, so nothing ends an attempt but the worker. */
function rowJobs(db: Sql): Jobs {
  const listeners = new Set<(objectId: string) => void>()
  /** The worker then waits for the end of the transaction. */
  const wake = async (objectId: string): Promise<void> => {
    for (const listener of listeners) listener(objectId)
  }
  const endWait = async (objectId: string): Promise<void> => {
    // Fails if the process has closed the database. Its next start ends all waits.
    await db.query('UPDATE swaps SET not_before = 0 WHERE object_id = $1', [objectId]).catch(() => undefined)
    await wake(objectId)
  }
  const wait = async (sql: Sql, objectId: string, waitMs: number): Promise<void> => {
    // A swap that needn't wait begins even if the computer's clock is set back.
    const notBefore = 'CASE $2 WHEN 0 THEN 0 ELSE now_ms() + $2 END'
    await sql.query(`UPDATE swaps SET not_before = ${notBefore} WHERE object_id = $1`, [objectId, waitMs])
    if (waitMs === 0) await wake(objectId)
    else setTimeout(() => void endWait(objectId), waitMs).unref()
  }
  return {
    // Nor does a wait outlive the process.
    start: async () => {
      await db.query('UPDATE swaps SET not_before = 0 WHERE not_before > 0')
    },
    send: (sql, { objectId }, waitMs = 0) => wait(sql, objectId, waitMs),
    // A transaction has the whole database.
    lockOrder: () => Promise.resolve(),
    update: () => Promise.resolve(),
    // So that the worker removes the folder of a deleted swap.
    cancel: (_sql, objectId) => wake(objectId),
    fetch: async (sql) => {
      const [next] = await sql.query<Attempt>(
        `SELECT object_id AS "objectId", 0 AS "retryCount" FROM swaps
           WHERE status = 'queued' AND paused = 0 AND not_before <= now_ms() ORDER BY turn, seq LIMIT 1`,
      )
      return next ?? null
    },
    touch: () => Promise.resolve(true),
    complete: () => Promise.resolve(true),
    onSend: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    onDeadLetter: () => Promise.resolve(),
    everyMinute: (work) => {
      const timer = setInterval(() => void work(), minuteMs).unref()
      void work()
      return Promise.resolve(() => clearInterval(timer))
    },
    stop: () => Promise.resolve(),
  }
}

/** Opens the file; it is created if needed. @throws MienError `internal` with reason `in-use` */
export const openSqlite = (path: string): Database => sqliteDatabase(openLocked(path))

/** @param now epoch ms */
export function sqliteDatabase(db: DatabaseSync, now: () => number = Date.now): Database {
  db.function('now_ms', { deterministic: true }, now)
  // Safe: callers say what their statements return.
  const sql: Sql = {
    query: async <T>(statement: string, values: readonly Value[] = []) => run(db, statement, values) as T[],
  }
  /** There is one connection, so statements wait until the current transaction has ended. */
  let last: Promise<unknown> = Promise.resolve()
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  const query: Sql['query'] = (statement, values) => inOrder(() => sql.query(statement, values))
  return {
    kind: 'sqlite',
    query,
    transaction: (work, { isRecoverable = false } = {}) =>
      inOrder(async () => {
        // As `withRelaxedSync`.
        db.exec(`PRAGMA synchronous = ${isRecoverable ? 'NORMAL' : 'FULL'}; BEGIN IMMEDIATE`)
        try {
          const result = await work(sql)
          db.exec('COMMIT')
          return result
        } catch (error) {
          if (db.isTransaction) db.exec('ROLLBACK')
          throw error
        } finally {
          db.exec('PRAGMA synchronous = FULL')
        }
      }),
    jobs: rowJobs({ query }),
    close: () =>
      inOrder(async () => {
        db.close()
      }),
  }
}

/** What SQLite writes differently. A transaction has the whole database, so it needs no locks. */
const translated = (statement: string): string =>
  statement
    .replaceAll(/\$(\d+)/g, '?$1')
    .replace(serial, 'INTEGER PRIMARY KEY AUTOINCREMENT')
    .replace('FOR UPDATE', '')

const run = (db: DatabaseSync, statement: string, values: readonly Value[]): Row[] =>
  db.prepare(translated(statement)).all(...(values as readonly SQLInputValue[]))

const busy = 5

/**
 * Opens a file and locks it, so that only one process at a time uses the folder and makes its swaps. `prepare` migrates
 * it. `refuse` throws if it is to be left as it is. @throws MienError `internal` with reason `in-use`
 */
export function openLocked(
  path: string,
  prepare: (db: DatabaseSync) => void = () => undefined,
  refuse: (db: DatabaseSync) => void = () => undefined,
): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 1000 })
  try {
    refuse(db)
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    prepare(db)
    // Acquire the lock now instead of at the first write.
    db.exec('BEGIN IMMEDIATE; COMMIT')
    return db
  } catch (error) {
    db.close()
    throw sqliteCode(error) === busy ? new MienError('internal', { reason: 'in-use' }, { cause: error }) : error
  }
}
