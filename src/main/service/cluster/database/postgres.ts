/** @file PostgreSQL, for any number of servers and workers. */
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { bossJobs } from './boss-jobs.ts'
import { DatabaseUnavailable, type Database, type Sql, type Value } from './database.ts'

/** Type ids of int8 and numeric. They are read as numbers, which is exact enough for counts and times. */
const numbers: ReadonlySet<number> = new Set([20, 1700])
type Log = (message: string, error?: unknown) => void

const maxConnections = 10
const connectMs = 10_000
/** Timeouts, so that a hanging client or an endless statement doesn't keep its locks. */
const maxIdleInTransactionMs = 10_000
const maxStatementMs = 60_000
const maxTries = 5
const listenAgainMs = 5000
/** Max time until a notification arrives. */
const hearMs = 5000

/**
 * What passes without a change of Mien. Class 08: connection. 53: resources, such as a full disk. 58: the system.
 * 57P01 … 57P05: shutdown, crash, start. 57014: a statement took too long. 25006: read-only. 25P03: idle too long.
 */
const unavailable = /^(?:(?:08|53|58)...|57P0.|57014|25006|25P03)$/
/** Conflicts between transactions: serialization failure, deadlock, and a row that changed meanwhile. */
const conflict = /^(?:40001|40P01|23503)$/

/** Sets the timeouts. As parameters of the connection, PgBouncer would refuse them. */
const limited = {
  onConnect: (client: pg.ClientBase) =>
    client.query(
      `SET idle_in_transaction_session_timeout = ${String(maxIdleInTransactionMs)};
       SET statement_timeout = ${String(maxStatementMs)}`,
    ),
}

/** @param url as `postgres://user:password@host:5432/name`. Connects with the first statement. */
export function openPostgres(url: string, log: Log): Database {
  const types: pg.CustomTypesConfig = {
    getTypeParser: (oid, format) =>
      numbers.has(oid) ? Number : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
  }
  const pool = new pg.Pool({
    connectionString: url,
    types,
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    // Statements that needn't wait for each other go together.
    pipeline: true,
    application_name: 'mien',
    ...limited,
  })
  // An idle connection was lost. The pool opens a new one.
  pool.on('error', (error) => {
    log('a database connection ended', error)
  })
  const query = async <T extends object>(
    client: pg.Pool | pg.PoolClient,
    statement: string,
    values: readonly Value[],
  ): Promise<T[]> => {
    try {
      // A text of several statements has several results, which the driver's types don't say.
      const results = [await client.query<T>(statement.replaceAll('now_ms()', nowSql), values.map(withoutZero))].flat()
      return results.flatMap(({ rows }) => rows)
    } catch (error) {
      throw named(error)
    }
  }
  const once = async <T>(work: (sql: Sql) => Promise<T>): Promise<T> => {
    const client = await pool.connect().catch((error: unknown) => {
      throw named(error)
    })
    let broken: Error | undefined
    // Without a listener, a lost connection would end the process.
    const onError = (error: Error): void => {
      broken = error
    }
    client.on('error', onError)
    const sql: Sql = { query: (statement, values = []) => query(client, statement, values) }
    try {
      const [, result] = await Promise.all([sql.query('BEGIN'), work(sql)])
      await sql.query('COMMIT')
      return result
    } catch (error) {
      await sql.query('ROLLBACK').catch((failed: unknown) => {
        broken = failed instanceof Error ? failed : new Error('ROLLBACK failed')
      })
      throw error
    } finally {
      client.off('error', onError)
      client.release(broken)
    }
  }
  const db: Omit<Database, 'jobs' | 'close'> = {
    kind: 'postgres',
    query: (statement, values = []) => query(pool, statement, values),
    transaction: async (work) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await once(work)
        } catch (error) {
          if (tries === maxTries || !conflict.test(codeOf(error))) throw error
        }
      }
    },
  }
  const jobs = bossJobs(db, listening(url, db, log), log)
  return {
    ...{ ...db, jobs },
    close: async () => {
      await jobs.stop()
      await pool.end()
    },
  }
}

const undelivered = new Error('notifications don’t arrive; a pooler in front of the database needs session mode')

/**
 * Listens on a separate connection and reconnects when it is lost. Never rejects. A pooler that gives each transaction
 * another connection takes LISTEN and then delivers nothing, so a first notification, which is sent on another
 * connection, shows whether they arrive.
 */
const listening =
  (url: string, db: Sql, log: Log) => async (channel: string, listener: () => void, stop: AbortSignal) => {
    let isSilent = false
    const tell = (isNow: boolean, error?: unknown): void => {
      if (isNow === isSilent || stop.aborted) return
      isSilent = isNow
      if (isNow) log('the database announces no new swaps, so this worker only asks for them once a second', error)
      else log('the database announces new swaps again')
    }
    while (!stop.aborted) {
      const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs, keepAlive: true })
      // Without a listener, a lost connection would end the process.
      client.on('error', () => undefined).on('notification', listener)
      // Also after an error of the connection.
      const lost = once(client, 'end', { signal: stop }).catch(() => undefined)
      try {
        await client.connect()
        await client.query(`LISTEN ${channel}`)
        const heard = once(client, 'notification', { signal: AbortSignal.any([stop, AbortSignal.timeout(hearMs)]) })
        await Promise.all([heard, db.query(`SELECT pg_notify('${channel}', '')`)])
        tell(false)
        await lost
        throw new Error('The connection ended')
      } catch (error) {
        tell(true, error instanceof Error && error.name === 'AbortError' ? undelivered : error)
      }
      await client.end().catch(() => undefined)
      await wait(listenAgainMs, undefined, { signal: stop }).catch(() => undefined)
    }
  }

const nowSql = 'CAST(extract(epoch FROM statement_timestamp()) * 1000 AS BIGINT)'

/** PostgreSQL can't store the NUL character in text. */
const withoutZero = (value: Value): Value => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value)

const codeOf = (error: unknown): string => (error instanceof pg.DatabaseError ? (error.code ?? '') : '')

/** Errors that the database didn't report are errors of the connection. */
function named(error: unknown): unknown {
  if (error instanceof pg.DatabaseError ? !unavailable.test(codeOf(error)) : !(error instanceof Error)) return error
  return new DatabaseUnavailable(error instanceof Error ? error.message : String(error), { cause: error })
}
