/** @file SQLite, for a single server with its worker inside. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { MienError } from '@shared/errors.ts'
import { sqliteCode } from '../../../data/broken-database.ts'
import { rowJobs } from './row-jobs.ts'
import type { Database, Row, Sql, Value } from './database.ts'

/** Opens the file; it is created if needed. @throws MienError `internal` with reason `in-use` */
export function openSqlite(path: string): Database {
  const db = open(path)
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
    transaction: (work) =>
      inOrder(async () => {
        db.exec('BEGIN IMMEDIATE')
        try {
          const result = await work(sql)
          db.exec('COMMIT')
          return result
        } catch (error) {
          if (db.isTransaction) db.exec('ROLLBACK')
          throw error
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
    db.exec('PRAGMA foreign_keys = ON; BEGIN IMMEDIATE; COMMIT')
    return db
  } catch (error) {
    db.close()
    throw sqliteCode(error) === busy ? new MienError('internal', { reason: 'in-use' }, { cause: error }) : error
  }
}
