/** @file The SQL database that servers and workers share. The same SQL runs on SQLite and PostgreSQL. */

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
  /** Runs statements together: all of them take effect, or none. They may run twice, so `work` does nothing else. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Tells all processes that use the database that there may be work. Failures are ignored: they also ask now and then. */
  wake(): void
  /** Calls `listener` after each `wake`. @returns ends that */
  onWake(listener: () => void): () => void
  close(): Promise<void>
}

/** The database can't be reached, or ended the connection. The statement may have taken effect. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

/** `$2, $3, …` for a list of values. */
export const listOf = (values: readonly unknown[], from = 1): string =>
  values.length === 0 ? 'NULL' : values.map((_, at) => `$${String(from + at)}`).join(', ')

/** The time by the database's clock, which all machines share. */
export const nowSql: Readonly<Record<Database['kind'], string>> = {
  sqlite: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  postgres: 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)',
}
