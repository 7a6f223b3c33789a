/** @file The SQL database that servers and workers share. The same SQL runs on SQLite and PostgreSQL. */
import type { Jobs } from './jobs.ts'

/** Values of columns. Booleans are 0 and 1, times are epoch ms, and structures are JSON text. */
export type Value = string | number | null
export type Row = Record<string, unknown>

export interface Sql {
  /**
   * Runs one statement, with `$1`, `$2`, … for its values.
   * @throws DatabaseUnavailable
   */
  query(statement: string, values?: readonly Value[]): Promise<Row[]>
}

export interface Database extends Sql {
  readonly kind: 'sqlite' | 'postgres'
  /**
   * Runs statements in a transaction. It may be repeated, so `work` must have no other effects.
   * @param options `isRecoverable`: SQLite may lose it on a power failure, see `withRelaxedSync`. Defaults to false.
   */
  transaction<T>(work: (sql: Sql) => Promise<T>, options?: { isRecoverable?: boolean }): Promise<T>
  /** The queue. */
  readonly jobs: Jobs
  close(): Promise<void>
}

/** The database can't be reached, or the connection was lost. The statement may have taken effect. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

/** `$2, $3, …` for a list of values. */
export const listOf = (values: readonly unknown[], from = 1): string =>
  values.length === 0 ? 'NULL' : values.map((_, at) => `$${String(from + at)}`).join(', ')

/** The database's time, because the clocks of the machines differ. It is the same everywhere in one statement. */
export const nowSql: Readonly<Record<Database['kind'], string>> = {
  sqlite: 'now_ms()',
  postgres: 'CAST(extract(epoch FROM statement_timestamp()) * 1000 AS BIGINT)',
}
