/** @file Rows of SQLite under the names that the code uses: the column `task_id` is `taskId`. */
import type { SQLInputValue, StatementSync } from 'node:sqlite'

/** A row as `get` and `all` of a statement return it, with names for its columns. */
export const named = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )

const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Adds a row, or changes the one that has the same `keys`. */
export function putRow(
  prepare: (sql: string) => StatementSync,
  table: string,
  row: Readonly<Record<string, SQLInputValue>>,
  keys: readonly string[],
): void {
  const names = Object.keys(row)
  const changes = names.filter((name) => !keys.includes(name)).map(columnOf)
  prepare(
    `INSERT INTO ${table} (${names.map(columnOf).join(', ')}) VALUES (${names.map(() => '?').join(', ')})
       ON CONFLICT (${keys.map(columnOf).join(', ')})
       DO UPDATE SET ${changes.map((column) => `${column} = excluded.${column}`).join(', ')}`,
  ).run(...Object.values(row))
}
