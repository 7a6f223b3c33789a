/** @file SQLite: tables, rows, transactions and errors. Rows have the names that the code uses: the column `task_id` is `taskId`. */
import type { SQLInputValue, StatementSync, DatabaseSync } from 'node:sqlite'
import { z } from 'zod'

/** A row as `get` and `all` of a statement return it, with names for its columns. */
export const named = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )

const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Prepares statements, each once. */
export function preparer(db: DatabaseSync): (sql: string) => StatementSync {
  const known = new Map<string, StatementSync>()
  return (sql) => {
    const statement = known.get(sql) ?? db.prepare(sql)
    known.set(sql, statement)
    return statement
  }
}

/** A column of JSON. */
export const jsonColumn = <S extends z.ZodType>(schema: S): z.ZodCodec<z.ZodString, S> =>
  z.codec(z.string(), schema, {
    decode: (text) => JSON.parse(text) as z.input<S>, // safe: the schema checks it
    encode: (value) => JSON.stringify(value),
  })

/** A column with 0 or 1. */
export const booleanColumn = z.codec(z.number(), z.boolean(), { decode: (value) => value === 1, encode: Number })

/** A table whose rows a schema reads and writes. The values of its keys are given in their order. */
export class Table<Row extends object> {
  protected readonly prepare: (sql: string) => StatementSync
  private readonly where: string

  constructor(
    db: DatabaseSync,
    private readonly name: string,
    private readonly schema: z.ZodType<Row, Record<string, SQLInputValue>>,
    private readonly keys: readonly string[],
  ) {
    this.prepare = preparer(db)
    this.where = `WHERE ${keys.map((key) => `${columnOf(key)} = ?`).join(' AND ')}`
  }

  get(...key: string[]): Row | null {
    return this.all(this.where, ...key)[0] ?? null
  }

  /** @param rest of the query, e.g. `WHERE at > ?` */
  all(rest = '', ...values: SQLInputValue[]): Row[] {
    const rows = this.prepare(`SELECT ${this.name}.* FROM ${this.name} ${rest}`).all(...values)
    return rows.map((row) => this.schema.parse(named(row)))
  }

  /** Adds a row, or changes the one that has the same keys. */
  put(row: Row): void {
    const columns = z.encode(this.schema, row)
    const names = Object.keys(columns)
    const changes = names.filter((name) => !this.keys.includes(name)).map(columnOf)
    this.prepare(
      `INSERT INTO ${this.name} (${names.map(columnOf).join(', ')}) VALUES (${names.map(() => '?').join(', ')})
         ON CONFLICT (${this.keys.map(columnOf).join(', ')})
         DO UPDATE SET ${changes.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    ).run(...Object.values(columns))
  }

  delete(...key: string[]): void {
    this.prepare(`DELETE FROM ${this.name} ${this.where}`).run(...key)
  }
}

/** A function so that TypeScript doesn't narrow the value across statements. */
const isOpen = (db: DatabaseSync): boolean => db.isTransaction

/** Runs `work` in one transaction; rolls back when it throws. In an open transaction `work` joins that one. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  if (isOpen(db)) return work()
  db.exec('BEGIN IMMEDIATE')
  try {
    const value = work()
    db.exec('COMMIT')
    return value
  } catch (error) {
    // On disk full SQLite has already rolled back.
    if (isOpen(db)) db.exec('ROLLBACK')
    throw error
  }
}

/**
 * Runs `work` with `synchronous = NORMAL`, so that it doesn't block the process on fsync. Writes survive a crash but
 * may be lost on power failure until the next FULL commit: use it only for data that can be recovered. In an open
 * transaction `work` just joins that one. Databases are opened with `synchronous = FULL`; with NORMAL a WAL stays
 * consistent (https://www.sqlite.org/pragma.html#pragma_synchronous).
 */
export function withRelaxedSync<T>(db: DatabaseSync, work: () => T): T {
  if (db.isTransaction) return work()
  db.exec('PRAGMA synchronous = NORMAL')
  try {
    return work()
  } finally {
    db.exec('PRAGMA synchronous = FULL')
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, https://www.sqlite.org/rescode.html */
const broken: readonly number[] = [11, 26]

/** SQLite's primary error code; 0 for other errors. */
export const sqliteCode = (error: unknown): number =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0

/** Whether the file itself is damaged, as opposed to a full disk, a lock or missing permissions. */
export const isBrokenDatabase = (error: unknown): boolean => broken.includes(sqliteCode(error))

/** Creates an error for damage reported by a check. */
export const brokenDatabase = (found: string): Error => Object.assign(new Error(found), { errcode: broken[0] })
