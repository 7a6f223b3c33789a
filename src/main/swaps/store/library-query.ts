/** @file Queries which swaps a view shows and in which order, using the narrow table (listed.ts). */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { fold, wordsOf } from '@shared/fold.ts'
import { taskStates } from '@shared/tasks/task-states.ts'
import type { LibraryFilters, LibraryQuery } from '@shared/tasks/library-query.ts'
import type { LibrarySort } from '@shared/tasks/library-view.ts'
import type { Filter } from '@shared/tasks/task-row.ts'
import { tagKey } from '@shared/tasks/tags.ts'

/** Row numbers in display order and, if they are sorted by time, their creation times, each comma-separated. */
export interface Found {
  numbers: string
  times: string
}

/** Service names by profile id; a search matches them too. */
export type ServiceNames = ReadonlyMap<string, string>

/** With more hits, scanning the sorted index is faster than sorting the hits. */
const fewHits = 2000

const later = 'created_at DESC, number DESC'
const earlier = 'created_at, number'
const byTitle = 'created_at DESC, number'

interface Sort {
  index: string
  by: string
  /** The groups are sorted by something that SQLite can't see. */
  group?: 'state' | 'profile_id'
  isFoldable?: true
}

/** Index and order of each sort. */
export const sorts: Record<LibrarySort, Sort> = {
  newest: { index: 'listed_by_time', by: later, isFoldable: true },
  oldest: { index: 'listed_by_time', by: earlier, isFoldable: true },
  title: { index: 'listed_by_title', by: `title_key, ${byTitle}`, isFoldable: true },
  'title-down': { index: 'listed_by_title', by: 'title_key DESC, created_at, number DESC', isFoldable: true },
  length: { index: 'listed_by_length', by: `length_ms, ${byTitle}` },
  'length-down': { index: 'listed_by_length', by: 'length_ms DESC, created_at, number DESC' },
  size: { index: 'listed_by_size', by: `size_bytes, ${byTitle}` },
  'size-down': { index: 'listed_by_size', by: 'size_bytes DESC, created_at, number DESC' },
  state: { index: 'listed_by_state', by: `state, ${byTitle}`, group: 'state' },
  'state-down': { index: 'listed_by_state', by: `state, ${byTitle}`, group: 'state' },
  service: { index: 'listed_by_service', by: `profile_id, ${byTitle}`, group: 'profile_id' },
  'service-down': { index: 'listed_by_service', by: `profile_id, ${byTitle}`, group: 'profile_id' },
}

/** True if the view is sorted by time, and so divided into days. */
export const isByTime = ({ sort, filters }: LibraryQuery): boolean =>
  (sort === 'newest' || sort === 'oldest') && filters?.duplicates !== true

/** Conditions of a query, with their values. */
interface Condition {
  sql: string
  values: SQLInputValue[]
}

export function find(db: DatabaseSync, query: LibraryQuery, services: ServiceNames): Found {
  const { search, filter, sort, filters = {}, limit = -1 } = query
  const words = wordsOf(search.replaceAll('\0', ' '))
  const searched = words.map((word) => searchOf(db, word, services))
  const conditions = [...conditionsOf(filter, filters), ...searched.map(({ condition }) => condition)]
  const match = searched.flatMap(({ grams }) => grams).join(' AND ')
  const few = match !== '' && hitsOf(db, match) <= fewHits
  const where = ['removed_at IS NULL', ...conditions.map(({ sql }) => sql)].join(' AND ')
  const values = [...(few ? [match] : []), ...conditions.flatMap((condition) => condition.values)]
  const hits = few
    ? `(SELECT rowid AS hit FROM listed_text WHERE listed_text MATCH ?) CROSS JOIN listed ON number = hit WHERE ${where}`
    : `listed INDEXED BY listed_by_time WHERE ${where}`
  const { index, by, group } = sorts[sort]
  const within = conditions.length === 0 ? '' : `AND number IN (SELECT number FROM ${hits})`
  if (filters.duplicates === true) {
    const together = `SELECT number FROM listed JOIN (
        SELECT same_key, max(created_at) AS newest FROM listed INDEXED BY listed_by_same WHERE removed_at IS NULL
        GROUP BY same_key HAVING count(*) > 1) USING (same_key)
      WHERE removed_at IS NULL ${within} ORDER BY newest DESC, same_key, created_at DESC, number LIMIT ?`
    return joined(db, together, [...values, limit])
  }
  if (isByTime(query) || few) {
    const rows = `SELECT number, created_at FROM ${hits} ORDER BY ${by} LIMIT ?`
    if (group === undefined) return joined(db, rows, [...values, limit])
  }
  const rows = `SELECT number, ${group ?? 'created_at'} FROM listed INDEXED BY ${index}
    WHERE removed_at IS NULL ${within} ORDER BY ${by}`
  if (group === undefined) return joined(db, `${rows} LIMIT ?`, [...values, limit])
  return inGroups(db, rows, values, { group, down: sort.endsWith('-down'), limit, services })
}

/** Two strings cross into JavaScript many times faster than 100,000 rows. */
export function joined(db: DatabaseSync, rows: string, values: SQLInputValue[]): Found {
  const times = rows.startsWith('SELECT number, created_at') ? 'group_concat(created_at)' : 'NULL'
  const sql = `SELECT group_concat(number) AS numbers, ${times} AS times FROM (${rows})`
  const found = db.prepare(sql).get(...values)
  return { numbers: String(found?.['numbers'] ?? ''), times: String(found?.['times'] ?? '') }
}

interface Grouping {
  group: 'state' | 'profile_id'
  down: boolean
  limit: number
  services: ServiceNames
}

/** Sorts states as they follow each other, and services by name. */
function inGroups(
  db: DatabaseSync,
  rows: string,
  values: SQLInputValue[],
  { group, down, limit, services }: Grouping,
): Found {
  const nameOf = (id: string): string =>
    group === 'state'
      ? String(taskStates.findIndex((state) => state === id)).padStart(2, '0')
      : fold(services.get(id) ?? id)
  const groups = db
    .prepare(`SELECT ${group} AS name, group_concat(number) AS numbers FROM (${rows}) GROUP BY ${group}`)
    .all(...values)
    .map((row) => ({ name: nameOf(String(row['name'])), numbers: String(row['numbers']) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const numbers = (down ? groups.toReversed() : groups).map((each) => each.numbers).join(',')
  return { numbers: limit < 0 ? numbers : numbers.split(',', limit).join(','), times: '' }
}

/** `json_each` of a list as a value. */
const anyOf = (expression: string, list: readonly (string | number)[]): Condition => ({
  sql: `${expression} IN (SELECT value FROM json_each(?))`,
  values: [JSON.stringify(list)],
})

function conditionsOf(filter: Filter, filters: LibraryFilters): Condition[] {
  const { states = [], profileIds = [], faces = [], batches = [], tags = [], from, until } = filters
  const conditions: Condition[] = []
  if (filter !== 'all') conditions.push({ sql: 'section = ?', values: [filter] })
  if (states.length > 0) conditions.push(anyOf('state', states))
  if (profileIds.length > 0) conditions.push(anyOf('profile_id', profileIds))
  if (from !== undefined) conditions.push({ sql: 'created_at >= ?', values: [from] })
  if (until !== undefined) conditions.push({ sql: 'created_at < ?', values: [until] })
  const through = (select: string, list: string[]): void => {
    const { sql, values } = anyOf('key', list)
    conditions.push({ sql: `number IN (${select} WHERE ${sql})`, values })
  }
  if (tags.length > 0) through('SELECT number FROM tagged JOIN tags USING (tag)', tags.map(tagKey))
  if (faces.length > 0) {
    const list = JSON.stringify(faces)
    const sql = `number IN (SELECT listed_faces.number FROM listed_faces JOIN faces ON faces.number = face
      WHERE key IN (SELECT value FROM json_each(?)) UNION SELECT listed.number FROM media
      JOIN task_pictures ON media_id = media.id JOIN listed USING (task_id)
      WHERE sha256 IN (SELECT value FROM json_each(?)))`
    conditions.push({ sql, values: [list, list] })
  }
  if (batches.length > 0) {
    const { sql, values } = anyOf('id', batches)
    conditions.push({ sql: `batch IN (SELECT number FROM batches WHERE ${sql})`, values })
  }
  if (filters.favourite === true)
    conditions.push({ sql: 'number IN (SELECT number FROM listed WHERE favourite = 1)', values: [] })
  return conditions
}

/**
 * Condition for a word in a name, a service, a tag or a note. `grams`: FTS5 terms that all hits have; empty if it also
 * occurs outside the names.
 */
function searchOf(db: DatabaseSync, word: string, services: ServiceNames): { condition: Condition; grams: string[] } {
  const profiles = [...services].filter(([, name]) => fold(name).includes(word)).map(([id]) => id)
  const tags = db.prepare('SELECT tag FROM tags WHERE instr(text, ?) > 0').all(word)
  const grams = trigrams(word)
  const noted: Condition =
    grams.length === 0
      ? { sql: 'SELECT number FROM notes WHERE instr(text, ?) > 0', values: [word] }
      : {
          sql: `SELECT number FROM (SELECT rowid AS hit FROM notes_text WHERE notes_text MATCH ?)
            CROSS JOIN notes ON number = hit WHERE instr(text, ?) > 0`,
          values: [grams.join(' AND '), word],
        }
  const isNoted = db.prepare(`${noted.sql} LIMIT 1`).get(...noted.values) !== undefined
  const parts: Condition[] = [{ sql: 'instr(text, ?) > 0', values: [word] }]
  if (profiles.length > 0) parts.push(anyOf('profile_id', profiles))
  if (tags.length > 0) {
    const { sql, values } = anyOf('tag', tags.map((row) => Number(row['tag']))) // prettier-ignore
    parts.push({ sql: `number IN (SELECT number FROM tagged WHERE ${sql})`, values })
  }
  if (isNoted) parts.push({ sql: `number IN (${noted.sql})`, values: noted.values })
  return {
    condition: {
      sql: `(${parts.map(({ sql }) => sql).join(' OR ')})`,
      values: parts.flatMap(({ values }) => values),
    },
    grams: parts.length === 1 ? grams : [],
  }
}

/** Trigrams of a word as FTS5 terms; none for words under three letters. Hits are then checked for the whole word. */
function trigrams(word: string): string[] {
  const letters = Array.from(word)
  return letters.slice(2).map(
    (_, at) =>
      `"${letters
        .slice(at, at + 3)
        .join('')
        .replaceAll('"', '""')}"`,
  )
}

const hitsOf = (db: DatabaseSync, match: string): number =>
  Number(
    db
      .prepare('SELECT count(*) AS n FROM (SELECT 1 FROM listed_text WHERE listed_text MATCH ? LIMIT ?)')
      .get(match, fewHits + 1)?.['n'],
  )

/** Number of swaps per filter. */
export function countByFilter(db: DatabaseSync): Record<Filter, number> {
  const counts = { all: 0, working: 0, 'needs-you': 0, finished: 0 }
  const sql = 'SELECT section, count(*) AS n FROM listed WHERE removed_at IS NULL GROUP BY section'
  for (const row of db.prepare(sql).all()) {
    const [section, count] = [String(row['section']), Number(row['n'])]
    counts.all += count
    if (section === 'working' || section === 'needs-you' || section === 'finished') counts[section] = count
  }
  return counts
}

/** Number of swaps finished since `at` (epoch ms). */
export function finishedSince(db: DatabaseSync, at: number): number {
  const sql = "SELECT count(*) AS n FROM listed WHERE removed_at IS NULL AND section = 'finished' AND ended_at >= ?"
  return Number(db.prepare(sql).get(at)?.['n'])
}

/** Groups consecutive times by local day, as flat pairs: start of day (epoch ms), count. */
export function dayRuns(times: readonly number[]): Float64Array {
  const runs: number[] = []
  let [from, until] = [0, 0]
  for (const at of times) {
    if (runs.length === 0 || at < from || at >= until) {
      from = new Date(at).setHours(0, 0, 0, 0)
      until = new Date(at).setHours(24, 0, 0, 0)
      runs.push(from, 0)
    }
    runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1
  }
  return Float64Array.from(runs)
}
