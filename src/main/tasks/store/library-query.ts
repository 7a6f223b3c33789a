/** @file Queries which swaps a view shows and in which order, using the narrow table (listed.ts). */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { LibraryQuery } from '@shared/library-view.ts'
import type { Filter } from '@shared/task-row.ts'
import { fold } from './listed.ts'

/** Row numbers in display order and their creation times, each comma-separated. */
interface Found {
  numbers: string
  times: string
}

/** Service names by profile id; a search matches them too. */
export type ServiceNames = ReadonlyMap<string, string>

/** With more hits, scanning the sorted index is faster than sorting the hits. */
const fewHits = 2000

const orders = {
  newest: { index: 'listed_by_time', by: 'created_at DESC, number DESC' },
  oldest: { index: 'listed_by_time', by: 'created_at, number' },
  title: { index: 'listed_by_title', by: 'title_key, created_at DESC, number' },
}

export function find(
  db: DatabaseSync,
  { search, filter, sort, limit = -1 }: LibraryQuery,
  services: ServiceNames,
): Found {
  const words = fold(search.replaceAll('\0', ' ')).split(/\s+/).filter(Boolean)
  const conditions = ['removed_at IS NULL']
  const values: SQLInputValue[] = []
  const grams: string[] = []
  if (filter !== 'all') {
    conditions.push('section = ?')
    values.push(filter)
  }
  for (const word of words) {
    const ids = [...services].filter(([, name]) => fold(name).includes(word)).map(([id]) => id)
    conditions.push('(instr(text, ?) > 0 OR profile_id IN (SELECT value FROM json_each(?)))')
    values.push(word, JSON.stringify(ids))
    if (ids.length === 0) grams.push(...trigrams(word))
  }
  const match = grams.join(' AND ')
  const few = match !== '' && hitsOf(db, match) <= fewHits
  const { index, by } = orders[sort]
  const source = few
    ? '(SELECT rowid AS hit FROM listed_text WHERE listed_text MATCH ?) CROSS JOIN listed ON number = hit WHERE'
    : `listed INDEXED BY ${index} WHERE`
  const rows = `SELECT number, created_at FROM ${source} ${conditions.join(' AND ')} ORDER BY ${by} LIMIT ?`
  // Two strings cross into JavaScript many times faster than 100,000 rows.
  const found = db
    .prepare(`SELECT group_concat(number) AS numbers, group_concat(created_at) AS times FROM (${rows})`)
    .get(...(few ? [match] : []), ...values, limit)
  return { numbers: String(found?.['numbers'] ?? ''), times: String(found?.['times'] ?? '') }
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
