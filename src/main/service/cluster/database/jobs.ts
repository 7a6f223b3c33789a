/**
 * @file The queue: the order in which workers get swaps. A swap's row says what clients see; its job says when a worker
 * gets it. Both change in one transaction, the job first, so that transactions never wait for each other in a circle.
 *
 * PostgreSQL has jobs of pg-boss, for any number of workers (boss-jobs.ts). SQLite has one worker in the same process,
 * and a swap's row is its job (row-jobs.ts).
 */
import type { Row, Sql } from './database.ts'

/** The place of a swap, as its row has it. */
export interface Place {
  objectId: string
  /** Name of its queue. */
  queue: string
  /** Lower turns come first. */
  turn: number
  /** Number of attempts since the last progress. */
  tries: number
}

/** The columns of `swaps` that `placeOf` reads. */
export const placeColumns = 'queue, turn, tries'

/** @param row with `placeColumns` */
export const placeOf = (objectId: string, row: Row): Place => ({
  objectId,
  queue: String(row['queue']),
  turn: Number(row['turn']),
  tries: Number(row['tries']),
})

/** An attempt to make a swap. It ends when the worker is silent for too long. */
export interface Attempt {
  objectId: string
  queue: string
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
  update(sql: Sql, place: Place): Promise<void>
  /** Takes a swap out of the queue, and from its worker. */
  cancel(sql: Sql, place: Pick<Place, 'objectId' | 'queue'>): Promise<void>
  /** The next swap for a worker with this engine version. */
  fetch(sql: Sql, engine: string): Promise<Attempt | null>
  /** Says that the worker is alive. False: the attempt has ended. */
  touch(sql: Sql, attempt: Attempt): Promise<boolean>
  /** Ends the job. False: the attempt has ended before. */
  complete(sql: Sql, attempt: Attempt): Promise<boolean>
  /**
   * Tries a swap again later, after a crash.
   * @param tries number of attempts since the last progress
   * @returns `dead`: this was the last try. `lost`: the attempt has ended before
   */
  fail(sql: Sql, attempt: Attempt, tries: number): Promise<'waits' | 'dead' | 'lost'>
  /** Whether a worker with this engine version was seen in the last minutes. */
  isServed(sql: Sql, engine: string): Promise<boolean>
  /**
   * Calls `listener` when there may be a swap to fetch.
   * @param listener gets the swap's id, if it is known
   * @returns a function that removes the listener
   */
  onSend(listener: (objectId?: string) => void): () => void
  /** Calls `listener` with each swap whose last try failed. It may be called more than once. */
  onDeadLetter(listener: (objectId: string) => Promise<void>): Promise<void>
  /** Calls `work` each minute, once among all servers. @returns a function that ends it */
  everyMinute(work: () => Promise<void>): Promise<() => void>
  stop(): Promise<void>
}

/** Max attempts of a swap in a row without progress. */
export const maxTries = 5
/** The queue for swaps that any worker can make. */
export const anyVersion = 'swaps'
/** The queue for swaps that only this engine version can continue. */
export const queueOf = (engine: string): string => `${anyVersion}-${engine}`
/** If no worker of an engine version was seen for this long, its swaps start again with another version. */
export const engineGoneMs = 10 * 60_000
