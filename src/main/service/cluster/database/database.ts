/**
 * @file The SQL database that servers and workers share, and its queue: the order in which workers get swaps. The same
 * SQL runs on SQLite and PostgreSQL.
 *
 * A swap's row says what clients see; its job says when a worker gets it. Both change in one transaction, the job first,
 * so that transactions never wait for each other in a circle. PostgreSQL has jobs of pg-boss, for any number of workers
 * (boss-jobs.ts). SQLite has one worker in the same process, and a swap's row is its job (sqlite.ts).
 */

/** Values of columns. Booleans are 0 and 1, times are epoch ms, and structures are JSON text. */
export type Value = string | number | null
export type Row = Record<string, unknown>

export interface Sql {
  /**
   * Runs one statement, with `$1`, `$2`, … for its values. It is written for PostgreSQL; sqlite.ts translates it.
   * `now_ms()` is the database's time, because the clocks of the machines differ. It is the same in a whole statement.
   * @template T what the statement returns, by the names that it gives its columns
   * @throws DatabaseUnavailable
   */
  query<T extends object = Row>(statement: string, values?: readonly Value[]): Promise<T[]>
}

export interface Database extends Sql {
  readonly kind: 'sqlite' | 'postgres'
  /**
   * Runs statements in a transaction. It may be repeated, so `work` must have no other effects.
   * @param options `isRecoverable`: SQLite may lose it on a power failure, see `withRelaxedSync`. Defaults to false.
   */
  transaction<T>(work: (sql: Sql) => Promise<T>, options?: { isRecoverable?: boolean }): Promise<T>
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

/** An automatically increasing primary key. */
export const serial = 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY'

/** The place of a swap, as its row has it. */
export interface Place {
  objectId: string
  /** Version of the engine that began it; null: none. Only workers of this version continue it, while there are any. */
  engine: string | null
  /** Lower turns come first. */
  turn: number
  /** Number of attempts since the last progress. */
  tries: number
}

/** The columns of `swaps` that make a `Place`. */
export const placeColumns = 'object_id AS "objectId", engine, turn, tries'

/** An attempt to make a swap. It ends when the worker is silent for too long. */
export interface Attempt {
  objectId: string
  /** Number of attempts before this one, of this job. */
  retryCount: number
}

export interface Jobs {
  /** Prepares the queue. Other calls do it too. */
  start(): Promise<void>
  /** Queues a swap, whatever became of its job before, and wakes the workers. @param waitMs delay before it starts */
  send(sql: Sql, place: Place, waitMs?: number): Promise<void>
  /** Lets no swap be fetched until the transaction ends: `fetch` would pass over those that change their turns. */
  lockOrder(sql: Sql): Promise<void>
  /** Gives a waiting swap another turn. */
  update(sql: Sql, place: Pick<Place, 'objectId' | 'turn'>): Promise<void>
  /** Takes a swap out of the queue, and from its worker. */
  cancel(sql: Sql, objectId: string): Promise<void>
  /** The next swap for a worker with this engine version. It may be one that another version has to continue. */
  fetch(sql: Sql, engine: string): Promise<Attempt | null>
  /** Says that the worker is alive. False: the attempt has ended. */
  touch(sql: Sql, attempt: Attempt): Promise<boolean>
  /** Ends the job. False: the attempt has ended before. */
  complete(sql: Sql, attempt: Attempt): Promise<boolean>
  /** Calls `listener` when there may be a swap to fetch, with its id if it is known. @returns a function that ends it */
  onSend(listener: (objectId?: string) => void): () => void
  /** Calls `listener` with each swap whose last try failed. It may be called more than once. */
  onDeadLetter(listener: (objectId: string) => Promise<void>): Promise<void>
  /** Calls `work` each minute, once among all servers. @returns a function that ends it */
  everyMinute(work: () => Promise<void>): Promise<() => void>
  stop(): Promise<void>
}

/** Max attempts of a swap in a row without progress. */
export const maxTries = 5
/** SQL condition: the worker `w` was seen in the last ten minutes, so its engine version continues its swaps. */
export const isSeen = 'w.seen_at > now_ms() - 600000'
