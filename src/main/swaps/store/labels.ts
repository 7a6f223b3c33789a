/** @file What the user adds to swaps in the library: tags, notes and favourites. Swaps are given by row number. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { fold } from '@shared/fold.ts'
import { MienError } from '@shared/errors.ts'
import type { TagChange } from '@shared/tasks/library-view.ts'
import { maxTags, readTag, tagKey } from '@shared/tasks/tags.ts'
import type { Labels } from '@shared/tasks/task-row.ts'
import { inTransaction, preparer } from '../../machine/disk/sqlite.ts'

const json = (numbers: Uint32Array | readonly number[]): string => JSON.stringify([...numbers])
const numbersOf = (rows: Record<string, unknown>[]): Uint32Array =>
  Uint32Array.from(rows, (row) => Number(row['number']))

export class LabelStore {
  private readonly prepare: (sql: string) => StatementSync

  constructor(private readonly db: DatabaseSync) {
    this.prepare = preparer(db)
  }

  /**
   * Adds and removes tags. Returns the changes that undo it.
   * @throws MienError `tag-invalid`, `too-many-tags`: nothing is changed
   */
  tag(changes: readonly TagChange[]): TagChange[] {
    return inTransaction(this.db, () =>
      changes
        .map(({ tag, numbers, on }) => (on ? this.add(readTag(tag), numbers) : this.untag(tag, numbers)))
        .filter(({ numbers }) => numbers.length > 0)
        .toReversed(),
    )
  }

  private add(name: string, numbers: Uint32Array): TagChange {
    const key = tagKey(name)
    this.prepare('INSERT OR IGNORE INTO tags (name, key, text) VALUES (?, ?, ?)').run(name, key, fold(name))
    const sql = `INSERT OR IGNORE INTO tagged (tag, number)
      SELECT tag, number FROM tags, listed WHERE key = ? AND number IN (SELECT value FROM json_each(?)) RETURNING number`
    const added = numbersOf(this.prepare(sql).all(key, json(numbers)))
    const over = `SELECT 1 FROM tagged WHERE number IN (SELECT value FROM json_each(?))
      GROUP BY number HAVING count(*) > ${String(maxTags)} LIMIT 1`
    if (this.prepare(over).get(json(added)) !== undefined) throw new MienError('too-many-tags', { max: maxTags })
    return { tag: name, numbers: added, on: false }
  }

  private untag(name: string, numbers: Uint32Array): TagChange {
    const row = this.prepare('SELECT tag, name FROM tags WHERE key = ?').get(tagKey(name))
    if (!row) return { tag: name, numbers: new Uint32Array(), on: true }
    const tag = Number(row['tag'])
    const sql = 'DELETE FROM tagged WHERE tag = ? AND number IN (SELECT value FROM json_each(?)) RETURNING number'
    const removed = numbersOf(this.prepare(sql).all(tag, json(numbers)))
    this.prepare('DELETE FROM tags WHERE tag = ? AND tag NOT IN (SELECT tag FROM tagged)').run(tag)
    return { tag: String(row['name']), numbers: removed, on: true }
  }

  /** Whether any swap has a tag. */
  isUsed(): boolean {
    return this.prepare('SELECT 1 FROM tagged LIMIT 1').get() !== undefined
  }

  /** The tags of these swaps in alphabetical order, with the number of swaps. */
  tagsOf(numbers: Uint32Array): { name: string; count: number }[] {
    const sql = `SELECT name, count(*) AS n FROM tagged JOIN tags USING (tag)
      WHERE number IN (SELECT value FROM json_each(?)) GROUP BY tag ORDER BY text`
    const rows = this.prepare(sql).all(json(numbers))
    return rows.map((row) => ({ name: String(row['name']), count: Number(row['n']) }))
  }

  /** Sets or clears favourites. Returns those that changed. */
  setFavourite(numbers: Uint32Array, favourite: boolean): Uint32Array {
    const sql = `UPDATE listed SET favourite = ? WHERE number IN (SELECT value FROM json_each(?)) AND favourite <> ?
      RETURNING number`
    return numbersOf(this.prepare(sql).all(Number(favourite), json(numbers), Number(favourite)))
  }

  /** Empty: none. */
  note(number: number): string {
    return String(this.prepare('SELECT note FROM notes WHERE number = ?').get(number)?.['note'] ?? '')
  }

  /** Returns the note before. */
  setNote(number: number, note: string): string {
    return inTransaction(this.db, () => {
      const before = this.note(number)
      this.prepare('DELETE FROM notes WHERE number = ?').run(number)
      if (note.trim() !== '')
        this.prepare('INSERT INTO notes (number, note, text) SELECT number, ?, ? FROM listed WHERE number = ?').run(
          ...[note, fold(note), number],
        )
      return before
    })
  }

  /** Tags in alphabetical order, and whether it is a favourite, of each swap. */
  of(numbers: readonly number[]): Map<number, Labels> {
    const sql = `SELECT listed.number, favourite, json_group_array(name ORDER BY tags.text) FILTER (WHERE name IS NOT NULL) AS tags
      FROM listed LEFT JOIN tagged USING (number) LEFT JOIN tags USING (tag)
      WHERE listed.number IN (SELECT value FROM json_each(?)) GROUP BY listed.number`
    return new Map(
      this.prepare(sql)
        .all(json(numbers))
        .map((row) => [
          Number(row['number']),
          // Safe: SQLite made this array of names.
          { favourite: row['favourite'] === 1, tags: JSON.parse(String(row['tags'])) as string[] },
        ]),
    )
  }
}
