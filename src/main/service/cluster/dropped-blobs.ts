/**
 * @file Removes stored files that are no longer used. Their names are recorded in the transaction that removes their
 * rows, so that none is left over if the process ends before it removes the files.
 */
import { listOf, type Database, type Row, type Sql } from './database/database.ts'
import type { BlobStorage } from './storage/blob-storage.ts'

/** Max files in a statement. */
const batchSize = 500

/** Records the files of removed rows. @returns their names */
export async function drop(sql: Sql, rows: readonly Row[]): Promise<string[]> {
  const blobs = rows.map((row) => String(row['blob']))
  for (let from = 0; from < blobs.length; from += batchSize) {
    const some = blobs.slice(from, from + batchSize)
    const values = some.map((_, at) => `($${String(at + 1)})`).join(', ')
    await sql.query(`INSERT INTO dropped_blobs (blob) VALUES ${values} ON CONFLICT (blob) DO NOTHING`, some)
  }
  return blobs
}

/** Removes recorded files. @param blobs only these; absent: all */
export async function removeDropped(db: Database, storage: BlobStorage, blobs?: readonly string[]): Promise<void> {
  for (;;) {
    const rows = blobs ? [] : await db.query(`SELECT blob FROM dropped_blobs LIMIT ${String(batchSize)}`)
    const names = blobs ?? rows.map((row) => String(row['blob']))
    for (const name of names) await storage.remove(name)
    const done = (sql: Sql): Promise<Row[]> =>
      sql.query(`DELETE FROM dropped_blobs WHERE blob IN (${listOf(names)})`, names)
    if (names.length > 0) await db.transaction(done, { isRecoverable: true })
    if (rows.length < batchSize) return
  }
}
