/** @file SQLite, for one process with one worker in it: the service in the app, or a single server. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { MienError } from '@shared/errors.ts'
import { sqliteCode } from '../../../machine/disk/broken-database.ts'
import { rowJobs } from './row-jobs.ts'
import type { Database, Row, Sql, Value } from './database.ts'

/** Opens the file; it is created if needed. @throws MienError `internal` with reason `in-use` */
export const openSqlite = (path: string): Database => sqliteDatabase(open(path))

/** @param now epoch ms */
export function sqliteDatabase(db: DatabaseSync, now: () => number = Date.now): Database {
  db.function('now_ms', { deterministic: true }, now)
  const sql: Sql = { query: async (statement, values = []) => run(db, statement, values) }
  /** There is one connection, so statements wait until the current transaction has ended. */
  let last: Promise<unknown> = Promise.resolve()
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
  return {
    kind: 'sqlite',
    query: (statement, values) => inOrder(() => sql.query(statement, values)),
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
    jobs: rowJobs(),
    close: () =>
      inOrder(async () => {
        db.close()
      }),
  }
}

/** SQLite numbers parameters with `?`. */
const run = (db: DatabaseSync, statement: string, values: readonly Value[]): Row[] =>
  db.prepare(statement.replaceAll(/\$(\d+)/g, '?$1')).all(...(values as readonly SQLInputValue[]))

const busy = 5

/** Locks the file, so that only one server at a time uses the folder. */
function open(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 1000 })
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    db.exec('BEGIN IMMEDIATE; COMMIT')
    return db
  } catch (error) {
    db.close()
    throw sqliteCode(error) === busy ? new MienError('internal', { reason: 'in-use' }, { cause: error }) : error
  }
}
